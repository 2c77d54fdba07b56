/**
 * Inserts each record once.
 *
 * The table's key is `(account_id, start_time, id)`, so a record that is delivered twice is stored once: FINAL reads the first delivery, and
 * merges drop the others. The key does not catch an id that is delivered again with another start_time, so this claims every id in `cdr_id`
 * before inserting its record:
 *
 *   find claims → records already stored are duplicates → claim the rest → insert the rest
 *
 * A sender killed between claim and insert leaves a claim without a record, which is ignored. One killed while the engine inserts leaves a
 * recent claim whose record may still appear, so the next delivery of that id with another time waits for that insert to end. A queue that
 * combines waiting inserts (groups.ts) serializes these steps in this process, and `exclusively` serializes them among processes.
 *
 * No `insert_deduplication_token`: a plain MergeTree stores the token before it commits the part, so an engine killed in between would drop
 * the retry as a duplicate of a block that was never committed.
 */

import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from './clickhouse.ts'
import { LIMITS } from './limits.ts'
import { extract, uint64Set } from './literal.ts'
import { keyOf, readKey, RecordBlock } from './rows.ts'
import { CLAIMED, INSERTED } from './schema.ts'
import type { CdrRecord, InsertOutcome } from './types.ts'

/** `start_ms`: the start time claimed for the id, in epoch milliseconds. */
type Claim = { start_ms: number; age_s: number }
type Claims = ReadonlyMap<string, readonly Claim[]>

const SETTLE_POLL_MS = 500
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

/** Inserts blocks as `Warehouse.insert` specifies, in one statement. Calls must not overlap. */
export async function insertGroup(
  clickhouse: ClickHouse,
  database: string,
  blocks: readonly RecordBlock[],
): Promise<InsertOutcome[]> {
  const distinct = withoutRepeated(blocks)
  const absent = await withoutStored(clickhouse, database, distinct)
  if (absent.some(({ rows }) => rows > 0)) await claimAndWrite(clickhouse, database, absent)
  return blocks.map(({ rows }, at) => {
    const accepted = absent[at]?.rows ?? 0
    return { accepted, duplicates: rows - accepted }
  })
}

/** Removes records whose key occurred earlier in this or a previous block. */
function withoutRepeated(blocks: readonly RecordBlock[]): RecordBlock[] {
  const seen = new Set<string>()
  const isFirst = (key: string): boolean => !seen.has(key) && seen.add(key) === seen
  return blocks.map((block) => filtered(block, (row) => isFirst(block.keyAt(row))))
}

function filtered(block: RecordBlock, keep: (row: number) => boolean): RecordBlock {
  const kept: number[] = []
  for (let row = 0; row < block.rows; row += 1) if (keep(row)) kept.push(row)
  return kept.length === block.rows ? block : block.pick(kept)
}

async function withoutStored(
  clickhouse: ClickHouse,
  database: string,
  blocks: readonly RecordBlock[],
): Promise<RecordBlock[]> {
  let claims = await findClaims(clickhouse, database, blocks)
  for (;;) {
    const stored = await findStored(clickhouse, database, blocks, claims)
    const absent =
      stored.size === 0 ? [...blocks] : blocks.map((block) => filtered(block, (row) => !stored.has(block.keyAt(row))))
    if (!absent.some((block) => mayBeInFlight(block, claims))) return absent
    await sleep(SETTLE_POLL_MS)
    claims = new Map([...claims].map(([hash, all]) => [hash, all.map(older)]))
  }
}

const older = ({ start_ms, age_s }: Claim): Claim => ({ start_ms, age_s: age_s + SETTLE_POLL_MS / 1000 })

/** Whether an id has a recent claim for another time, whose record may still be in flight. */
function mayBeInFlight(block: RecordBlock, claims: Claims): boolean {
  return claimedRows(block, claims).some(
    ({ row, claim }) => claim.start_ms !== block.startAt(row) && claim.age_s < LIMITS.insert_settled_seconds,
  )
}

/** Rows with claimed ids, one entry per claim. */
function claimedRows(block: RecordBlock, claims: Claims): { row: number; claim: Claim }[] {
  if (claims.size === 0) return []
  return Array.from({ length: block.rows }, (_, row) =>
    (claims.get(block.hashAt(row)) ?? []).map((claim) => ({ row, claim })),
  ).flat()
}

async function findClaims(
  clickhouse: ClickHouse,
  database: string,
  blocks: readonly RecordBlock[],
): Promise<Map<string, Claim[]>> {
  const hashes = uint64Set(blocks.flatMap((block) => block.hashes()))
  const rows = await clickhouse.rows<[hash: string, start_ms: string, age_s: number]>(
    `SELECT toString(id_hash), toString(toUnixTimestamp64Milli(start_time)),
  toFloat64(toUnixTimestamp64Micro(now64(6)) - toInt64(claimed)) / 1e6
FROM ${database}.cdr_id
WHERE id_hash IN ${hashes}`,
  )
  const claims = new Map<string, Claim[]>()
  for (const [hash, start_ms, age_s] of rows) {
    const key = BigInt(hash).toString(16).padStart(16, '0')
    const found = claims.get(key)
    const claim = { start_ms: Number(start_ms), age_s }
    if (found === undefined) claims.set(key, [claim])
    else found.push(claim)
  }
  return claims
}

/** Keys of records already stored with a claimed start time. */
async function findStored(
  clickhouse: ClickHouse,
  database: string,
  blocks: readonly RecordBlock[],
  claims: Claims,
): Promise<Set<string>> {
  const claimed = blocks.flatMap((block) =>
    claimedRows(block, claims).map(({ row, claim }) => {
      const { account_id, id } = readKey(block.keyAt(row))
      return [account_id, String(claim.start_ms), id]
    }),
  )
  if (claimed.length === 0) return new Set()
  const rows = await clickhouse.rows<[account_id: string, id: string]>(
    `SELECT toString(account_id), id
FROM ${database}.cdr
WHERE (account_id, start_time, id) IN (
  SELECT claimed.1, fromUnixTimestamp64Milli(claimed.2, 'UTC'), claimed.3
  FROM (SELECT arrayJoin(${extract(claimed, 'Array(Tuple(UInt64, Int64, String))')}) AS claimed))`,
  )
  return new Set(rows.map(([account_id, id]) => keyOf({ account_id, id })))
}

async function claimAndWrite(clickhouse: ClickHouse, database: string, blocks: readonly RecordBlock[]): Promise<void> {
  const absent = blocks.filter(({ rows }) => rows > 0)
  const claims = absent.map((block) => block.encodeClaims())
  await clickhouse.insert(`${database}.cdr_id`, CLAIMED, claims)
  const records = absent.map((block) => block.encode())
  await clickhouse.insert(`${database}.cdr`, INSERTED, records)
}
