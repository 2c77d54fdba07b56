import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isObject, object, text as textOf } from './json.ts'

/** What customers run: an endpoint for callbacks and a web server with documents. */

export interface Callback {
  /** The `webhook-id`, which is the same on every attempt of one event. */
  id: string
  /** `type` of `meta`, such as `portorder.signed`. */
  type: string
  attributes: Record<string, unknown>
  headers: IncomingMessage['headers']
  body: string
}

/** The first attempt of every nth event is refused, so that retries occur too. */
const refuse_every = 7

export class Receiver {
  readonly #server = createServer((request, response) => {
    void this.#respond(request).then(({ status, body }) => response.writeHead(status).end(body))
  })
  readonly #callbacks = new Map<string, Callback[]>()
  #events = 0

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  url(path: string): string {
    const { port } = this.#server.address() as AddressInfo // it listens on TCP
    return `http://127.0.0.1:${port}${path}`
  }

  /** The callbacks that a URL has received so far. */
  at(url: string): readonly Callback[] {
    return this.#callbacks.get(new URL(url).pathname) ?? []
  }

  /** Number of received callbacks, retries included. */
  get count(): number {
    return [...this.#callbacks.values()].reduce((sum, { length }) => sum + length, 0)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const { pathname } = new URL(request.url ?? '/', 'http://receiver')
    if (request.method === 'GET') return { status: 200, body: documentOf(pathname) }
    const body = await text(request)
    const { data, meta } = object(JSON.parse(body))
    const { attributes } = object(data)
    const callback: Callback = {
      id: textOf(request.headers['webhook-id']),
      type: textOf(object(meta)['type']),
      attributes: isObject(attributes) ? attributes : {},
      headers: request.headers,
      body,
    }
    const before = this.#callbacks.get(pathname) ?? []
    // refused callbacks count too, because they were sent
    this.#callbacks.set(pathname, [...before, callback])
    const first = !before.some(({ id }) => id === callback.id)
    const refused = first && ++this.#events % refuse_every === 0
    return { status: refused ? 503 : 204, body: '' }
  }
}

/** A small PDF, different for each path. */
export function documentOf(path: string): string {
  return `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Title (${path}) >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n`
}

/** Whether the secret produced one of the signatures (Standard Webhooks: HMAC-SHA256 over id, timestamp, and body). */
export function isSigned({ headers, body }: Callback, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${textOf(headers['webhook-id'])}.${textOf(headers['webhook-timestamp'])}.${body}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return textOf(headers['webhook-signature']).split(' ').includes(signature)
}
