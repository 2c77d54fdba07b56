import { fileURLToPath } from 'node:url'
import { findRestore } from '../backup/store.ts'
import { connectTo, sqlState, type Log } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { whenAvailable } from './available.ts'
import { codeOf } from './refused.ts'

export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Remedies for errors of DATABASE_URL or its server, by error code. */
const explanations: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Its host is unknown.',
  ETIMEDOUT: 'Its host is not responding.',
  EHOSTUNREACH: 'Its host is not responding.',
  '28P01': 'The server rejected the password.',
  '28000': 'The server rejected this user.',
  '3D000': 'The database does not exist. Create it first.',
  '42501': 'The user may not create tables. Grant it CREATE on the schema.',
}

/**
 * Migrates the database to this version. Several processes may do so concurrently. Throws like `whenReachable`, and StartRefused while a
 * restore is unfinished, unless `is_restoring`.
 */
export async function migrateDatabase(
  database_url: string,
  setting: string,
  log: Log,
  { is_restoring = false } = {},
): Promise<void> {
  await whenReachable(setting, log, () => migrateOnce(database_url, log, is_restoring))
}

/**
 * Runs a step of the start over connections of this setting, and retries it while the database is unavailable. Throws
 * StartRefused for an error that the operator can fix.
 */
export async function whenReachable(setting: string, log: Log, step: () => Promise<void>): Promise<void> {
  await whenAvailable(log, () => explaining(setting, step))
}

/** Runs a step once. Throws StartRefused for an error that the operator can fix. */
export async function explaining<T>(setting: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw explained(error, setting)
  }
}

async function migrateOnce(database_url: string, log: Log, is_restoring: boolean): Promise<void> {
  const client = await connectTo(database_url, 'demarc-migrate')
  try {
    if (!is_restoring && (await findRestore(client)))
      throw new StartRefused(
        'A backup was not restored completely here. Run npm run restore again. See docs/operate/backup.md.',
      )
    await migrate(client, migrationsFolder, log)
  } finally {
    await client.end()
  }
}

function explained(error: unknown, setting: string): unknown {
  const explanation = pooler(error) ?? withoutTls(error) ?? explanations[codeOf(error) ?? '']
  if (explanation === undefined) return error
  return new StartRefused(`The database in ${setting} cannot be used. ${explanation}`, { cause: error })
}

/** PgBouncer refuses the settings that a connection to the server itself begins with. */
function pooler(error: unknown): string | undefined {
  if (sqlState(error) !== '08P01' || !(error instanceof Error) || !/startup parameter/.test(error.message))
    return undefined
  return `It leads to a pooler, which refused a connection: ${error.message}. Set DATABASE_DIRECT_URL to the PostgreSQL server itself. See docs/operate/postgresql.md.`
}

/** The driver's error has no code. */
function withoutTls(error: unknown): string | undefined {
  if (!(error instanceof Error && error.message === 'The server does not support SSL connections')) return undefined
  return 'The server offers no TLS, which sslmode requires. Set ssl = on in its postgresql.conf, or correct sslmode.'
}
