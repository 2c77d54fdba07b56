import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'
import { whenAvailable } from './available.ts'
import { codeOf, StartRefused } from './refused.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Remedies for errors of DATABASE_URL or its server, by error code. */
const explanations: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Its host is unknown.',
  ETIMEDOUT: 'Its host does not respond.',
  EHOSTUNREACH: 'Its host does not respond.',
  '28P01': 'The server rejected the password.',
  '28000': 'The server rejected this user.',
  '3D000': 'The database does not exist. Create it first.',
  '42501': 'The user may not create tables. Grant it CREATE on the schema.',
}

/**
 * Migrates the database to this version. Several processes may do so concurrently. Throws StartRefused for an error that the
 * operator can fix.
 */
export async function migrateDatabase(database_url: string, log: Log): Promise<void> {
  await whenAvailable(log, () =>
    migrateOnce(database_url, log).catch((error: unknown) => {
      throw explained(error)
    }),
  )
}

async function migrateOnce(database_url: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database_url, application_name: 'demarc-migrate' })
  // a lost connection also rejects the current query; without a listener, the error event would crash the process
  client.on('error', () => undefined)
  try {
    await client.connect()
    await migrate(client, migrationsFolder, log)
  } finally {
    await client.end()
  }
}

function explained(error: unknown): unknown {
  const explanation = explanations[codeOf(error) ?? '']
  if (explanation === undefined) return error
  return new StartRefused(`The database in DATABASE_URL cannot be used. ${explanation}`, {
    cause: error,
  })
}
