import { sql } from 'kysely'
import { inTransaction, type Db, type Executor } from './db.ts'
import type { Vault } from './secrets.ts'

/**
 * Counts in windows of time, for all processes together. A window starts with the first count and has a fixed length. Times are
 * the database's.
 */

declare module './db.ts' {
  interface Database {
    window_count: { key: string; used: number; resets_at: Date }
  }
}

/** A limit of one key: this many points in each window. */
export interface WindowLimit {
  key: string
  points: number
  duration_s: number
}

export interface WindowCount {
  used: number
  resets_in_ms: number
}

/** Keys of one limit whose subjects strangers choose. Two subjects share a count with a probability of one in this number. */
const shared_keys = 2 ** 18

/**
 * The key of a count whose subjects strangers can choose, such as networks and email addresses. There are 262,144 per limit, so
 * nobody can fill the table, and it stores no address. The hash is keyed, so nobody can choose a subject that shares a count
 * with another.
 */
export const boundedKey = ({ mac }: Pick<Vault, 'mac'>, limit: string, subject: string): string =>
  `${limit} ~${mac(`count:${subject}`).readUInt32BE(0) % shared_keys}`

/** Adds points to counts with distinct keys, and returns each count with them. */
export async function addToCounts(
  db: Executor,
  additions: readonly { key: string; points: number; duration_s: number }[],
): Promise<ReadonlyMap<string, WindowCount>> {
  const values = [
    additions.map(({ key }) => key),
    additions.map(({ points }) => points),
    additions.map(({ duration_s }) => duration_s),
  ] as const
  // in one order, so that two statements cannot wait for each other
  const { rows } = await sql<WindowCount & { key: string }>`
    insert into window_count as c (key, used, resets_at)
    select key, points, now() + make_interval(secs => duration_s)
    from unnest(${values[0]}::text[], ${values[1]}::int[], ${values[2]}::int[]) as added (key, points, duration_s)
    order by key
    on conflict (key) do update set
      used = case when c.resets_at > now() then c.used else 0 end + excluded.used,
      resets_at = case when c.resets_at > now() then c.resets_at else excluded.resets_at end
    returning key, used, greatest(0, extract(epoch from resets_at - now()) * 1000)::float8 as resets_in_ms`.execute(db)
  return new Map(rows.map(({ key, used, resets_in_ms }) => [key, { used, resets_in_ms }]))
}

class LimitReached extends Error {
  readonly wait_ms: number
  constructor(wait_ms: number) {
    super('a limit is reached')
    this.wait_ms = wait_ms
  }
}

/**
 * Counts one against every limit, or against none if one of them is reached. Returns how long to wait in that case, otherwise 0.
 * Exact across processes. It has its own transaction, so the count stays if the caller's is rolled back.
 */
export async function countAgainstAll(db: Db, limits: readonly WindowLimit[]): Promise<number> {
  try {
    await inTransaction(db, async (tx) => {
      const counts = await addToCounts(
        tx,
        limits.map((limit) => ({ ...limit, points: 1 })),
      )
      const waits_ms = limits.map(({ key, points }) => {
        const count = counts.get(key)
        return count && count.used > points ? Math.max(1, count.resets_in_ms) : 0
      })
      const wait_ms = Math.max(...waits_ms)
      if (wait_ms > 0) throw new LimitReached(wait_ms)
    })
    return 0
  } catch (error) {
    if (error instanceof LimitReached) return error.wait_ms
    throw error
  }
}

/** Takes one point off these counts, unless their windows have ended. */
export async function giveBack(db: Executor, keys: readonly string[]): Promise<void> {
  await sql`
    update window_count as c set used = c.used - 1 from (
      select key from window_count where key = any (${keys}::text[]) and used > 0 and resets_at > now()
      order by key for update) as counted
    where c.key = counted.key`.execute(db)
}

const removed_at_once = 10_000

/** Deletes counts whose windows have ended. */
export async function removeExpiredCounts(db: Executor): Promise<void> {
  for (;;) {
    // skips locked rows, because waiting for one while holding others could deadlock with a count of several
    const { numAffectedRows = 0n } = await sql`
      delete from window_count where key in (
        select key from window_count where resets_at <= now() limit ${removed_at_once} for update skip locked)`.execute(
      db,
    )
    if (numAffectedRows < removed_at_once) return
  }
}
