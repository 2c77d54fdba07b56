import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { createOutbound } from '../index.ts'
import type { Outbound, OutboundOptions } from '../index.ts'

/**
 * For tests: starts a server on a loopback address and returns its port. When the test ends, closes the server and its
 * connections.
 */
export async function listen(t: TestContext, server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<{ destroy(): void }>()
  const track = (socket: { destroy(): void; once(event: 'close', listener: () => void): unknown }): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', track)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return portOf(server)
}

/** For tests: starts an HTTP server the same way and records its requests. */
export async function listenHttp(
  t: TestContext,
  handler: RequestListener,
  host = '127.0.0.1',
  port = 0,
): Promise<HttpPeer> {
  const requests: ReceivedRequest[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    requests.push({ method, path: url, headers, body: await text(request) })
    handler(request, response)
  }
  const server = createServer((request, response) => void receive(request, response))
  return { port: await listen(t, server, host, port), requests }
}

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface HttpPeer {
  port: number
  requests: ReceivedRequest[]
}

/** For tests: an egress client allowed to reach 127.0.0.1 in addition to public addresses. */
export function outboundTo127_0_0_1(options: Partial<OutboundOptions> = {}): Outbound {
  return createOutbound({
    allow_cidrs: ['127.0.0.1/32'],
    user_agent: 'Demarc/test',
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
}

/** For tests: an error like those of Node's resolver. */
export function dnsError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server is not listening on a port.')
  return address.port
}
