import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SOCKET_PORT } from './data-directory.ts'

const DATABASE = 'demarc'
/** How long a database that was just started may be unavailable again, because its server is killed and restarted. */
const AVAILABLE_TIMEOUT_MS = 60_000
const PAUSE_MS = 200

/** The address of our database behind a socket, for `pg` and libpq. */
export function databaseUrl(socket_folder: string): string {
  return `postgresql://postgres@${encodeURIComponent(socket_folder)}/${DATABASE}?port=${SOCKET_PORT}`
}

/** Creates our database if it is missing. The server may be killed meanwhile: it is then restarted, and this is tried again. */
export async function createDatabase(socket_folder: string): Promise<void> {
  const deadline = performance.now() + AVAILABLE_TIMEOUT_MS
  for (;;) {
    try {
      return await createOnce(socket_folder)
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await sleep(PAUSE_MS)
    }
  }
}

/** Without a SQLSTATE the connection was lost; 57P0x: the server is stopping or starting; class 08: connection. */
function isUnavailable(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P0|08)/.test(error.code ?? '')
}

/** An advisory lock serializes processes that start at the same time. */
async function createOnce(socket_folder: string): Promise<void> {
  const client = newClient(socket_folder)
  client.on('error', () => undefined) // the current query rejects with the same error
  try {
    await client.connect()
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/** False for any error, unlike `responds`: the caller polls until its timeout, and the reason is in the server's log. */
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

/** Whether the server responds to a connection within five seconds, if only by a refusal. */
export async function responds(socket_folder: string): Promise<boolean> {
  const client = newClient(socket_folder)
  client.on('error', () => undefined) // connect() rejects with the same error
  try {
    await client.connect()
  } catch (error) {
    return error instanceof pg.DatabaseError
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
