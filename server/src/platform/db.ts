import { CompiledQuery, Kysely, sql, type PostgresPool, type Transaction } from 'kysely'
import pg from 'pg'
import { commitOutcome, CommitLost, OutcomeDialect, OutcomeUnknown } from './postgres/commit-outcome.ts'
import type { Connection } from './postgres/connection.ts'
import type { Log } from './postgres/log.ts'
import { isServerLost, ServerLost, type PoolConnections } from './postgres/lost-server.ts'
import { StatementPool, type StatementPoolOptions } from './postgres/named-statements.ts'
import { PipelinedReads, type ReadValue } from './postgres/pipelined-reads.ts'
import { connectClient, Route, RoutedPool } from './postgres/route.ts'
import { sessionLimits } from './postgres/session-settings.ts'

export type { Connection } from './postgres/connection.ts'
export type { Log } from './postgres/log.ts'
export { OutcomeUnknown } from './postgres/commit-outcome.ts'
export { DatabaseBusy, DatabaseSilent } from './postgres/fail-fast.ts'
export { isStaleStatement } from './postgres/named-statements.ts'
export { NoMatchingServer } from './postgres/route.ts'
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
  /**
   * The same database past a pooler in transaction mode. The pool then sends no timeouts: the role must have them (see
   * `sessionProblems`). Null if `connection` leads to the server itself; the default.
   */
  direct?: Connection | null | undefined
  /** Whether repeated statements are prepared; default true. */
  prepared?: boolean
  /** Maximum connections; default 10. */
  pool_size?: number
  /** Shown in `pg_stat_activity`; default `demarc`. */
  application_name?: string
  /** Maximum duration of one statement; default 15,000. */
  statement_timeout_ms?: number
  /** Maximum wait for a row or table lock; default 5,000. */
  lock_timeout_ms?: number
  /** Maximum wait for a connection, new or from the pool; default 10,000. */
  connect_timeout_ms?: number | undefined
  /** Once a request has waited this long for a connection, further statements are refused with DatabaseBusy; default: never. */
  longest_wait_ms?: number
  /** Whether the server is a read replica; default false. */
  replica?: boolean
  log: Log
}

export interface DatabaseHandle {
  db: Db
  /** For what Kysely does not cover (COPY, migrations). Its statements are unnamed and bounded only by the server's timeouts. */
  pool: pg.Pool
  /** While the server is silent, running statements are aborted and new ones refused with DatabaseSilent. */
  setSilent(silent: boolean): void
  /** Closes connections that may lead to a server that is no longer the primary. New ones are opened when they are needed. */
  leaveServer(): void
  /** The longest current wait for a connection. */
  longestWait_ms(): number
  /** Waits for checked-out connections and closes all. Safe to call twice. */
  close(): Promise<void>
}

/** Grace on top of PostgreSQL's own statement timeout before the connection counts as lost. */
const SILENCE_GRACE_MS = 10_000
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_CONNECTION_MS = 60_000
/** Lets long-running processes notice DNS changes, and frees the memory of old server processes. */
const CONNECTION_LIFETIME_S = 3_600

/** Opens a pool. Connects lazily, so a wrong address shows at the first statement. */
export function openDatabase(options: DatabaseOptions): DatabaseHandle {
  const { log, connection, direct = null, statement_timeout_ms = sessionLimits.statement_timeout } = options
  const common = {
    application_name: options.application_name ?? 'demarc',
    connectionTimeoutMillis: options.connect_timeout_ms ?? CONNECT_TIMEOUT_MS,
  }
  const limits = {
    statement_timeout: statement_timeout_ms,
    lock_timeout: options.lock_timeout_ms ?? sessionLimits.lock_timeout,
    idle_in_transaction_session_timeout: sessionLimits.idle_in_transaction_session_timeout,
  }
  const pool = new RoutedPool(new Route(connection, { pooled: direct !== null }), {
    ...common,
    ...(direct === null && limits),
    max: options.pool_size ?? 10,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    maxLifetimeSeconds: CONNECTION_LIFETIME_S,
    pipeline: true,
  })
  let closing: Promise<void> | undefined
  const silence_ms = statement_timeout_ms + SILENCE_GRACE_MS
  const { longest_wait_ms, prepared, replica } = options
  const { db, statements } = ofPool(pool, { silence_ms, longest_wait_ms, prepared, replica })
  dedicated.set(pool, () => connectClient(new Route(direct ?? connection), { ...common, ...limits }))
  // Without a listener, an error on an idle connection would end the process. While the pool closes, the server may close
  // its connections first.
  pool.on('error', (error) => {
    if (closing || error instanceof ServerLost) return
    log.warn({ err: error }, 'an idle database connection was lost')
    if (isServerLost(error)) statements.connections.drop()
  })
  return {
    db,
    pool,
    setSilent: (silent) => statements.silence.set(silent),
    leaveServer: () => statements.connections.drop(),
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

/** The pool with its limits and statement names, as Kysely needs it. */
export const poolForKysely = (pool: pg.Pool): PostgresPool => ofPool(pool).statements.forKysely()

function ofPool(pool: pg.Pool, options: Partial<StatementPoolOptions> = {}): { db: Db; statements: StatementPool } {
  const known = queries.get(pool)
  if (known) return known
  const statements = new StatementPool(pool, {
    silence_ms: sessionLimits.statement_timeout + SILENCE_GRACE_MS,
    ...options,
  })
  const db: Db = new Kysely<Database>({
    dialect: new OutcomeDialect({ pool: statements.forKysely(), controlClient: pg.Client }),
  })
  queries.set(pool, { db, statements })
  pipelines.set(db, new PipelinedReads(statements))
  connections.set(db, statements.connections)
  return { db, statements }
}

/** Connects like a pool of `openDatabase`, but past a pooler. */
const dedicated = new WeakMap<pg.Pool, () => Promise<pg.Client>>()

/**
 * Opens a connection with a pool's settings but outside of it, for COPY, which a pipelined connection refuses, and for locks of a
 * session, which a pooler would give to anyone. The caller ends it. Like those of the pool, it breaks when the server goes silent.
 */
export async function openConnection(pool: pg.Pool): Promise<pg.Client> {
  const connect = dedicated.get(pool)
  if (!connect) throw new Error('The pool was not opened by openDatabase.')
  const { silence } = ofPool(pool).statements
  silence.throwIfSilent()
  const client = await connect()
  silence.add(client)
  client.once('end', () => silence.delete(client))
  return client
}

/** Opens its own connection, without the timeouts of a pool. The caller ends it. */
export function connectTo(connection: Connection, application_name: string): Promise<pg.Client> {
  return connectClient(new Route(connection), { application_name, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
}

/** Notifies the listeners of a channel over the pool, like an action that commits. */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

/** The connections of a pool. */
const connections = new WeakMap<Executor, PoolConnections>()

/**
 * How many results of this pool's statements came from a server that refuses writes. It may have been replaced, and not have what
 * its successor has.
 */
export const staleResults = (db: Db): number => connections.get(db)?.stale_results ?? 0

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
 * Runs `fn` in one transaction: commits its result, rolls back on an exception. The isolation is read committed. If the
 * connection is lost during COMMIT, the outcome is queried over another connection: a committed result is returned, an
 * uncommitted one throws the connection's error, and OutcomeUnknown is thrown if neither can be determined.
 */
export async function inTransaction<T>(db: Db, fn: (tx: Tx) => Promise<T>): Promise<T> {
  const then: ((db: Db) => void)[] = []
  const result = await committed(db, (tx) => {
    after_commit.set(tx, then)
    return fn(tx)
  })
  for (const work of then) work(db)
  return result
}

/** The result of `fn` in a committed transaction. Throws like `inTransaction`. */
async function committed<T>(db: Db, fn: (tx: Tx) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined
  try {
    return await db.transaction().execute(async (tx) => {
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
