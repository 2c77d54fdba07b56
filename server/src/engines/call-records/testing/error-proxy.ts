/** HTTP in front of an engine's socket, which responds to chosen statements with an error of ClickHouse instead of, or after, running them. */

import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type InjectedError = {
  code: string
  name: string
  /** Of the statements that follow, the nth from 0 fails. */
  nth: number
  /** Whether the engine runs the statement first, so that only its result is lost. */
  runs: boolean
}

export class ErrorProxy {
  readonly url: string
  readonly #socket: string
  readonly #close: () => void
  #injected: InjectedError | undefined
  #left = 0
  /** The statements since `fail`, each until its first table. */
  statements: string[] = []

  static async open(socket: string): Promise<ErrorProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on TCP
    const proxy = new ErrorProxy(socket, `http://127.0.0.1:${port}`, () => {
      server.closeAllConnections()
      server.close()
    })
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => void proxy.#serve(incoming, response))
    return proxy
  }

  private constructor(socket: string, url: string, close: () => void) {
    this.#socket = socket
    this.url = url
    this.#close = close
  }

  fail(injected: InjectedError | undefined): void {
    this.#injected = injected
    this.#left = injected?.nth ?? 0
    this.statements = []
  }

  /** Whether the statement that should fail has been sent. */
  get failed(): boolean {
    return this.#left < 0
  }

  close(): void {
    this.#close()
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const query = new URL(incoming.url ?? '/', this.url).searchParams.get('query') ?? body.toString('utf8')
    this.statements.push(/^\w+|\b(?:FROM|INTO) \S+/g[Symbol.match](query)?.slice(0, 2).join(' ') ?? '')
    const injected = this.#injected
    const fails = injected !== undefined && this.#left === 0
    this.#left -= 1
    if (fails && !injected.runs) return respond(response, injected)
    const { method, headers, url: path } = incoming
    const outgoing = request({ socketPath: this.#socket, method, headers, path })
    outgoing.end(body)
    const [answered] = (await once(outgoing, 'response')) as [IncomingMessage] // its only argument
    if (fails) {
      answered.resume()
      await once(answered, 'end')
      return respond(response, injected)
    }
    response.writeHead(answered.statusCode ?? 500, answered.headers)
    answered.pipe(response)
  }
}

function respond(response: ServerResponse, { code, name }: InjectedError): void {
  response.writeHead(500, { 'x-clickhouse-exception-code': code })
  response.end(`Code: ${code}. DB::Exception: Received from elsewhere. (${name}) (version 26.7.2.1)\n`)
}
