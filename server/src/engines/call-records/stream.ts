/**
 * Exports whose totals are those of their file.
 *
 * ClickHouse has no snapshot that outlives one query, and records are inserted while a file is read. So:
 *
 *   1. The totals query also reads the latest `arrival` among the records it sees: the horizon.
 *   2. The file is read with `arrival <= horizon`. Records are immutable, and of two deliveries the first is kept, so the records up to the
 *      horizon are the same set whenever they are read; later ones are excluded, so that the export ends however many inserts there are.
 *   3. Two things can still change that set: an insert that began before the horizon and became visible after it, and a deletion. So the
 *      totals query is repeated after the file was read, within the horizon. It must agree in count, every sum, and a checksum over the
 *      records. A set that only grows or only shrinks and is equal before and after was equal in between; a deleted record and a different
 *      inserted one differ in the checksum.
 *   4. The file's own lines are counted and compared with that count, so that a truncated stream, or one that ends with the server's error
 *      text, is not accepted.
 *
 * Where 3 or 4 fails, the body is destroyed instead of ended. The two totals queries together cost about 4 % of the export.
 */

import { Readable } from 'node:stream'
import { streamError, type ClickHouse } from './clickhouse.ts'
import { CSV_HEADER, FORMATS } from './columns.ts'
import { SnapshotChanged, WarehouseUnavailable } from './errors.ts'
import { compileFilter } from './filter.ts'
import { makeVerifier, type Verifier } from './verifier.ts'
import type { CdrFormat, CdrQuery, CdrStream, CdrTotals } from './types.ts'

/** Totals and checksum of a query's records at one moment. Numbers as decimal strings. */
export type Snapshot = {
  totals: CdrTotals
  /** Arrival of the latest record, `0` without records. */
  horizon: string
  /** Newlines inside the cells of the CSV file. */
  newlines: string
  /** Order-free sum of a hash over each record. */
  checksum: string
}

/** FROM and WHERE for the records of a query, optionally those that had arrived by `horizon`. */
export function fromClause(database: string, query: CdrQuery, horizon?: string): string {
  const arrived = horizon === undefined ? '' : `\n  AND arrival <= ${horizon}`
  return `FROM ${database}.cdr FINAL\nWHERE ${compileFilter(query)}${arrived}`
}

const SORTED = 'ORDER BY account_id, start_time, id'

export async function takeSnapshot(clickhouse: ClickHouse, from: string, signal?: AbortSignal): Promise<Snapshot> {
  const [row] = await clickhouse.rows<SnapshotRow>(`SELECT ${SNAPSHOT.join(', ')}\n${from}`, signal)
  if (row === undefined) throw new WarehouseUnavailable('The call-record store returned no totals')
  const [num_calls, total_cost, call_subtotal, connect_fees, cnamlookup_fees, usf_fees, ccrf, billed_seconds] = row
  const [horizon, newlines, checksum] = row.slice(8) as [string, string, string]
  return {
    totals: {
      num_calls: Number(num_calls),
      total_cost,
      call_subtotal,
      connect_fees,
      cnamlookup_fees,
      usf_fees,
      ccrf,
      billed_seconds,
    },
    horizon,
    newlines,
    checksum,
  }
}

/** Opens an export as `Warehouse.stream` specifies. */
export async function openStream(
  clickhouse: ClickHouse,
  database: string,
  query: CdrQuery,
  format: CdrFormat,
  signal: AbortSignal | undefined,
): Promise<CdrStream> {
  const before = await takeSnapshot(clickhouse, fromClause(database, query), signal)
  const from = fromClause(database, query, before.horizon)
  const { select, settings, format: format_name } = FORMATS[format]
  const sql = `SELECT ${select}\n${from}\n${SORTED}\nFORMAT ${format_name}`
  const { stream, tag } = await clickhouse.bytes(sql, settings, 'export')
  const verify = async (): Promise<void> => {
    const after = await takeSnapshot(clickhouse, from, signal)
    if (!equalSnapshots(before, after))
      throw new SnapshotChanged('Call records of this range were added or deleted while they were exported')
  }
  const verifier = makeVerifier(format, before, tag)
  const body = Readable.from(verified(stream, format, verifier, verify), { objectMode: false })
  // Destroying the body must end the query too, also while the generator awaits its next chunk.
  body.once('close', () => stream.destroy())
  if (signal !== undefined) abortWith(signal, body)
  return { body, totals: before.totals, progress: verifier.progress }
}

async function* verified(
  stream: Readable,
  format: CdrFormat,
  verifier: Verifier,
  verify: () => Promise<void>,
): AsyncGenerator<Buffer> {
  if (format === 'csv') yield CSV_HEADER
  try {
    // The client does not type its chunks; a Node response without an encoding yields buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      verifier.update(chunk)
      yield chunk
    }
  } catch (error) {
    throw streamError(error)
  }
  verifier.finish()
  await verify()
}

function abortWith(signal: AbortSignal, body: Readable): void {
  const abort = (): void => {
    body.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  }
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort, { once: true })
  body.once('close', () => signal.removeEventListener('abort', abort))
}

const SNAPSHOT = [
  'toString(count())',
  'toString(sum(total_cost))',
  'toString(sum(cost_subtotal))',
  'toString(sum(connect_fee))',
  'toString(sum(cnam_lookup_fee))',
  'toString(sum(usf_fee))',
  'toString(sum(ccrf))',
  'toString(sum(billed_duration))',
  'toString(max(arrival))',
  'toString(sum(newlines))',
  'toString(sum(cityHash64(start_time, end_time, duration, billed_duration, total_cost, cost_subtotal, arrival)))',
]

type SnapshotRow = readonly string[] & { readonly length: 11 } & readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]

function equalSnapshots(a: Snapshot, b: Snapshot): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
