import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../platform/db.ts'

/**
 * Locks of call records, by account. Inserting or counting the records of an account excludes others. Locks of a transaction,
 * because a transaction pooler has no others; they end with its connection, also when the process dies.
 */

/** Key of the lock that everyone shares, and class of the locks of shards. */
const lock_key = 0x0cd2

/**
 * Accounts share this many locks. An insert of many accounts takes most of them, which PostgreSQL's lock table has room for;
 * more of them let more inserts of a few accounts run at the same time.
 */
export const lock_shards = 64

/** Maximum wait for the locks; a batch takes well under a second. */
const lock_timeout_ms = 60_000

/**
 * Runs work in a transaction that locks these accounts, or all. `time` returns PostgreSQL's time in microseconds: greater each
 * time, even if the clock is set back, or the transaction rolls back. It fails once the locks are lost.
 */
export function withAccountsLocked<T>(
  db: Db,
  accounts: Iterable<string> | 'all',
  work: (tx: Tx, time: () => Promise<number>) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    await allowToWait(tx, lock_timeout_ms)
    await (accounts === 'all' ? lockAll(tx) : lockShards(tx, shardsOf(accounts)))
    return await work(tx, () => time(tx))
  })
}

/**
 * Lets a transaction wait this long for its locks, and then be idle for as long as it holds them: what it excludes others from uses
 * other connections.
 */
export async function allowToWait(tx: Tx, timeout_ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(timeout_ms)}, true),
    set_config('statement_timeout', ${String(timeout_ms)}, true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(tx)
}

async function lockAll(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lock_key)})`.execute(tx)
}

/** In ascending order, so that two transactions never wait for each other. */
async function lockShards(tx: Tx, shards: readonly number[]): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(lock_key)})`.execute(tx)
  await sql`select pg_advisory_xact_lock(${sql.lit(lock_key)}, shard) from unnest(${shards}::int[]) as shard`.execute(
    tx,
  )
}

/** The shards of the accounts, each once, ascending. */
export function shardsOf(accounts: Iterable<string>): number[] {
  const shards = new Set<number>()
  for (const account_id of accounts) shards.add(Number(BigInt(account_id) % BigInt(lock_shards)))
  return [...shards].toSorted((a, b) => a - b)
}

/** A sequence does not roll back. It follows the clock, and counts on by one while the clock is behind. */
async function time(tx: Tx): Promise<number> {
  const { rows } = await sql<{ us: string }>`select setval('cdr_arrival',
    greatest(nextval('cdr_arrival'), (extract(epoch from clock_timestamp()) * 1000000)::bigint)) as us`.execute(tx)
  return Number(rows[0]?.us)
}
