import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { serverErrorOf } from '../../platform/postgres/server-errors.ts'
import { SOCKET_PORT } from './data-directory.ts'

const DATABASE = 'demarc'
/** How long to wait for a server that is killed and restarted right after its start. */
const AVAILABLE_TIMEOUT_MS = 60_000
const PAUSE_MS = 200

/** The URL of Demarc's database behind a socket, for `pg` and libpq. */
export function databaseUrl(socket_folder: string): string {
  return `postgresql://postgres@${encodeURIComponent(socket_folder)}/${DATABASE}?port=${SOCKET_PORT}`
}

/** Creates Demarc's database if it is missing. Retries if the server is killed and restarted meanwhile. */
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

/** An error without a SQLSTATE is a lost connection. */
function isUnavailable(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || serverErrorOf(error) === 'ended'
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

/** Returns false for any error, unlike `responds`: the caller polls until its timeout, and the server logs the reason. */
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

/** Whether the server responds to a connection within five seconds, even by rejecting it. */
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
