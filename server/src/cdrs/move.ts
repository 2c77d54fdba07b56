import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, placing, type Shards, type ShardSums, type Warehouse } from '../engines/call-records/index.ts'
import { inTransaction, type Db } from '../platform/db.ts'
import { listMonths } from './ledger-store.ts'
import { withAccountsLocked } from './lock-store.ts'
import * as store from './move-store.ts'
import { placementSource } from './placements.ts'
import { findPlacements } from './placement-store.ts'
import { compareSums } from './rules.ts'

/**
 * Moves the call records of an account to another shard, while ingest and exports go on:
 *
 *   copy the months and claims → under the account's lock: copy what arrived meanwhile, compare the sums of every month, switch
 *   → let queries of the old shard end → compare again → delete the old copy
 *
 * Until the switch, everyone uses the old shard; after it, the new one. The switch is a row in PostgreSQL, copied to every server of the
 * store. If that is interrupted, some servers may use the old shard and some the new one: readers find the same records on both, and an
 * insert first completes the copy, because the row is not confirmed (placements.ts).
 *
 * Every step can be repeated, so a move that was interrupted continues when it is started again: a record that is copied twice is the
 * same record to every reader, and the old copy is deleted only after the new one was found to have all of it.
 */

export type MoveReport = { months: number; num_calls: number; locked_ms: number }

/** The move cannot start or must not end. The message has the reason and what to do. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
}

export interface MoveOptions {
  /** How long queries that began on the old shard may take. */
  grace_ms?: number
  onProgress?: (text: string) => void
}

type Moving = { db: Db; shards: Shards; move: store.Move; onProgress: (text: string) => void }

/** Copies without the lock, until little is left to copy with it. */
const passes = 3

/** Moves an account's call records to a shard, from 0, or continues to. Throws MoveRefused, and the store's errors. */
export async function moveAccount(
  db: Db,
  { shards }: Warehouse,
  { account_id, shard }: { account_id: string; shard: number },
  { grace_ms = LIMITS.query_seconds * 1000, onProgress = () => undefined }: MoveOptions = {},
): Promise<MoveReport> {
  if (shards === null) throw new MoveRefused('The call-record store has no shards.')
  const count = await shards.count()
  if (!(shard < count)) throw new MoveRefused(`The call-record store has ${count} shards, numbered from 0.`)
  const move = await openMove(db, account_id, shard)
  const moving = { db, shards, move, onProgress }
  const locked_ms = move.state === 'copying' ? await copyAndSwitch(moving) : 0
  await completeSwitch(db, shards, account_id)
  await sleep(Math.max(0, grace_ms - (await store.msSinceSwitch(db, account_id))))
  const months = await removeOld(moving)
  await store.finishMove(db, account_id)
  return { months: months.length, num_calls: months.reduce((sum, { num_calls }) => sum + num_calls, 0), locked_ms }
}

async function openMove(db: Db, account_id: string, shard: number): Promise<store.Move> {
  const [placement] = await findPlacements(db, [account_id])
  if (placement === undefined) throw new MoveRefused(`Account ${account_id} has no call records.`)
  if (placement.shard !== shard) await store.startMove(db, { account_id, from_shard: placement.shard, to_shard: shard })
  const move = await store.findMove(db, account_id)
  if (move === undefined) throw new MoveRefused(`The call records of account ${account_id} are on shard ${shard}.`)
  if (move.to_shard !== shard)
    throw new MoveRefused(`Account ${account_id} is being moved to shard ${move.to_shard}. Complete that move first.`)
  return move
}

/** Returns for how long inserts of the account waited, in milliseconds. */
async function copyAndSwitch(moving: Moving): Promise<number> {
  const { db, move } = moving
  for (let pass = 1; pass <= passes; pass += 1) {
    const until = await withNothingInFlight(moving, (now) => Promise.resolve(now()))
    if ((await copyMissing(moving, until)) === 0) break
  }
  let locked_ms = 0
  await withNothingInFlight(moving, async (now) => {
    const began = performance.now()
    const until = await now()
    await copyMissing(moving, until)
    await requireRecorded(moving, await requireSame(moving, until))
    // committed before the store learns of it, and still under the lock
    await inTransaction(db, (tx) => store.switchMove(tx, move, until))
    await completeSwitch(db, moving.shards, move.account_id)
    locked_ms = Math.round(performance.now() - began)
  })
  return locked_ms
}

/** Runs work under the account's lock, when no insert of a process that lost that lock can still change the old shard. */
async function withNothingInFlight<T>(
  { db, shards, move }: Moving,
  work: (now: () => Promise<number>) => Promise<T>,
): Promise<T> {
  const { account_id, from_shard } = move
  for (;;) {
    const done = await withAccountsLocked(db, [account_id], async (_tx, time) => {
      const since = (await time()) - LIMITS.insert_settled_seconds * 1e6
      if (await shards.mayBeInFlight({ account_id, shard: from_shard, since })) return null
      return { result: await work(time) }
    })
    if (done !== null) return done.result
    await sleep(LIMITS.settle_poll_ms)
  }
}

/** Copies what arrived by `until` and is not on the new shard. Returns the number of months that it copied. */
async function copyMissing({ db, shards, move, onProgress }: Moving, until: number): Promise<number> {
  const { account_id, from_shard: from, to_shard: to } = move
  const [old, copied] = await sumsOfBoth(shards, move, until)
  const known = await store.copiedMonths(db, account_id)
  const missing = old.filter((sums) => !same(sums, copied.get(sums.month)))
  for (const { month, num_calls } of missing) {
    const after = known.get(month) ?? 0
    await shards.copyMonth({ account_id, from, to, month, after, until })
    await store.recordMonth(db, account_id, month, until)
    onProgress(`${month}: ${num_calls} call records copied`)
  }
  const after = Number((await store.findMove(db, account_id))?.claims_until ?? 0)
  await shards.copyClaims({ account_id, from, to, after, until })
  await store.recordClaims(db, account_id, until)
  return missing.length
}

async function sumsOfBoth(
  shards: Shards,
  { account_id, from_shard, to_shard }: store.Move,
  until: number,
): Promise<[old: ShardSums[], copied: Map<string, ShardSums>]> {
  const old = await shards.sums({ account_id, shard: from_shard, until })
  const copied = await shards.sums({ account_id, shard: to_shard, until })
  return [old, new Map(copied.map((sums) => [sums.month, sums]))]
}

/** Throws unless both shards have the same records by month. Returns the months. */
async function requireSame({ shards, move }: Moving, until: number): Promise<ShardSums[]> {
  const { account_id, from_shard, to_shard } = move
  const [old, copied] = await sumsOfBoth(shards, move, until)
  const months: ShardSums[] = []
  for (const sums of old) {
    if (same(sums, copied.get(sums.month))) {
      months.push(sums)
      continue
    }
    // repeated deliveries or copies that are not merged yet
    const exact = { month: sums.month }
    const [before] = await shards.sums({ account_id, shard: from_shard, until, exact })
    const [after] = await shards.sums({ account_id, shard: to_shard, until, exact })
    if (before === undefined || !same(before, after)) throw different(account_id, sums.month, from_shard)
    months.push(before)
  }
  return months
}

/** Throws if the ledger has more than the store. */
async function requireRecorded({ db, move: { account_id } }: Moving, months: readonly ShardSums[]): Promise<void> {
  const stored = new Map(months.map((sums) => [sums.month, sums]))
  for (const sums of await listMonths(db, { account_id, first: '1900-01', last: '2299-12' })) {
    const found = stored.get(sums.month) ?? { num_calls: 0, billed_seconds: '0', total_cost: '0' }
    if (compareSums(sums, found) === 'missing')
      throw new MoveRefused(
        `Call records of account ${account_id} in ${sums.month} are missing from the store. Deliver them again or accept the loss first.`,
      )
  }
}

const different = (account_id: string, month: string, shard: number): MoveRefused =>
  new MoveRefused(
    `The copy of account ${account_id} in ${month} differs from the call records on shard ${shard}, which stay there. Start the move again.`,
  )

const same = (a: ShardSums, b: ShardSums | undefined): boolean =>
  a.num_calls === b?.num_calls &&
  a.billed_seconds === b.billed_seconds &&
  a.total_cost === b.total_cost &&
  a.checksum === b.checksum

/** Every server of the store uses the new shard when this resolves. */
async function completeSwitch(db: Db, shards: Shards, account_id: string): Promise<void> {
  await placing(shards, placementSource(db))(new Set([account_id]))
}

/** Deletes the old copy after comparing it. Returns its months. */
async function removeOld(moving: Moving): Promise<ShardSums[]> {
  const { db, shards, move, onProgress } = moving
  const { account_id, from_shard } = move
  const now = await store.findMove(db, account_id)
  const switched = Number(now?.switched_us ?? 0)
  let months: ShardSums[] = []
  if (now?.state !== 'removing') {
    months = await requireSameAfterSwitch(moving, switched)
    await store.startRemoving(db, account_id)
  }
  await shards.remove({ account_id, shard: from_shard })
  onProgress(`deleted the copy on shard ${from_shard}`)
  return months
}

/** Also throws if something arrived on the old shard after the switch. */
async function requireSameAfterSwitch(moving: Moving, switched: number): Promise<ShardSums[]> {
  const { account_id, from_shard } = moving.move
  const sumsUntil = (until: number) => moving.shards.sums({ account_id, shard: from_shard, until })
  const before = await sumsUntil(switched)
  const now = await sumsUntil(Number.MAX_SAFE_INTEGER)
  const late = now.find((sums) => !before.some((each) => each.month === sums.month && same(each, sums)))
  if (late) throw different(account_id, late.month, from_shard)
  return await requireSame(moving, switched)
}
