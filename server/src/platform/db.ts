import { CompiledQuery, Kysely, type IsolationLevel, type PostgresPool, type Transaction } from 'kysely'
import pg from 'pg'
import { commitOutcome, CommitLost, OutcomeDialect, OutcomeUnknown } from './postgres/commit-outcome.ts'
import { connectionConfig, type Connection } from './postgres/connection.ts'
import type { Log } from './postgres/log.ts'
import { StatementPool, type StatementPoolOptions } from './postgres/named-statements.ts'
import { PipelinedReads, type ReadValue } from './postgres/pipelined-reads.ts'

export type { Connection } from './postgres/connection.ts'
export type { Log } from './postgres/log.ts'
export { OutcomeUnknown } from './postgres/commit-outcome.ts'
export { DatabaseSilent } from './postgres/silence.ts'
export { DatabaseBusy } from './postgres/waits.ts'
export { listen, type Listener, type ListenOptions } from './postgres/listen.ts'

/** All tables. Each feature's `tables.ts` adds its own: `declare module './db.ts' { interface Database { … } }`. */
// oxlint-disable-next-line typescript/no-empty-interface -- open for declaration merging
export interface Database {}

export type Db = Kysely<Database>
export type Tx = Transaction<Database>
/** What store functions take: the database or a transaction. */
export type Executor = Kysely<Database>

export interface DatabaseOptions {
  connection: Connection
  /** Maximum connections; default 10. */
  pool_size?: number
  /** Shown in `pg_stat_activity`; default `demarc`. */
  application_name?: string
  /** Maximum duration of one statement; default 15,000. */
  statement_timeout_ms?: number
  /** Maximum wait for a row or table lock; default 5,000. */
  lock_timeout_ms?: number
  /** Maximum idle time inside an open transaction; default 30,000. */
  idle_in_transaction_timeout_ms?: number
  /** Maximum wait for a connection, new or from the pool; default 10,000. */
  connect_timeout_ms?: number
  /** Once a request has waited this long for a connection, further statements are refused with DatabaseBusy; default: never. */
  longest_wait_ms?: number
  log: Log
}

export interface DatabaseHandle {
  db: Db
  /** For what Kysely does not cover (COPY, migrations). Its statements are unnamed and bounded only by the server's timeouts. */
  pool: pg.Pool
  /** While the server is silent, running statements are aborted and new ones refused with DatabaseSilent. */
  setSilent(silent: boolean): void
  /** The longest current wait for a connection. */
  longestWait_ms(): number
  /** Waits for checked-out connections and closes all. Safe to call twice. */
  close(): Promise<void>
}

/** Grace on top of PostgreSQL's own statement timeout before the connection counts as lost. */
const SILENCE_GRACE_MS = 10_000
const STATEMENT_TIMEOUT_MS = 15_000
const IDLE_CONNECTION_MS = 60_000
/** Lets long-running processes notice DNS changes, and frees the memory of old server processes. */
const CONNECTION_LIFETIME_S = 3_600

/** Opens a pool. Connects lazily, so a wrong address shows at the first statement. */
export function openDatabase(options: DatabaseOptions): DatabaseHandle {
  const { log, statement_timeout_ms = STATEMENT_TIMEOUT_MS } = options
  const pool = new pg.Pool({
    ...connectionConfig(options.connection),
    max: options.pool_size ?? 10,
    application_name: options.application_name ?? 'demarc',
    statement_timeout: statement_timeout_ms,
    lock_timeout: options.lock_timeout_ms ?? 5_000,
    idle_in_transaction_session_timeout: options.idle_in_transaction_timeout_ms ?? 30_000,
    connectionTimeoutMillis: options.connect_timeout_ms ?? 10_000,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    maxLifetimeSeconds: CONNECTION_LIFETIME_S,
    pipeline: true,
  })
  let closing: Promise<void> | undefined
  const silence_ms = statement_timeout_ms + SILENCE_GRACE_MS
  const { db, statements } = ofPool(pool, { silence_ms, longest_wait_ms: options.longest_wait_ms })
  // Without a listener, an error on an idle connection would end the process. While the pool closes, the server may close
  // its connections first.
  pool.on('error', (error) => {
    if (!closing) log.warn({ err: error }, 'an idle database connection was lost')
  })
  // an error on a checked-out connection between two statements would too; the next statement fails then
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    db,
    pool,
    setSilent: (silent) => statements.silence.set(silent),
    longestWait_ms: () => statements.waits.longest_ms(),
    close() {
      closing ??= pool.end()
      return closing
    },
  }
}

/** One instance per pool, because prepared statement names belong to its connections. */
const queries = new WeakMap<pg.Pool, { db: Db; statements: StatementPool }>()

/** The Kysely instance of an existing pool, always the same one for the same pool. */
export const kyselyForPool = (pool: pg.Pool): Db => ofPool(pool).db

function ofPool(pool: pg.Pool, options: Partial<StatementPoolOptions> = {}): { db: Db; statements: StatementPool } {
  const known = queries.get(pool)
  if (known) return known
  const statements = new StatementPool(pool, { silence_ms: STATEMENT_TIMEOUT_MS + SILENCE_GRACE_MS, ...options })
  const db: Db = new Kysely<Database>({
    dialect: new OutcomeDialect({ pool: statements.forKysely(), controlClient: pg.Client }),
  })
  queries.set(pool, { db, statements })
  pipelines.set(db, new PipelinedReads(statements))
  return { db, statements }
}

/**
 * Opens a connection with a pool's settings but outside of it, for COPY, which a pipelined connection refuses. The caller ends
 * it. Like those of the pool, it breaks when the server goes silent.
 */
export async function openConnection(pool: pg.Pool): Promise<pg.Client> {
  const { options } = pool
  // pg-pool hides the password from enumeration
  const client = new pg.Client({ ...options, password: options.password, pipeline: false })
  client.on('error', () => undefined)
  const { silence } = ofPool(pool).statements
  silence.add(client)
  client.once('end', () => silence.delete(client))
  await client.connect()
  return client
}

/** Runs a pool's short reads. A transaction runs its own. */
const pipelines = new WeakMap<Executor, PipelinedReads>()

/** The rows of a short select with a constant text, see `PipelinedReads`. Within a transaction, the rows that it sees. */
export async function readRows<R>(db: Executor, text: string, values: readonly ReadValue[]): Promise<R[]> {
  const pipeline = pipelines.get(db)
  if (pipeline) return await pipeline.read<R>(text, values)
  return (await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))).rows
}

/** Work to do once a transaction has committed. */
const after_commit = new WeakMap<Executor, ((db: Db) => void)[]>()

/**
 * Calls `work` after the transaction commits, and never if it rolls back; immediately for an executor that is not a transaction
 * of `inTransaction`. The work must not fail, and may be lost if the process is killed.
 */
export function afterCommit(executor: Executor, work: (db: Db) => void): void {
  const waiting = after_commit.get(executor)
  if (waiting) waiting.push(work)
  else work(executor)
}

/** A Kysely instance on a single connection, for a transaction that also needs what Kysely does not cover. */
export function kyselyForClient(client: pg.ClientBase): Db {
  const connection = {
    query: (text: string, parameters: readonly unknown[]) => client.query(text, [...parameters]),
    release: () => undefined,
  }
  // Kysely calls query() with a cursor only when given a cursor class, which it is not
  const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve() } as unknown as PostgresPool
  return new Kysely<Database>({ dialect: new OutcomeDialect({ pool }) })
}

/**
 * Runs `fn` in one transaction: commits its result, rolls back on an exception. The default isolation is read committed. If the
 * connection is lost during COMMIT, the outcome is queried over another connection: a committed result is returned, an
 * uncommitted one throws the connection's error, and OutcomeUnknown is thrown if neither can be determined.
 */
export async function inTransaction<T>(
  db: Db,
  fn: (tx: Tx) => Promise<T>,
  options: { isolation?: IsolationLevel } = {},
): Promise<T> {
  const then: ((db: Db) => void)[] = []
  const result = await committed(
    db,
    (tx) => {
      after_commit.set(tx, then)
      return fn(tx)
    },
    options,
  )
  for (const work of then) work(db)
  return result
}

/** The result of `fn` in a committed transaction. Throws like `inTransaction`. */
async function committed<T>(db: Db, fn: (tx: Tx) => Promise<T>, options: { isolation?: IsolationLevel }): Promise<T> {
  const plain = db.transaction()
  const transaction = options.isolation ? plain.setIsolationLevel(options.isolation) : plain
  let done: { result: T } | undefined
  try {
    return await transaction.execute(async (tx) => {
      const result = await fn(tx)
      done = { result }
      return result
    })
  } catch (error) {
    if (!(error instanceof CommitLost) || !done) throw error
    const outcome = await commitOutcome(db, error.transaction)
    if ('unknown' in outcome) throw new OutcomeUnknown(error, outcome.unknown)
    if (!outcome.committed) throw error.cause
    return done.result
  }
}

/** The five-character SQLSTATE of a Postgres error (`23505` unique, `23503` foreign key, …), undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The constraint that refused the statement, by name; undefined for any other error. */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}
