import { sql } from 'kysely'
import { eventually } from './eventually.ts'
import type { TestServer } from './server.ts'

/** Waits until as many statements of the test's database wait for a lock. */
export const untilBlocked = ({ db }: Pick<TestServer, 'db'>, count = 1): Promise<void> =>
  eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
    return rows.length >= count
  })
