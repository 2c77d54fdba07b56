/**
 * Exports whose totals are those of their file.
 *
 * ClickHouse has no snapshot that outlives one query, and records are inserted while a file is read. So:
 *
 *   1. The plan divides the records into slices, and finds the latest `arrival` among them: the horizon.
 *   2. Totals and files are read slice by slice with `arrival <= horizon`. Records are immutable, and of two deliveries the first is kept,
 *      so the records up to the horizon are the same set whenever they are read; later ones are excluded, so that the export ends however
 *      many inserts there are.
 *   3. Two things can still change that set: an insert that began before the horizon and became visible after it, and a deletion. So a
 *      slice's totals query is repeated after its file was read. It must agree in count, every sum, and a checksum over the records. A set
 *      that only grows or only shrinks and is equal before and after was equal in between; a deleted record and a different inserted one
 *      differ in the checksum.
 *   4. The lines of a slice's file are counted, decompressed, and compared with its count, so that a truncated stream, or one that ends
 *      with the server's error text, is not accepted.
 *
 * Where 3 or 4 fails, the body is destroyed instead of ended. The store sorts, writes and compresses; two slices are read at a time, and
 * joined in order: a gzip file may have several members (RFC 1952, 2.2).
 */

import { Readable } from 'node:stream'
import { streamError, type ClickHouse, type ByteStream } from './clickhouse.ts'
import { holding, makeSemaphore } from './concurrency.ts'
import { CSV_HEADER, FORMATS } from './columns.ts'
import { compress, decompressing, inOneFrame, type StoreCompression } from './compression.ts'
import { SnapshotChanged } from './errors.ts'
import { LIMITS } from './limits.ts'
import { fromClause, planSlices, SORTED, wholeSlice, type Plan, type Store } from './slices.ts'
import { equalSnapshots, sumTotals, takeSnapshot, type Snapshot } from './snapshot.ts'
import { makeVerifier, type Verifier } from './verifier.ts'
import type { CdrCompression, CdrFormat, CdrQuery, CdrStream, CdrTotals } from './types.ts'

/** The records of one slice: how to read them, and their totals before the file was read. */
type SliceTotals = { from: string; expected: Snapshot }

/** One statement of an export, which reads one slice or several. */
type Piece = { from: string; parts: readonly SliceTotals[]; verifier: Verifier }

type StoreFile = { format: CdrFormat; compression: StoreCompression }

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
      const from = fromClause(database, query, slice, plan.horizon)
      return holding(turn(signal), async () => ({ from, expected: await takeSnapshot(clickhouse, from, signal) }))
    }),
  )
  return { plan, parts, totals: sumTotals(parts.map(({ expected }) => expected.totals)) }
}

/** Opens an export as `Warehouse.stream` specifies. */
export async function openStream(
  store: Store,
  query: CdrQuery,
  { format, compression }: { format: CdrFormat; compression: CdrCompression },
  signal: AbortSignal | undefined,
): Promise<CdrStream> {
  const { clickhouse, database } = store
  const { plan, parts, totals } = await measure(store, query, signal)
  // Parquet files cannot be joined, and one without rows has a schema too
  const whole = wholeSlice(plan)
  const from_whole = whole ? fromClause(database, query, whole, plan.horizon) : `FROM ${database}.cdr\nWHERE 0`
  const pieces =
    format === 'parquet'
      ? [makePiece(from_whole, parts, format)]
      : parts.map((part) => makePiece(part.from, [part], format))
  const open = new Set<Readable>()
  const zstd = compression === 'zstd'
  const file: StoreFile = { format, compression: zstd ? 'none' : compression }
  const store_bytes = Readable.from(joined(clickhouse, file, pieces, open), { objectMode: false })
  const body = zstd ? inOneFrame(store_bytes) : store_bytes
  // Destroying the body must end the queries too, also while the generator awaits its next chunk.
  store_bytes.once('close', () => {
    for (const stream of open) stream.destroy()
  })
  if (signal !== undefined) abortWith(signal, body)
  const lines = (): number => pieces.reduce((sum, { verifier }) => sum + verifier.lines(), 0)
  const expected_lines = pieces.reduce((sum, { verifier }) => sum + verifier.expected_lines, 0)
  return { body, totals, progress: () => Math.min(1, lines() / Math.max(1, expected_lines)) }
}

function makePiece(from: string, parts: readonly SliceTotals[], format: CdrFormat): Piece {
  const rows = parts.reduce((sum, { expected }) => sum + expected.totals.num_calls, 0)
  const newlines = parts.reduce((sum, { expected }) => sum + expected.newlines, 0)
  return { from, parts, verifier: makeVerifier(format, { rows, newlines }) }
}

/** The file: its beginning, then each piece. `LIMITS.slices` are read at a time, so that one is ready when the one before it ends. */
async function* joined(
  clickhouse: ClickHouse,
  file: StoreFile,
  pieces: readonly Piece[],
  open: Set<Readable>,
): AsyncGenerator<Buffer> {
  if (file.format !== 'parquet') {
    // also without records there is something: an empty file is no gzip file
    const beginning = compress(file.format === 'csv' ? CSV_HEADER : Buffer.alloc(0), file.compression)
    if (beginning.length > 0) yield beginning
  }
  const ahead: Promise<ByteStream>[] = []
  const start = (one: Piece | undefined): void => {
    if (one === undefined) return
    const opening = openPiece(clickhouse, file, one)
    ahead.push(opening)
    opening.then(({ stream }) => open.add(stream)).catch(() => undefined) // reported where it is awaited, unless one before it fails
  }
  try {
    for (const one of pieces.slice(0, LIMITS.slices)) start(one)
    for (const [n, one] of pieces.entries()) {
      const opening = ahead.shift()
      if (opening === undefined) throw new Error('No piece was opened')
      const opened = await opening
      yield* watched(opened, one.verifier, file.compression)
      for (const { from, expected } of one.parts)
        if (!equalSnapshots(expected, await takeSnapshot(clickhouse, from)))
          throw new SnapshotChanged('Call records of this range were added or deleted while they were exported')
      one.verifier.finish(opened.tag)
      open.delete(opened.stream)
      start(pieces[n + LIMITS.slices])
    }
  } finally {
    // those that were still being opened
    for (const opening of ahead) opening.then(({ stream }) => stream.destroy()).catch(() => undefined)
  }
}

function openPiece(clickhouse: ClickHouse, { format, compression }: StoreFile, { from }: Piece): Promise<ByteStream> {
  const { select, settings, format: format_name } = FORMATS[format]
  return clickhouse.bytes(`SELECT ${select}\n${from}\n${SORTED}\nFORMAT ${format_name}`, {
    settings,
    query_class: 'export',
    compression,
  })
}

async function* watched(
  { stream }: ByteStream,
  verifier: Verifier,
  compression: StoreCompression,
): AsyncGenerator<Buffer> {
  const check = decompressing(compression, verifier.update)
  try {
    // The client does not type its chunks; a Node response without an encoding yields buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const checked = check.write(chunk)
      checked.catch(() => undefined) // awaited after the chunk was taken
      yield chunk
      await checked
    }
    await check.end()
  } catch (error) {
    throw streamError(error)
  }
}

function abortWith(signal: AbortSignal, body: Readable): void {
  const abort = (): void => {
    body.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  }
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort, { once: true })
  body.once('close', () => signal.removeEventListener('abort', abort))
}
