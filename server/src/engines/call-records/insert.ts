/**
 * Inserts each record once.
 *
 * The table's key is `(account_id, start_time, id)`, so a record that is delivered twice is stored once: FINAL reads the first delivery, and
 * merges drop the others. The key does not catch an id that is delivered again with another start_time, so this claims every id in `cdr_id`
 * before inserting its record:
 *
 *   find claims → records already stored are duplicates → claim the rest → prove that the lock is held → insert the rest
 *
 * A queue that combines waiting inserts (groups.ts) serializes these steps in this process, and `exclusively` serializes them by account
 * among processes. A sender killed between claim and insert leaves a claim without a record, which is ignored. One that is killed, or loses
 * the lock, while the engine inserts leaves a recent claim whose record may still appear, so the next delivery of that id with another time
 * waits for that insert to end.
 *
 * A sender that loses the lock can harm no one. The proof comes after its claims are stored: if it succeeds, the next holder of the lock
 * finds them, and waits; if it fails, no record is sent. A record is sent at most `claim_seconds` after its claim and its insert takes at
 * most `insert_seconds`, so it has ended when the claim is `insert_settled_seconds` old. The next holder does not wait for a record with the
 * same time: both are one record to every reader, and only the holder adds it to the ledger.
 *
 * The times of claims and arrivals come from the lock, because they must increase from one insert to the next, and the clocks of several
 * engines differ.
 *
 * No `insert_deduplication_token`: a plain MergeTree stores the token before it commits the part, so an engine killed in between would drop
 * the retry as a duplicate of a block that was never committed.
 */

import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from './clickhouse.ts'
import { WarehouseUnavailable } from './errors.ts'
import { LIMITS } from './limits.ts'
import { extractParts, jsonPart, uint64Set } from './literal.ts'
import { monthOf, SumsByMonth } from './month-sums.ts'
import { keyOf, readKey, RecordBlock } from './rows.ts'
import { CLAIMED, INSERTED } from './schema.ts'
import type { AccountMonth, CdrRecord, Exclusively, InsertLock, InsertOutcome } from './types.ts'

/** `start_ms`: the start time claimed for the id, in epoch milliseconds. `claimed_us`: when, as the lock's time. */
type Claim = { start_ms: number; claimed_us: number }
type Claims = ReadonlyMap<string, readonly Claim[]>

/** Records prepared before yielding to the event loop, about 5 ms, so other requests are not delayed. */
const YIELD_ROWS = 1000

/**
 * Splits a batch into blocks that each fit one INSERT. Throws RangeError for a value that its column cannot store, before
 * inserting anything.
 */
export async function prepareBatch(records: readonly CdrRecord[]): Promise<RecordBlock[]> {
  const blocks: RecordBlock[] = []
  let block = new RecordBlock()
  for (const [index, record] of records.entries()) {
    if (index % YIELD_ROWS === YIELD_ROWS - 1) await turn()
    if (block.rows === 0) blocks.push(block)
    block.append(record)
    if (block.full) block = new RecordBlock()
  }
  return blocks
}

/** Where to insert. */
export type InsertTarget = {
  clickhouse: ClickHouse
  database: string
  exclusively: Exclusively
  /** Makes sure that the store knows the shard of each account. */
  place: (accounts: ReadonlySet<string>) => Promise<void>
}

/**
 * Inserts blocks as `Warehouse.insert` specifies, in one statement. Calls must not overlap. Records the sums of what was stored
 * after it is on disk: a ledger has never more than the store.
 */
export async function insertGroup(target: InsertTarget, blocks: readonly RecordBlock[]): Promise<InsertOutcome[]> {
  const distinct = await withoutRepeated(blocks)
  const accounts = new Set(distinct.flatMap((block) => [...block.accounts()]))
  for (;;) {
    const absent = await target.exclusively(accounts, async (lock) => {
      await target.place(accounts)
      return await insertAbsent({ ...target, accounts, lock }, distinct)
    })
    if (absent !== 'in flight')
      return blocks.map(({ rows }, at) => {
        const accepted = absent[at]?.rows ?? 0
        return { accepted, duplicates: rows - accepted }
      })
    // without the lock, so that others need not wait too
    await sleep(LIMITS.settle_poll_ms)
  }
}

type Locked = Pick<InsertTarget, 'clickhouse' | 'database'> & { accounts: ReadonlySet<string>; lock: InsertLock }

/** Restricts a statement to the shards of the accounts. */
const ofAccounts = ({ accounts }: Locked) => `account_id IN (${[...accounts].join(', ')})`

/** Returns the records that it inserted; nothing was inserted if one of them may be in flight. */
async function insertAbsent(locked: Locked, blocks: readonly RecordBlock[]): Promise<RecordBlock[] | 'in flight'> {
  const claims = await findClaims(locked, blocks)
  const stored = await findStored(locked, blocks, claims)
  const absent = stored.size === 0 ? [...blocks] : await filtered(blocks, (block, row) => !stored.has(block.keyAt(row)))
  await requireLoaded(locked, absent, claims)
  if (await mayBeInFlight(locked, absent, claims)) return 'in flight'
  if (absent.some(({ rows }) => rows > 0)) {
    await claimAndWrite(locked, absent)
    const sums = new SumsByMonth()
    await eachRow(absent, (block, row) => sums.add(block, row))
    await locked.lock.recordStored(sums.all())
  }
  return absent
}

/** Removes records whose key occurred earlier in this or a previous block. */
function withoutRepeated(blocks: readonly RecordBlock[]): Promise<RecordBlock[]> {
  const seen = new Set<string>()
  return filtered(blocks, (block, row) => {
    const key = block.keyAt(row)
    return !seen.has(key) && seen.add(key) === seen
  })
}

type RowWork<T> = (block: RecordBlock, row: number) => T

/** Works on a limited number of values per turn of the event loop, so other requests are not delayed. */
async function inTurns(count: number, work: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += LIMITS.turn_rows) {
    await turn()
    work(from, Math.min(count, from + LIMITS.turn_rows))
  }
}

async function eachRow(blocks: readonly RecordBlock[], work: RowWork<void>): Promise<void> {
  for (const block of blocks)
    await inTurns(block.rows, (from, to) => {
      for (let row = from; row < to; row += 1) work(block, row)
    })
}

/** The blocks with only the records to keep. */
async function filtered(blocks: readonly RecordBlock[], keep: RowWork<boolean>): Promise<RecordBlock[]> {
  const results: RecordBlock[] = []
  for (const block of blocks) {
    const kept: number[] = []
    await eachRow([block], (_, row) => void (keep(block, row) && kept.push(row)))
    const picked = kept.length === block.rows ? block : new RecordBlock()
    if (picked !== block)
      await inTurns(kept.length, (from, to) => {
        for (const row of kept.slice(from, to)) picked.appendFrom(block, row)
      })
    results.push(picked)
  }
  return results
}

/** A claim without a record in the store may be that of a record in a file. */
async function requireLoaded({ lock }: Locked, blocks: readonly RecordBlock[], claims: Claims): Promise<void> {
  if (claims.size === 0) return
  const months = new Map<string, AccountMonth>()
  await eachRow(blocks, (block, row) => {
    for (const { start_ms } of claims.get(block.hashAt(row)) ?? []) {
      const of = { account_id: block.accountAt(row), month: monthOf(start_ms).name }
      months.set(`${of.account_id} ${of.month}`, of)
    }
  })
  if (months.size > 0) await lock.requireLoaded([...months.values()])
}

/** Whether an id has a recent claim for another time, whose record may still be in flight. */
async function mayBeInFlight({ lock }: Locked, blocks: readonly RecordBlock[], claims: Claims): Promise<boolean> {
  let latest_us = -Infinity
  if (claims.size > 0)
    await eachRow(blocks, (block, row) => {
      for (const { start_ms, claimed_us } of claims.get(block.hashAt(row)) ?? [])
        if (start_ms !== block.startAt(row)) latest_us = Math.max(latest_us, claimed_us)
    })
  return latest_us > -Infinity && (await lock.time()) - latest_us < LIMITS.insert_settled_seconds * 1e6
}

async function findClaims(locked: Locked, blocks: readonly RecordBlock[]): Promise<Map<string, Claim[]>> {
  const { clickhouse, database } = locked
  const hashes = uint64Set(blocks.flatMap((block) => block.hashes()))
  const rows = await clickhouse.rows<[hash: string, start_ms: string, claimed_us: string]>(
    `SELECT toString(id_hash), toString(toUnixTimestamp64Milli(start_time)), toString(claimed)
FROM ${database}.cdr_id
WHERE id_hash IN ${hashes} AND ${ofAccounts(locked)}`,
  )
  const claims = new Map<string, Claim[]>()
  await inTurns(rows.length, (from, to) => {
    for (const [hash, start_ms, claimed_us] of rows.slice(from, to)) {
      const key = BigInt(hash).toString(16).padStart(16, '0')
      const found = claims.get(key)
      const claim = { start_ms: Number(start_ms), claimed_us: Number(claimed_us) }
      if (found === undefined) claims.set(key, [claim])
      else found.push(claim)
    }
  })
  return claims
}

/** Keys of records already stored with a claimed start time. */
async function findStored(locked: Locked, blocks: readonly RecordBlock[], claims: Claims): Promise<Set<string>> {
  const { clickhouse, database } = locked
  const stored = new Set<string>()
  if (claims.size === 0) return stored
  const claimed: string[] = []
  for (const block of blocks)
    await inTurns(block.rows, (from, to) => {
      const some = claimedKeys(block, claims, from, to)
      if (some.length > 0) claimed.push(jsonPart(some))
    })
  if (claimed.length === 0) return stored
  const rows = await clickhouse.rows<[account_id: string, id: string]>(
    `SELECT toString(account_id), id
FROM ${database}.cdr
WHERE ${ofAccounts(locked)} AND (account_id, start_time, id) IN (
  SELECT claimed.1, fromUnixTimestamp64Milli(claimed.2, 'UTC'), claimed.3
  FROM (SELECT arrayJoin(${extractParts(claimed, 'Array(Tuple(UInt64, Int64, String))')}) AS claimed))`,
  )
  await inTurns(rows.length, (from, to) => {
    for (const [account_id, id] of rows.slice(from, to)) stored.add(keyOf({ account_id, id }))
  })
  return stored
}

type ClaimedKey = [account_id: string, start_ms: string, id: string]

/** The keys that were claimed for these rows' ids. */
function claimedKeys(block: RecordBlock, claims: Claims, from: number, to: number): ClaimedKey[] {
  const keys: ClaimedKey[] = []
  for (let row = from; row < to; row += 1)
    for (const { start_ms } of claims.get(block.hashAt(row)) ?? []) {
      const { account_id, id } = readKey(block.keyAt(row))
      keys.push([account_id, String(start_ms), id])
    }
  return keys
}

async function claimAndWrite({ clickhouse, database, lock }: Locked, blocks: readonly RecordBlock[]): Promise<void> {
  const absent = blocks.filter(({ rows }) => rows > 0)
  const claimed_us = await lock.time()
  const claims: Buffer[] = []
  for (const block of absent)
    await inTurns(block.rows, (from, to) => void claims.push(block.encodeClaims(claimed_us, from, to)))
  await clickhouse.insert(`${database}.cdr_id`, CLAIMED, claims)
  const records = absent.map((block) => block.encode(claimed_us))
  await clickhouse.insert(`${database}.cdr`, INSERTED, records, async () => {
    const late_us = (await lock.time()) - claimed_us - LIMITS.claim_seconds * 1e6
    if (late_us > 0)
      throw new WarehouseUnavailable('The call-record store took too long to claim the ids of call records')
  })
}
