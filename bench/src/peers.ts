import { fork, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BareOptions } from './bare/operation.ts'

/**
 * What Demarc is measured beside. The packages are in a folder of their own, bench/peers, because no installation of Demarc needs
 * them. Nothing is downloaded by a run: without them these sides are skipped, and the report says so.
 */
const folder = fileURLToPath(new URL('../peers/', import.meta.url))
const openapi_file = fileURLToPath(new URL('../../openapi.json', import.meta.url))

/** Why the sides of bench/peers are skipped; null when they can be measured. */
export function peersMissing(): string | null {
  return existsSync(`${folder}node_modules/.package-lock.json`) ? null : 'Run `npm ci --prefix bench/peers` first.'
}

/** A server beside Demarc: its port, and its processes. */
export interface Peer {
  port: number
  pids: number[]
  close: () => void
}

/** Forks a server of ours that sends its port when it listens. */
async function forkServer(file: URL, args: readonly string[]): Promise<Peer> {
  const child = fork(file, args)
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`${file.pathname} exited with status ${code}`)))
  })
  return { port, pids: [child.pid ?? 0], close: () => child.kill() }
}

/** Handlers on node:http, the least that Node can do for the same responses. */
export const startBare = (options: BareOptions): Promise<Peer> =>
  forkServer(new URL('./bare/server.ts', import.meta.url), [JSON.stringify(options)])

/**
 * Feathers on Koa and Knex: the best-known package that makes a REST service of a PostgreSQL table. PostgREST is not on npm,
 * PostGraphile is GraphQL, Directus and Strapi are content management systems with tables of their own, json-server has no database.
 */
export const startFeathers = (database_url: string): Promise<Peer> =>
  forkServer(new URL('../peers/rest-server.js', import.meta.url), [database_url])

/** Prism, which serves made-up responses to our own openapi.json: no database, no accounts. */
export async function startPrism(): Promise<Peer> {
  const port = await freePort()
  const args = ['mock', openapi_file, '--port', String(port), '--host', '127.0.0.1', '--verboseLevel', 'silent']
  const child = spawn(process.execPath, [`${folder}node_modules/@stoplight/prism-cli/dist/index.js`, ...args], {
    stdio: 'ignore',
  })
  await listening(port, child)
  return { port, pids: [child.pid ?? 0], close: () => child.kill() }
}

/** DuckDB: the rows of a Parquet file as csv.gz, sorted. */
export const duckdbExport = (parquet: string, out: string): ChildProcess =>
  spawn(process.execPath, [`${folder}parquet-to-csv.js`, parquet, out], { stdio: ['ignore', 'inherit', 'inherit'] })

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    try {
      await fetch(`http://127.0.0.1:${port}/`)
      return
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(100)
    }
  }
  throw new Error(`Prism exited with status ${child.exitCode}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
