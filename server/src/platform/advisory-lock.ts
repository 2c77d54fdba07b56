import { sql } from 'kysely'
import { inTransaction, type Db } from './db.ts'

/** Key of this advisory lock in the database. */
const insert_lock = 0x0cd2

/** Maximum wait for the lock; a batch takes well under a second. */
const timeout_ms = 60_000

/**
 * Runs one piece of work at a time across all processes that share the database. The lock is released with its transaction,
 * also when the process dies.
 */
export function withAdvisoryLock<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(timeout_ms)}`.execute(tx)
    await sql`set local statement_timeout = ${sql.lit(timeout_ms)}`.execute(tx)
    // the work itself uses other connections
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${sql.lit(insert_lock)})`.execute(tx)
    return await work()
  })
}
