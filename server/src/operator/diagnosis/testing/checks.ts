import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from '../../../../../acceptance/support/free-port.ts'
import { probesOf, type Diagnosed } from '../../../diagnosis.ts'
import type { Runtime } from '../../../runtime.ts'
import type { CheckName } from '../checks.ts'
import { outcomeOfError } from '../run.ts'

/** Runs single checks of a service with something wrong. */

export const within = () => AbortSignal.timeout(60_000)

type Over = Partial<Omit<Diagnosed, 'config' | 'deps'>> & {
  config?: Partial<Diagnosed['config']>
  deps?: Partial<Diagnosed['deps']>
}

/** `over` replaces what the checks read of the service. */
export function checksOf(runtime: Runtime) {
  const { config, deps } = runtime
  const forwarding = { requests: 0, forwarded: 0, peer: null }
  const probesWith = (over: Over) =>
    probesOf({
      ...runtime,
      forwarding,
      ...over,
      config: { ...config, ...over.config },
      deps: { ...deps, ...over.deps },
    })

  /** What a check finds, and the problem among it. */
  async function finding(check: CheckName, over: Over = {}) {
    const probe = async () => [await probesWith(over)[check](within())].flat()
    const found = await probe().catch((error: unknown) => outcomeOfError(check, error).findings)
    return found.find(({ result }) => result !== 'ok') ?? found[0] ?? assert.fail(`${check} found nothing`)
  }

  async function finds(check: CheckName, over: Over, result: string, details: RegExp, remedy: RegExp): Promise<void> {
    const found = await finding(check, over)
    assert.equal(found.result, result, found.details)
    assert.match(found.details, details)
    assert.match(found.remedy ?? '', remedy)
  }

  const passes = async (check: CheckName, over: Over = {}) =>
    assert.equal((await finding(check, over)).result, 'ok', (await finding(check, over)).details)
  return { probesWith, finds, passes }
}

/** Listens until the end of the file. */
export async function portOf(listening: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>()
  listening.on('connection', (socket: Socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => listening.listen(0, host, resolve))
  after(() => {
    listening.close()
    for (const socket of sockets) socket.destroy()
  })
  return (listening.address() as AddressInfo).port // it listens on TCP
}
/** A mail relay, without STARTTLS unless it has a certificate. Its address and port. */
export async function relay(options: SMTPServerOptions, host = '127.0.0.1'): Promise<string> {
  const disabledCommands = options.cert === undefined ? ['STARTTLS'] : []
  const smtp = new SMTPServer({ disabledCommands, authOptional: true, ...options })
  // a client that does not trust the certificate ends the connection
  smtp.on('error', (error: Error) => assert.match(error.message, /certificate|ECONNRESET|socket/i))
  return `${host}:${await portOf(smtp.server, host)}`
}
export const httpServer = async (handler: RequestListener) =>
  `http://127.0.0.1:${await portOf(createHttpServer(handler))}`
export const closedPort = async () => `127.0.0.1:${await freePort()}`
