/**
 * Exports with totals that match their file exactly.
 *
 * ClickHouse has no snapshot that outlives one query, and records are inserted while a file is read. So:
 *
 *   1. The plan divides the records into slices and finds the latest `arrival` among them: the horizon.
 *   2. Totals and files are read slice by slice with `arrival <= horizon`. Records are immutable, and of two deliveries the first is kept,
 *      so every read returns the same records up to the horizon. Later records are excluded, so the export ends no matter how many
 *      inserts follow.
 *   3. Two things can still change that set: an insert that began before the horizon and became visible after it, and a deletion. So each
 *      slice is verified after its file is read. The same parts of the table have the same records. If parts were merged, added or
 *      removed, the totals query is repeated, and its count, every sum, and a checksum over the records must match. A set that only
 *      grows or only shrinks and is equal before and after was equal in between; if one record was deleted and a different one inserted,
 *      the checksum differs.
 *   4. The lines of a slice's decompressed file are counted and compared with the slice's count, so that a stream that is truncated or
 *      ends with the server's error text is rejected.
 *
 * If 3 or 4 fails, the body is destroyed instead of ended. The store sorts, writes and compresses. Two slices are read at a time and joined
 * in order; a gzip file may have several members (RFC 1952, 2.2).
 */

import { Readable } from 'node:stream'
import { inOneFrame } from './compression.ts'
import { withPermit, makeSemaphore } from './concurrency.ts'
import { compileFilter } from './filter.ts'
import { LIMITS } from './limits.ts'
import { joined, type Piece, type SliceTotals, type StoreFile } from './pieces.ts'
import { fromClause, planSlices, wholeSlice, type Plan, type Store } from './slices.ts'
import { sumTotals, takeSnapshot } from './snapshot.ts'
import { makeVerifier } from './verifier.ts'
import type { CdrCompression, CdrFormat, CdrQuery, CdrStream, CdrTotals } from './types.ts'

/** The slices of a query with their totals. */
export async function measure(
  store: Store,
  query: CdrQuery,
  signal?: AbortSignal,
): Promise<{ plan: Plan; parts: SliceTotals[]; totals: CdrTotals }> {
  const { clickhouse, database } = store
  const plan = await planSlices(store, query, signal)
  const turn = makeSemaphore(LIMITS.slices)
  const parts = await Promise.all(
    plan.slices.map((slice) => {
      const records = { from: fromClause(database, query, slice, plan.horizon), repeated: slice.repeated }
      return withPermit(turn(signal), async () => ({
        ...records,
        expected: await takeSnapshot(clickhouse, records, signal),
      }))
    }),
  )
  return { plan, parts, totals: sumTotals(parts.map(({ expected }) => expected.totals)) }
}

/** Opens an export as specified by `Warehouse.stream`. */
export async function openStream(
  store: Store,
  query: CdrQuery,
  { format, compression }: { format: CdrFormat; compression: CdrCompression },
  signal: AbortSignal | undefined,
): Promise<CdrStream> {
  const { clickhouse, database } = store
  const { plan, parts, totals } = await measure(store, query, signal)
  // Parquet files cannot be joined, and even one without rows has a schema
  const full_slice = wholeSlice(plan)
  const from_full = full_slice
    ? fromClause(database, query, full_slice, plan.horizon)
    : `FROM ${database}.cdr\nWHERE ${compileFilter(query)} AND 0`
  const pieces =
    format === 'parquet'
      ? [makePiece(from_full, parts, format, true)]
      : parts.map((part) => makePiece(part.from, [part], format, parts.length === 1))
  const closed = new AbortController()
  const zstd = compression === 'zstd'
  const file: StoreFile = { format, compression: zstd ? 'none' : compression }
  const store_bytes = Readable.from(joined(clickhouse, file, pieces, closed.signal), { objectMode: false })
  const body = zstd ? inOneFrame(store_bytes) : store_bytes
  // Destroying the body must also end the queries, even while the generator awaits its next chunk.
  store_bytes.once('close', () => closed.abort())
  if (signal !== undefined) abortWith(signal, body)
  const lines = (): number => pieces.reduce((sum, { verifier }) => sum + verifier.lines(), 0)
  const expected_lines = pieces.reduce((sum, { verifier }) => sum + verifier.expected_lines, 0)
  return { body, totals, progress: () => Math.min(1, lines() / Math.max(1, expected_lines)) }
}

function makePiece(from: string, parts: readonly SliceTotals[], format: CdrFormat, alone: boolean): Piece {
  const rows = parts.reduce((sum, { expected }) => sum + expected.totals.num_calls, 0)
  const newlines = parts.reduce((sum, { expected }) => sum + expected.newlines, 0)
  return { from, parts, verifier: makeVerifier(format, { rows, newlines }), alone }
}

function abortWith(signal: AbortSignal, body: Readable): void {
  const abort = (): void => {
    body.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  }
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort, { once: true })
  body.once('close', () => signal.removeEventListener('abort', abort))
}
