/**
 * Inserting each record once.
 *
 * `(account_id, start_time, id)` is the table's key, so the same record delivered twice is always one record: FINAL reads the first delivery,
 * merges drop the others. The key does not cover an id that is delivered again with another start_time. So every id is claimed in `cdr_id`
 * before its record is inserted:
 *
 *   find claims → those whose record is stored are duplicates → claim the rest → insert the rest
 *
 * A sender killed between claim and record leaves a claim without a record, which is ignored; one killed while the engine still inserts
 * leaves a recent claim whose record may still appear, and the next delivery of that id with another time waits until that insert has ended.
 * The steps are serialized: in this process by a queue, among processes by `exclusively`.
 *
 * No `insert_deduplication_token`: a plain MergeTree stores the token before it commits the part, so an engine killed in between would drop
 * the retry as a duplicate of a block that was never committed.
 */

import { hash } from 'node:crypto'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from './clickhouse.ts'
import { LIMITS } from './limits.ts'
import { extract } from './literal.ts'
import { insertRow } from './rows.ts'
import { INSERTED_COLUMNS } from './schema.ts'
import type { CdrRecord, InsertOutcome } from './types.ts'

/** `key` is of the account and the id, `line` has the values of the row. */
type Candidate = { key: string; hash: string; account_id: string; id: string; start_time: string; line: string }
type RecordKey = Pick<Candidate, 'hash' | 'account_id' | 'id'>
type Claim = { start_time: string; age_s: number }

const SETTLE_POLL_MS = 500
/** Records prepared before yielding to the event loop, about 5 ms: the API's other requests run in the same process. */
const YIELD_ROWS = 500

/** A batch as rows, in chunks that each fit one INSERT. Preparing needs no query, so it may run while another batch is inserted. */
export type PreparedBatch = readonly (readonly Candidate[])[]

/** Throws RangeError for a value that its column cannot store, before anything of the batch is inserted. */
export async function prepareBatch(records: readonly CdrRecord[]): Promise<PreparedBatch> {
  return await Array.fromAsync(chunks(records))
}

/** Inserts a batch as `Warehouse.insert` specifies. Calls must not overlap. */
export async function insertBatch(
  clickhouse: ClickHouse,
  database: string,
  batch: PreparedBatch,
): Promise<InsertOutcome> {
  const outcome = { accepted: 0, duplicates: 0 }
  for (const chunk of batch) {
    const distinct = new Map<string, Candidate>()
    for (const candidate of chunk) if (!distinct.has(candidate.key)) distinct.set(candidate.key, candidate)
    const absent = await withoutStored(clickhouse, database, [...distinct.values()])
    if (absent.length > 0) await claimAndWrite(clickhouse, database, absent)
    outcome.accepted += absent.length
    outcome.duplicates += chunk.length - absent.length
  }
  return outcome
}

/** Splits a batch by rows and bytes. */
async function* chunks(records: readonly CdrRecord[]): AsyncGenerator<Candidate[]> {
  let chunk: Candidate[] = []
  let bytes = 0
  for (const [index, record] of records.entries()) {
    if (index % YIELD_ROWS === YIELD_ROWS - 1) await turn()
    const candidate = candidateOf(record)
    const line_bytes = Buffer.byteLength(candidate.line)
    if (chunk.length === LIMITS.insert_rows || (chunk.length > 0 && bytes + line_bytes > LIMITS.insert_bytes)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(candidate)
    bytes += line_bytes
  }
  if (chunk.length > 0) yield chunk
}

function candidateOf(record: CdrRecord): Candidate {
  const { account_id, start_time, id, line } = insertRow(record)
  const key = keyOf(account_id, id)
  return { key, hash: hashOf(key), account_id, id, start_time, line }
}

async function withoutStored(clickhouse: ClickHouse, database: string, candidates: Candidate[]): Promise<Candidate[]> {
  const claims = await findClaims(clickhouse, database, candidates)
  for (;;) {
    const stored = await findStored(clickhouse, database, candidates, claims)
    const absent = stored.size === 0 ? candidates : candidates.filter(({ key }) => !stored.has(key))
    if (!absent.some((candidate) => mayBeInFlight(candidate, claims))) return absent
    await sleep(SETTLE_POLL_MS)
    for (const claim of [...claims.values()].flat()) claim.age_s += SETTLE_POLL_MS / 1000
  }
}

/** Whether there is a recent claim of this id for another time: the insert of its record may still be in flight. */
function mayBeInFlight(candidate: Candidate, claims: Map<string, Claim[]>): boolean {
  const others = claims.get(candidate.hash)?.filter((claim) => claim.start_time !== candidate.start_time)
  return others?.some((claim) => claim.age_s < LIMITS.insert_settled_seconds) ?? false
}

async function findClaims(
  clickhouse: ClickHouse,
  database: string,
  keys: readonly RecordKey[],
): Promise<Map<string, Claim[]>> {
  const hashes = keys.map((candidate) => candidate.hash)
  const rows = await clickhouse.rows<[hash: string, start_time: string, age_s: number]>(
    `SELECT toString(id_hash), toString(start_time), toFloat64(toUnixTimestamp64Micro(now64(6)) - toInt64(claimed)) / 1e6
FROM ${database}.cdr_id
WHERE id_hash IN (SELECT arrayJoin(${extract(hashes, 'Array(UInt64)')}))`,
  )
  const claims = new Map<string, Claim[]>()
  for (const [hash, start_time, age_s] of rows) {
    const found = claims.get(hash)
    if (found === undefined) claims.set(hash, [{ start_time, age_s }])
    else found.push({ start_time, age_s })
  }
  return claims
}

/** Keys of those whose record is stored with one of the times for which they were claimed. */
async function findStored(
  clickhouse: ClickHouse,
  database: string,
  keys: readonly RecordKey[],
  claims: Map<string, Claim[]>,
): Promise<Set<string>> {
  const claimed = keys.flatMap(({ hash, account_id, id }) =>
    (claims.get(hash) ?? []).map((claim) => [account_id, claim.start_time, id]),
  )
  if (claimed.length === 0) return new Set()
  const rows = await clickhouse.rows<[account_id: string, id: string]>(
    `SELECT toString(account_id), id
FROM ${database}.cdr
WHERE (account_id, start_time, id) IN (
  SELECT claimed.1, toDateTime64(claimed.2, 3, 'UTC'), claimed.3
  FROM (SELECT arrayJoin(${extract(claimed, 'Array(Tuple(UInt64, String, String))')}) AS claimed))`,
  )
  return new Set(rows.map(([account_id, id]) => keyOf(account_id, id)))
}

async function claimAndWrite(clickhouse: ClickHouse, database: string, records: Candidate[]): Promise<void> {
  const claims = records.map(({ hash, start_time }) => `["${hash}","${start_time}"]\n`).join('')
  await clickhouse.insert(`${database}.cdr_id`, ['id_hash', 'start_time'], Buffer.from(claims))
  const lines = records.map(({ line }) => line).join('\n')
  await clickhouse.insert(`${database}.cdr`, INSERTED_COLUMNS, Buffer.from(lines))
}

export function keyOf(account_id: string, id: string): string {
  return `${account_id}\0${id}`
}

/** The hash by which a key is claimed, decimal. 64 bits are enough, as a match is verified against the record itself. */
export function hashOf(key: string): string {
  // as text, which takes half of the time of a Buffer
  return BigInt(`0x${hash('sha256', key, 'hex').slice(0, 16)}`).toString()
}
