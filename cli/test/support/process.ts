import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Result } from './run.ts'
import { environment } from '../../../acceptance/support/environment.ts'

/** Runs the command line as a process, to test signals, pipes, terminals, and start-up cost. */

export const main = path.resolve(import.meta.dirname, '../../src/main.ts')

export interface Started {
  child: ChildProcess
  ended: Promise<Result & { signal: NodeJS.Signals | null }>
}

export function start(args: readonly string[], env: Record<string, string>, options: SpawnOptions = {}): Started {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: { ...environment, HOME: '/nonexistent', ...env },
  })
  return { child, ended: resultOf(child) }
}

export async function resultOf(child: ChildProcess): Promise<Result & { signal: NodeJS.Signals | null }> {
  const written = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (written.stdout += chunk))
  child.stderr?.on('data', (chunk) => (written.stderr += chunk))
  await once(child, 'close')
  return { status: child.exitCode ?? -1, signal: child.signalCode, ...written }
}

export interface Stub {
  url: string
  env: Record<string, string>
  close(): Promise<void>
}

/** Replaces the service, for behavior that the real one does not show on request. */
export async function stub(listener: RequestListener): Promise<Stub> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // a TCP server has an address with a port
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    env: { DEMARC_URL: url, DEMARC_ACCESS_KEY: 'akTest', DEMARC_SECRET_KEY: 'secret' },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Responds with JSON. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener => {
  const text = JSON.stringify(body)
  return (_, response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
