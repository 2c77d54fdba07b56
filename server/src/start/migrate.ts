import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'
import { codeOf, StartRefused } from './refused.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** How long a database that was started together with us may take to let us in. */
const patience_ms = 30_000
const pause_ms = 250

/** Nobody listens yet, or it is still starting up (57P03) or coming back (57P02, 57P01). */
const not_yet = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EAI_AGAIN', '57P01', '57P02', '57P03'])

/** Faults in DATABASE_URL or in what stands behind it, each with the way out. */
const faults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Its host is not known.',
  ETIMEDOUT: 'Its host does not answer.',
  EHOSTUNREACH: 'Its host does not answer.',
  '28P01': 'It does not take the password.',
  '28000': 'It does not let this user in.',
  '3D000': 'There is no such database: create it first.',
  '42501': 'The user may not create tables: grant it CREATE on the schema.',
}

/** Brings the database to this version; several processes may do so at once. Throws StartRefused where DATABASE_URL is at fault. */
export async function migrateDatabase(database_url: string, log: Log): Promise<void> {
  const deadline = performance.now() + patience_ms
  for (;;) {
    try {
      await migrateOnce(database_url, log)
      return
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (!not_yet.has(code) || performance.now() > deadline) throw explained(error, code)
      log.warn({ code }, 'the database is not there yet; trying again')
      await sleep(pause_ms)
    }
  }
}

async function migrateOnce(database_url: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database_url, application_name: 'demarc-migrate' })
  // a connection that is cut also fails the query under way, which tells; without a listener it would end the process
  client.on('error', () => undefined)
  try {
    await client.connect()
    await migrate(client, migrationsFolder, log)
  } finally {
    await client.end()
  }
}

function explained(error: unknown, code: string): unknown {
  const fault = not_yet.has(code) ? `It did not let us in for ${patience_ms / 1000} s (${code}).` : faults[code]
  if (fault === undefined) return error
  return new StartRefused(`The database cannot be used. ${fault} DATABASE_URL says which one it is.`, { cause: error })
}
