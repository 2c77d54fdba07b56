import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  isAbortedTransactionError,
  PostgresDialect,
  PostgresDriver,
  sql,
  type DatabaseConnection,
  type Kysely,
  type PostgresDialectConfig,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { DatabaseSilent } from './fail-fast.ts'
import { serverErrorOf } from './server-errors.ts'

/**
 * If the connection is lost during COMMIT, the client cannot know whether the transaction was committed. The transaction id,
 * read in the same round trip as BEGIN (about 15 µs), lets another connection ask.
 */

/** How long to ask for the outcome. A client without a response after about 5 s gives up. */
const timeout_ms = 4_000
const retry_ms = 100

/**
 * Changes when the server restarts or recovers from a crash, which resets its statistics. After a crash, PostgreSQL reassigns
 * transaction ids whose WAL was lost, so an id's outcome might be that of another transaction.
 */
export const incarnation = `pg_postmaster_start_time()::text || ' ' || coalesce(pg_stat_get_bgwriter_stat_reset_time()::text, '')`

interface TransactionId {
  xid: string
  incarnation: string
}

/** The connection was lost during COMMIT; `cause` is the error. */
export class CommitLost extends Error {
  override name = 'CommitLost'
  readonly transaction: TransactionId
  constructor(transaction: TransactionId, cause: unknown) {
    super('The connection was lost during COMMIT.', { cause })
    this.transaction = transaction
  }
}

/** Thrown when asking did not reveal whether a transaction was committed. */
export class OutcomeUnknown extends AggregateError {
  override name = 'OutcomeUnknown'
  constructor(lost: CommitLost, reason: unknown) {
    super([lost, reason], 'It is unknown whether the transaction was committed.')
  }
}

/** Kysely's dialect, except that a transaction whose COMMIT gets no response throws CommitLost. */
export class OutcomeDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): PostgresDriver {
    return new OutcomeDriver(this.#config)
  }
}

class OutcomeDriver extends PostgresDriver {
  readonly #open = new WeakMap<DatabaseConnection, TransactionId>()

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    const isolation = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`
    const access = settings.accessMode === undefined ? '' : ` ${settings.accessMode}`
    const statements = `start transaction${isolation}${access}; select pg_current_xact_id()::text as xid, ${incarnation} as incarnation`
    const { rows } = await connection.executeQuery<TransactionId>(CompiledQuery.raw(statements))
    if (rows[0]) this.#open.set(connection, rows[0])
  }

  override async commitTransaction(connection: DatabaseConnection) {
    const transaction = this.#open.get(connection)
    try {
      await super.commitTransaction(connection)
    } catch (error) {
      if (transaction === undefined || !mayHaveCommitted(error)) throw error
      this.#open.delete(connection)
      throw new CommitLost(transaction, error)
    }
  }

  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]) {
    // after a lost COMMIT the connection is gone, and the ROLLBACK's error would replace CommitLost
    if (this.#open.delete(connection)) await super.rollbackTransaction(connection)
  }
}

/** Errors of a server that is stopping or crashing: the session may have ended. */
const sessionEnded = new Set<unknown>(['ended', 'resources', 'broken'])

/** False for a COMMIT that PostgreSQL refused, for example because of a deferred constraint. */
function mayHaveCommitted(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return sessionEnded.has(serverErrorOf(error))
  return !isAbortedTransactionError(error)
}

export type Outcome = { committed: boolean } | { unknown: unknown }

/**
 * Asks for the outcome over another connection until it is known, for at most `timeout_ms`. `unknown` is the reason if it is
 * not.
 */
export async function commitOutcome<DB>(db: Kysely<DB>, transaction: TransactionId): Promise<Outcome> {
  const deadline = performance.now() + timeout_ms
  let unknown: unknown = new Error(`no response within ${timeout_ms / 1000} s`)
  while (performance.now() < deadline) {
    const timeout = new AbortController()
    try {
      const waited = sleep(deadline - performance.now(), undefined, { signal: timeout.signal })
      const outcome = await Promise.race([askOnce(db, transaction), waited])
      if (outcome) return outcome
    } catch (error) {
      // the next attempt may succeed; if none does, the outcome stays unknown
      unknown = error
      // the client has already waited just as long
      if (error instanceof DatabaseSilent) break
    } finally {
      timeout.abort()
    }
    await sleep(retry_ms)
  }
  return { unknown }
}

interface Found {
  /** Null for a transaction too old to be known, and on a standby. */
  status: 'committed' | 'aborted' | 'in progress' | null
  in_recovery: boolean
  incarnation: string
}

/** Undefined while the transaction is in progress. A standby does not know the outcome: it may not have replayed the COMMIT yet. */
async function askOnce<DB>(db: Kysely<DB>, { xid, incarnation: before }: TransactionId): Promise<Outcome | undefined> {
  let found: Found | undefined
  try {
    const asked = sql<Found>`
      select case when not pg_is_in_recovery() then pg_xact_status(${xid}::xid8) end as status,
        pg_is_in_recovery() as in_recovery, ${sql.raw(incarnation)} as incarnation`
    found = (await asked.execute(db)).rows[0]
  } catch (error) {
    // 22023: the id is in the future, so a crash lost the transaction
    if (error instanceof pg.DatabaseError && error.code === '22023') return { committed: false }
    throw error
  }
  if (found?.in_recovery === true) return undefined
  if (found?.status === 'aborted') return { committed: false }
  const same_server = found?.incarnation === before
  if (found?.status === 'in progress') {
    // the id was reassigned after a crash that lost the transaction
    if (!same_server) return { committed: false }
    // the COMMIT has not arrived or is still being written; ending the session forces an outcome
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where backend_xid = ${xid}::xid8::xid`.execute(db)
    return undefined
  }
  if (found?.status === 'committed' && same_server) return { committed: true }
  return { unknown: new Error('the server has restarted since') }
}
