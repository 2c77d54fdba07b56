import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** A request to a receiver with its raw body. */
export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** The response: a status with headers, or a function that writes it. */
export type PlannedResponse =
  | number
  | { status: number; headers?: Record<string, string> }
  | ((response: ServerResponse) => void)

export interface Receiver {
  /** The URL of its endpoint `path`, at `host` (default 127.0.0.1; other loopback addresses reach it as well). */
  url(path?: string, host?: string): string
  requests: ReceivedRequest[]
  /** How it responds from now on; 204 by default. */
  respond: (received: ReceivedRequest, nth: number) => PlannedResponse
  /** Resolves with the requests to `path` once this many have arrived. */
  waitFor(count: number, path?: string): Promise<ReceivedRequest[]>
  close(): Promise<void>
}

const timeout_ms = 100_000

/** A customer's endpoint on this machine; closed at the end of the file, with pending responses. */
export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const at = (path: string) => requests.filter((a) => a.path === path)
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const received = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    requests.push(received)
    const planned = receiver.respond(received, at(received.path).length)
    if (typeof planned === 'function') return planned(response)
    const { status, headers } = typeof planned === 'number' ? { status: planned } : planned
    response.writeHead(status, headers).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  // every loopback address reaches this machine, so tests can use several hosts
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const receiver: Receiver = {
    url: (path = '/', host = '127.0.0.1') => `http://${host}:${port}${path}`,
    requests,
    respond: () => 204,
    async waitFor(count, path = '/') {
      const deadline = performance.now() + timeout_ms
      while (at(path).length < count) {
        if (performance.now() > deadline) throw new Error(`${at(path).length} of ${count} requests arrived at ${path}`)
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

/** The payload, after verifying its signature as receivers do. Throws if it is invalid. */
export function verified(received: ReceivedRequest, secret: string): unknown {
  const header = (name: string) => String(received.headers[name])
  return new Webhook(secret).verify(received.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  })
}
