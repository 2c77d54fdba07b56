import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What happens to new connections. */
export type Failure =
  | { type: 'none' }
  /** Every request gets this response. */
  | { type: 'respond'; status: number; code: string }
  /** Requests get no response. */
  | { type: 'silent' }
  /** The connection breaks after this many bytes of the responses. */
  | { type: 'cut'; after_bytes: number }
  /** No more than this many bytes of the responses arrive, and the connection stays open until the server closes it. */
  | { type: 'withhold'; after_bytes: number }

export interface FailingProxy {
  url: string
  /** The first lines of the requests that were let through: `PUT /files/…`. */
  requests: string[]
  /** Closes idle connections too, so that the next request fails. */
  set(failure: Failure): void
  close(): Promise<void>
}

/** A proxy in front of an S3 server that breaks connections on demand. */
export async function startFailingProxy(target: string): Promise<FailingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let failure: Failure = { type: 'none' }
  const track = (socket: Socket) => {
    sockets.add(socket)
    // a broken connection is what the tests are about
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    track(client)
    if (failure.type === 'silent') return void client.resume()
    if (failure.type === 'respond') {
      const response = errorResponse(failure)
      return void client.on('data', (chunk) => chunk.includes('HTTP/1.1\r\n') && client.write(response))
    }
    const upstream = track(connect(Number(port), hostname))
    const { type } = failure
    let left = failure.type === 'none' ? Infinity : failure.after_bytes
    client.on('data', (chunk) => {
      const line = /^(?:GET|HEAD|PUT|POST|DELETE) \S+/.exec(chunk.toString('latin1'))?.[0]
      if (line !== undefined) requests.push(line)
    })
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      left -= chunk.length
      if (left < 0) {
        if (type === 'cut') client.resetAndDestroy()
      } else if (!client.write(chunk)) {
        upstream.pause()
        client.once('drain', () => upstream.resume())
      }
    })
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    set(next) {
      failure = next
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function errorResponse({ status, code }: { status: number; code: string }): string {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>injected</Message></Error>`
  return `HTTP/1.1 ${status} x\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
