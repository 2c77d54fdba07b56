import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../platform/db.ts'
import { migrate } from '../platform/migrate.ts'

export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Brings the database to this version; several processes may do so at once. */
export async function migrateDatabase(database_url: string, log: Log): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: 1, application_name: 'demarc-migrate' })
  try {
    await migrate(pool, migrationsFolder, log)
  } finally {
    await pool.end()
  }
}
