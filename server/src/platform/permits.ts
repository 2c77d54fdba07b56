import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Executor, Log } from './db.ts'

/**
 * Limits on what is in progress in all processes together. A permit ends when it is released, or when its lease expires: a
 * killed process's permits are free again after that.
 */

declare module './db.ts' {
  interface Database {
    permit: { name: string; holder: string; amount: string; expires_at: Date }
  }
}

/** A limit: at most this amount is held under the name at the same time. */
export interface PermitLimit {
  name: string
  at_most: number
}

export interface PermitRequest {
  /** The least and the most to acquire under every name. */
  least: number
  most: number
  /** Longer than the work takes: a permit is not renewed. */
  lease_s: number
}

/** `held` is what others held. `release` does not fail: it logs the error, and the permit expires. */
export type Permit = { amount: number; held: number; release(): Promise<void> } | { full: string; held: number }

/** Acquires the amount under every name, or under none. Exact across processes. */
export async function acquirePermit(
  { db, log }: { db: Db; log: Log },
  limits: readonly [PermitLimit, ...PermitLimit[]],
  { least, most, lease_s }: PermitRequest,
): Promise<Permit> {
  const names = limits.map(({ name }) => name)
  const maxima = limits.map(({ at_most }) => at_most)
  const holder = randomUUID()
  const { rows } = await sql<{ name: string; held: string }>`
    select permit_name as name, held from acquire_permits(
      ${names}::text[], ${maxima}::bigint[], ${least}, ${most}, ${holder}, ${lease_s})`.execute(db)
  const before = new Map(rows.map(({ name, held }) => [name, Number(held)]))
  const heldOf = ({ name }: PermitLimit) => before.get(name) ?? 0
  const full = limits.find((limit) => heldOf(limit) + least > limit.at_most)
  if (full) return { full: full.name, held: heldOf(full) }
  const release = async () => {
    try {
      await sql`delete from permit where name = any (${names}::text[]) and holder = ${holder}`.execute(db)
    } catch (error) {
      // the work is done, and its outcome must not depend on this
      log.warn({ err: error, permits: names, lease_s }, 'a permit was not released; it expires with its lease')
    }
  }
  const amount = Math.min(most, ...limits.map((limit) => limit.at_most - heldOf(limit)))
  return { amount, held: heldOf(limits[0]), release }
}

/** Deletes permits whose leases have expired. */
export async function removeExpiredPermits(db: Executor): Promise<void> {
  await sql`delete from permit where expires_at <= now()`.execute(db)
}
