import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SOCKET_PORT } from './data-directory.ts'

const DATABASE = 'demarc'
const FAST_SHUTDOWN_TIMEOUT_MS = 30_000
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000
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

/** Creates our database if it is missing; an advisory lock serializes processes that start at the same time. */
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

/** False for any error: the caller polls until its timeout, and the reason is in the server's log. */
export async function acceptsConnections(socket_folder: string): Promise<boolean> {
  const client = newClient(socket_folder)
  client.on('error', () => undefined) // connect() rejects with the same error
  try {
    await client.connect()
  } catch {
    return false
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

/**
 * PostgreSQL's fast shutdown (SIGINT): open transactions are aborted and a checkpoint is written. After a timeout, the
 * immediate one (SIGQUIT), which needs crash recovery at the next start.
 */
export async function shutDown(pid: number, hasExited: () => boolean): Promise<void> {
  for (const [signal, limit_ms] of [
    ['SIGINT', FAST_SHUTDOWN_TIMEOUT_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
  ] as const) {
    if (hasExited()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return
      throw error
    }
    const deadline = performance.now() + limit_ms
    while (!hasExited() && performance.now() < deadline) await sleep(POLL_MS)
  }
  if (!hasExited()) throw new Error(`The database server ${pid} does not end.`)
}
