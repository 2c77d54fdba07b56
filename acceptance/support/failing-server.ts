import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

/** A received request. */
export interface Arrived {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** `reset`: closes the connection before a response. `hang`: sends no response. */
export type Response = 'reset' | 'hang' | { status: number; headers?: Record<string, string>; body?: unknown }
export type Planned = Response | ((arrived: Arrived, response: ServerResponse) => void)

/** A server that fails on demand, for testing clients. Closed at the end of the file. */
export interface FailingServer {
  base_url: string
  arrived: Arrived[]
  /** Clears the received requests and responds with these in turn, then repeats the last one. */
  plan(...responses: Planned[]): void
  close(): Promise<void>
}

export async function startFailingServer(): Promise<FailingServer> {
  const arrived: Arrived[] = []
  let planned: Planned[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: await text(request) }
      arrived.push(one)
      const next = (planned.length > 1 ? planned.shift() : planned[0]) ?? 'reset'
      if (typeof next === 'function') next(one, response)
      else if (next === 'reset') request.socket.destroy()
      else if (next !== 'hang') respond(response, next)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  after(close)
  return {
    base_url: `http://127.0.0.1:${port}`,
    arrived,
    plan(...responses) {
      arrived.length = 0
      planned = responses
    },
    close,
  }
}

function respond(response: ServerResponse, { status, headers, body }: Exclude<Response, string>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? { errors: [{ status, detail: 'planned' }] }))
}
