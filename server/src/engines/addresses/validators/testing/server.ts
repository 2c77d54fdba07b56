import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'

export interface Arrived {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface TestServer {
  url: string
  arrived: Arrived[]
}

/** For tests: a loopback server that responds with what `respond` returns; null sends no response. */
export async function serve(
  t: TestContext,
  respond: (request: Arrived, nth: number) => { status?: number; body: string } | null,
): Promise<TestServer> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      arrived.push(one)
      const reply = respond(one, arrived.length)
      if (reply) response.writeHead(reply.status ?? 200).end(reply.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { url: `http://127.0.0.1:${address.port}`, arrived }
}
