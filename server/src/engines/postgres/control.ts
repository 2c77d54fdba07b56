import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SOCKET_PORT } from './data-directory.ts'

const DATABASE = 'demarc'
const STOP_LIMIT_MS = 30_000
const KILL_LIMIT_MS = 10_000
const POLL_MS = 15

/** A server on this machine that can be reached and stopped. */
export interface RunningServer {
  socket_folder: string
  stop(): Promise<void>
}

/** The address of our database behind a socket, for `pg` and libpq. */
export function databaseUrl(socket_folder: string): string {
  return `postgresql://postgres@${encodeURIComponent(socket_folder)}/${DATABASE}?port=${SOCKET_PORT}`
}

/** Creates our database if it is missing; starters that come at once take turns. */
export async function createDatabase(socket_folder: string): Promise<void> {
  const client = newClient(socket_folder)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

export async function answers(socket_folder: string): Promise<boolean> {
  const client = newClient(socket_folder)
  client.on('error', () => undefined) // connect() tells the same fault
  try {
    await client.connect()
  } catch {
    return false // whatever the reason: the caller asks again until its time is up, and the server's log tells why
  }
  await client.end()
  return true
}

function newClient(socket_folder: string): pg.Client {
  return new pg.Client({
    host: socket_folder,
    port: SOCKET_PORT,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  })
}

/** SIGINT: PostgreSQL ends open transactions and writes its checkpoint. SIGQUIT: at once, recovering at the next start. */
export async function shutDown(pid: number, ended: () => boolean): Promise<void> {
  for (const [signal, limit_ms] of [
    ['SIGINT', STOP_LIMIT_MS],
    ['SIGQUIT', KILL_LIMIT_MS],
  ] as const) {
    if (ended()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return
      throw error
    }
    const deadline = performance.now() + limit_ms
    while (!ended() && performance.now() < deadline) await sleep(POLL_MS)
  }
  if (!ended()) throw new Error(`The database server ${pid} does not end.`)
}
