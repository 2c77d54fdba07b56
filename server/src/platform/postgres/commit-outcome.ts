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
import { DatabaseSilent } from './silence.ts'

/**
 * A connection that is lost during COMMIT leaves open whether the transaction was committed. Its id, read in the round trip of
 * BEGIN (about 15 µs), lets another connection ask for its outcome.
 */

/** How long the outcome is asked for; a client that has no response after about 5 s assumes that there is none. */
const timeout_ms = 4_000
const retry_ms = 100

/**
 * Changes when the server was restarted or has recovered from a crash, which resets its statistics: transaction ids whose WAL
 * was lost are assigned again then, and the outcome would be that of somebody else's transaction.
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

/** Whether a transaction was committed could not be found out. */
export class OutcomeUnknown extends AggregateError {
  override name = 'OutcomeUnknown'
  constructor(lost: CommitLost, reason: unknown) {
    super([lost, reason], 'It is unknown whether the transaction was committed.')
  }
}

/** Kysely's dialect; a transaction whose COMMIT gets no response throws CommitLost. */
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
    // after a lost COMMIT there is nobody to send it to, and its error would replace CommitLost
    if (this.#open.delete(connection)) await super.rollbackTransaction(connection)
  }
}

/** SQLSTATE classes of a server that stops (57P), or ends in a crash: the session has ended, or may have. */
const sessionEnded = /^(57P|08|53|58|XX)/

/** False for errors of a COMMIT that was refused, such as a deferred constraint. */
function mayHaveCommitted(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return sessionEnded.test(error.code ?? '')
  return !isAbortedTransactionError(error)
}

export type Outcome = { committed: boolean } | { unknown: unknown }

/** Asks for the outcome over another connection until it is known, `timeout_ms` at most. `unknown` is why it is not. */
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
      // whatever prevents the question may be over at the next one, and leaves the outcome unknown otherwise
      unknown = error
      // the client has been waiting for as long already
      if (error instanceof DatabaseSilent) break
    } finally {
      timeout.abort()
    }
    await sleep(retry_ms)
  }
  return { unknown }
}

interface Found {
  status: 'committed' | 'aborted' | 'in progress' | null
  incarnation: string
}

/** Undefined while the transaction is in progress. */
async function askOnce<DB>(db: Kysely<DB>, { xid, incarnation: before }: TransactionId): Promise<Outcome | undefined> {
  let found: Found | undefined
  try {
    const asked = sql<Found>`select pg_xact_status(${xid}::xid8) as status, ${sql.raw(incarnation)} as incarnation`
    found = (await asked.execute(db)).rows[0]
  } catch (error) {
    // 22023: the id is in the future, so a crash has lost the transaction
    if (error instanceof pg.DatabaseError && error.code === '22023') return { committed: false }
    throw error
  }
  if (found?.status === 'aborted') return { committed: false }
  const same_server = found?.incarnation === before
  if (found?.status === 'in progress') {
    // the id was assigned again after a crash, which has lost the transaction
    if (!same_server) return { committed: false }
    // the COMMIT has not arrived, or is still being written: ending the session decides it either way
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where backend_xid = ${xid}::xid8::xid`.execute(db)
    return undefined
  }
  if (found?.status === 'committed' && same_server) return { committed: true }
  return { unknown: new Error('the server has restarted since') }
}
