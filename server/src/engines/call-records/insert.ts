/**
 * Writing records once.
 *
 * `(account_id, start_time, id)` is the table's key, so the same record delivered twice is one record whatever happens: FINAL reads the first
 * delivery, merges drop the others. What the key cannot see is an id that comes back with another start_time. So every id is claimed in
 * `cdr_id` before its record is written:
 *
 *   look up claims → those whose record stands are duplicates → claim the rest → write the rest
 *
 * A sender killed between claim and record leaves a claim without a record, which counts for nothing; one killed while the engine still
 * writes leaves a young claim whose record may yet appear, and the next one to bring that id with another time waits until that is settled.
 * The steps run one at a time: in this process by a queue, among processes by `exclusively`.
 *
 * No `insert_deduplication_token`: a plain MergeTree notes the token before it commits the part, so an engine killed in between would drop the
 * retry as a duplicate of a block that never came to be.
 */

import { hash } from 'node:crypto'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from './clickhouse.ts'
import { wellFormed } from './comparing.ts'
import { accountNumber } from './filter.ts'
import { LIMITS } from './limits.ts'
import { extract } from './literal.ts'
import { engineTime, insertLine } from './rows.ts'
import { INSERTED_COLUMNS } from './schema.ts'
import type { CdrRecord, InsertOutcome } from './types.ts'

type Candidate = { hash: string; account_id: string; id: string; start_time: string; line: Buffer }
type Named = Pick<Candidate, 'hash' | 'account_id' | 'id'>
type Claim = { start_time: string; age_s: number }

const SETTLE_POLL_MS = 500
/** Records made ready in one go, about 5 ms: the API's other requests run in the same process. */
const GO_ROWS = 500

/** A batch made ready for the store, in chunks that each fit one INSERT. Asks nobody, so it may be done while another batch is written. */
export type Prepared = readonly (readonly Candidate[])[]

/** Throws RangeError for a value that the columns cannot hold, before anything of the batch is written. */
export async function prepareBatch(records: readonly CdrRecord[]): Promise<Prepared> {
  return await Array.fromAsync(chunks(records))
}

/** Writes a batch as `Warehouse.insert` promises. To be called by one at a time. */
export async function insertBatch(clickhouse: ClickHouse, database: string, batch: Prepared): Promise<InsertOutcome> {
  const outcome = { accepted: 0, duplicates: 0 }
  for (const chunk of batch) {
    const distinct = new Map<string, Candidate>()
    for (const candidate of chunk) if (!distinct.has(key(candidate))) distinct.set(key(candidate), candidate)
    const fresh = await withoutExisting(clickhouse, database, [...distinct.values()])
    if (fresh.length > 0) await claimAndWrite(clickhouse, database, fresh)
    outcome.accepted += fresh.length
    outcome.duplicates += chunk.length - fresh.length
  }
  return outcome
}

/** Those of an account's `ids` whose record stands. */
export async function findExisting(
  clickhouse: ClickHouse,
  database: string,
  account_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const account = accountNumber(account_id)
  const named = ids.map((id) => ({ hash: hashOf(account, wellFormed(id)), account_id: account, id: wellFormed(id) }))
  const claims = await findClaims(clickhouse, database, named)
  const standing = await findStanding(clickhouse, database, named, claims)
  return new Set(ids.filter((id) => standing.has(key({ account_id: account, id: wellFormed(id) }))))
}

/** Cuts a batch by rows and bytes. */
async function* chunks(records: readonly CdrRecord[]): AsyncGenerator<Candidate[]> {
  let chunk: Candidate[] = []
  let bytes = 0
  for (const [index, record] of records.entries()) {
    if (index % GO_ROWS === GO_ROWS - 1) await turn()
    const candidate = candidateOf(record)
    if (
      chunk.length === LIMITS.insert_rows ||
      (chunk.length > 0 && bytes + candidate.line.length > LIMITS.insert_bytes)
    ) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(candidate)
    bytes += candidate.line.length
  }
  if (chunk.length > 0) yield chunk
}

function candidateOf(record: CdrRecord): Candidate {
  const account_id = accountNumber(record.account_id)
  const id = wellFormed(record.id)
  const line = Buffer.from(`${insertLine(record)}\n`)
  return { hash: hashOf(account_id, id), account_id, id, start_time: engineTime(record.start_time), line }
}

async function withoutExisting(
  clickhouse: ClickHouse,
  database: string,
  candidates: Candidate[],
): Promise<Candidate[]> {
  const claims = await findClaims(clickhouse, database, candidates)
  for (;;) {
    const standing = await findStanding(clickhouse, database, candidates, claims)
    const fresh = candidates.filter((candidate) => !standing.has(key(candidate)))
    if (!fresh.some((candidate) => unsettled(candidate, claims))) return fresh
    await sleep(SETTLE_POLL_MS)
    for (const claim of [...claims.values()].flat()) claim.age_s += SETTLE_POLL_MS / 1000
  }
}

/** A young claim of this id for another time, whose record does not stand: its insert may still be on its way. */
function unsettled(candidate: Candidate, claims: Map<string, Claim[]>): boolean {
  const others = claims.get(candidate.hash)?.filter((claim) => claim.start_time !== candidate.start_time)
  return others?.some((claim) => claim.age_s < LIMITS.insert_settled_seconds) ?? false
}

async function findClaims(
  clickhouse: ClickHouse,
  database: string,
  named: readonly Named[],
): Promise<Map<string, Claim[]>> {
  const hashes = named.map((candidate) => candidate.hash)
  const rows = await clickhouse.rows<[hash: string, start_time: string, age_s: number]>(
    `SELECT toString(id_hash), toString(start_time), toFloat64(toUnixTimestamp64Micro(now64(6)) - toInt64(claimed)) / 1e6
FROM ${database}.cdr_id
WHERE id_hash IN (SELECT arrayJoin(${extract(hashes, 'Array(UInt64)')}))`,
  )
  const claims = new Map<string, Claim[]>()
  for (const [hash, start_time, age_s] of rows) {
    const known = claims.get(hash)
    if (known === undefined) claims.set(hash, [{ start_time, age_s }])
    else known.push({ start_time, age_s })
  }
  return claims
}

/** Keys of those whose record stands at one of the times for which they were claimed. */
async function findStanding(
  clickhouse: ClickHouse,
  database: string,
  named: readonly Named[],
  claims: Map<string, Claim[]>,
): Promise<Set<string>> {
  const claimed = named.flatMap(({ hash, account_id, id }) =>
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
  return new Set(rows.map(([account_id, id]) => key({ account_id, id })))
}

async function claimAndWrite(clickhouse: ClickHouse, database: string, fresh: Candidate[]): Promise<void> {
  const claims = fresh.map(({ hash, start_time }) => `["${hash}","${start_time}"]\n`).join('')
  await clickhouse.insert(`${database}.cdr_id`, ['id_hash', 'start_time'], Buffer.from(claims))
  const lines = Buffer.concat(fresh.map((candidate) => candidate.line))
  await clickhouse.insert(`${database}.cdr`, INSERTED_COLUMNS, lines)
}

function key({ account_id, id }: Pick<Named, 'account_id' | 'id'>): string {
  return `${account_id}\0${id}`
}

/** 64 bits are enough, as a hit is checked against the record itself. */
export function hashOf(account_id: string, id: string): string {
  return hash('sha256', key({ account_id, id }), 'buffer').readBigUInt64BE().toString()
}
