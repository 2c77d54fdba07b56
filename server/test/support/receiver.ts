import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** What came to a receiver: the raw body, before anybody parsed it. */
export interface Arrival {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** How it answers: a status with headers, or by its own hand. */
export type Reply = number | { status: number; headers?: Record<string, string> } | ((response: ServerResponse) => void)

export interface Receiver {
  /** Of its endpoint `path`, at `host` (default 127.0.0.1; 127.0.0.2 and others lead to it as well). */
  url(path?: string, host?: string): string
  arrivals: Arrival[]
  /** How it answers from now on; at first with 204. */
  answer: (arrival: Arrival, nth: number) => Reply
  /** Resolves once so many have come to `path`, with these. */
  come(count: number, path?: string): Promise<Arrival[]>
  close(): Promise<void>
}

const patience_ms = 30_000

/** An account holder's endpoint on this machine; closed at the end of the file, with answers that were never given. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const at = (path: string) => arrivals.filter((a) => a.path === path)
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const arrival = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    arrivals.push(arrival)
    const reply = receiver.answer(arrival, at(arrival.path).length)
    if (typeof reply === 'function') return reply(response)
    const { status, headers } = typeof reply === 'number' ? { status: reply } : reply
    response.writeHead(status, headers).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  // every loopback address is this machine, so that tests can have several hosts
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const receiver: Receiver = {
    url: (path = '/', host = '127.0.0.1') => `http://${host}:${port}${path}`,
    arrivals,
    answer: () => 204,
    async come(count, path = '/') {
      const deadline = performance.now() + patience_ms
      while (at(path).length < count) {
        if (performance.now() > deadline) throw new Error(`${at(path).length} of ${count} came to ${path}`)
        await sleep(20)
      }
      return at(path)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  after(receiver.close)
  return receiver
}

/** The payload, once the signature over the raw body was verified as any receiver would. Throws where it is not right. */
export function verified(arrival: Arrival, secret: string): unknown {
  const header = (name: string) => String(arrival.headers[name])
  return new Webhook(secret).verify(arrival.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  })
}
