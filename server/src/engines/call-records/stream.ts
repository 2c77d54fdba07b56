/**
 * Exports whose totals are those of their file.
 *
 * ClickHouse has no snapshot that outlives one query, and records keep coming in while a file is read. So:
 *
 *   1. The totals query also reads the latest `arrival` among the records it sees: the horizon.
 *   2. The file is read with `arrival <= horizon`. Records are never changed, and of two deliveries the first stays, so what has arrived is
 *      the same set whenever it is read; what arrives later stays out, and the file is finished under any stream of inserts.
 *   3. Two things could still move that set: an insert that began before the horizon and became visible after it, and a removal. So the
 *      totals query runs once more when the file is through, within the horizon. It must agree in count, every sum, and a checksum over the
 *      records. A set that only grows or only shrinks and is the same before and after was the same in between; a record that left and a
 *      different one that came cannot agree in the checksum.
 *   4. The file's own lines are counted against the same number, so a stream that was cut off, or that ended in the server's error text,
 *      cannot pass for a whole one.
 *
 * Where 3 or 4 fails, the body is destroyed instead of ended. The two totals queries together cost about 4 % of the export.
 */

import { Readable } from 'node:stream'
import { streamFault, type ClickHouse } from './clickhouse.ts'
import { CSV_HEADER, SPELLINGS } from './columns.ts'
import { minutesOf } from './decimal.ts'
import { SnapshotMoved, WarehouseUnavailable } from './errors.ts'
import { compileFilter } from './filter.ts'
import { makeMeter, type Meter } from './meter.ts'
import type { CdrFormat, CdrQuery, CdrStream, CdrTotals } from './types.ts'

/** What a query's records came to at one moment. Numbers as decimal strings. */
export type Snapshot = {
  totals: CdrTotals
  /** Arrival of the latest record, `0` without records. */
  horizon: string
  /** Newlines inside the cells of the CSV file. */
  newlines: string
  /** Order-free sum of a hash over each record. */
  checksum: string
}

/** `cdr` narrowed to a query, and to what had arrived by `horizon`. */
export function narrowed(database: string, query: CdrQuery, horizon?: string): string {
  const arrived = horizon === undefined ? '' : `\n  AND arrival <= ${horizon}`
  return `FROM ${database}.cdr FINAL\nWHERE ${compileFilter(query)}${arrived}`
}

export const SORTED = 'ORDER BY account_id, start_time, id'

export async function takeSnapshot(clickhouse: ClickHouse, from: string, signal?: AbortSignal): Promise<Snapshot> {
  const [row] = await clickhouse.rows<SnapshotRow>(`SELECT ${SNAPSHOT.join(', ')}\n${from}`, signal)
  if (row === undefined) throw new WarehouseUnavailable('The call-record store answered no totals')
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
      billed_minutes: minutesOf(BigInt(billed_seconds)),
    },
    horizon,
    newlines,
    checksum,
  }
}

/** Opens an export as `Warehouse.stream` promises; `closed` is called once, when the body is done with. */
export async function openStream(
  clickhouse: ClickHouse,
  database: string,
  query: CdrQuery,
  format: CdrFormat,
  signal: AbortSignal | undefined,
): Promise<CdrStream> {
  const before = await takeSnapshot(clickhouse, narrowed(database, query), signal)
  const from = narrowed(database, query, before.horizon)
  const { select, settings, format: spelling } = SPELLINGS[format]
  const sql = `SELECT ${select}\n${from}\n${SORTED}\nFORMAT ${spelling}`
  const { stream, tag } = await clickhouse.bytes(sql, settings, 'export')
  const verify = async (): Promise<void> => {
    const after = await takeSnapshot(clickhouse, from, signal)
    if (!same(before, after))
      throw new SnapshotMoved('Call records of this range came or went while they were exported')
  }
  const meter = makeMeter(format, before, tag)
  const body = Readable.from(checked(stream, format, meter, verify), { objectMode: false })
  // Destroying the body must end the query too, also while the generator waits for its next chunk.
  body.once('close', () => stream.destroy())
  if (signal !== undefined) abortWith(signal, body)
  return { body, totals: before.totals, progress: meter.progress }
}

async function* checked(
  stream: Readable,
  format: CdrFormat,
  meter: Meter,
  verify: () => Promise<void>,
): AsyncGenerator<Buffer> {
  if (format === 'csv') yield CSV_HEADER
  try {
    // The client's type says nothing of its chunks; a Node response without an encoding yields buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      meter.see(chunk)
      yield chunk
    }
  } catch (error) {
    throw streamFault(error)
  }
  meter.finish()
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

function same(a: Snapshot, b: Snapshot): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
