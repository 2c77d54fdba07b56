import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'
import { codeOf, StartRefused } from './refused.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** How long a database that was started at the same time may take to accept connections. */
const timeout_ms = 30_000
const pause_ms = 250

/** Nothing listens yet, or the database is starting (57P03) or restarting (57P02, 57P01). */
const not_yet = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EAI_AGAIN', '57P01', '57P02', '57P03'])

/** Errors of DATABASE_URL or of its server, each with the remedy. */
const explanations: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Its host is not known.',
  ETIMEDOUT: 'Its host does not respond.',
  EHOSTUNREACH: 'Its host does not respond.',
  '28P01': 'It does not accept the password.',
  '28000': 'It does not admit this user.',
  '3D000': 'There is no such database: create it first.',
  '42501': 'The user may not create tables: grant it CREATE on the schema.',
}

/** Migrates the database to this version; several processes may do so at once. Throws StartRefused for an error that the operator can correct. */
export async function migrateDatabase(database_url: string, log: Log): Promise<void> {
  const deadline = performance.now() + timeout_ms
  for (;;) {
    try {
      await migrateOnce(database_url, log)
      return
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (!not_yet.has(code) || performance.now() > deadline) throw explained(error, code)
      log.warn({ code }, 'the database is not available yet; trying again')
      await sleep(pause_ms)
    }
  }
}

async function migrateOnce(database_url: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database_url, application_name: 'demarc-migrate' })
  // a lost connection also rejects the current query; without a listener the event would end the process
  client.on('error', () => undefined)
  try {
    await client.connect()
    await migrate(client, migrationsFolder, log)
  } finally {
    await client.end()
  }
}

function explained(error: unknown, code: string): unknown {
  const explanation = not_yet.has(code)
    ? `It did not accept a connection for ${timeout_ms / 1000} s (${code}).`
    : explanations[code]
  if (explanation === undefined) return error
  return new StartRefused(`The database cannot be used. ${explanation} DATABASE_URL says which one it is.`, {
    cause: error,
  })
}
