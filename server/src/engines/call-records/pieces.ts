/**
 * Joins the output of several statements into the file of an export. While this process reads, decompresses and hashes one piece, the store
 * works on the next ones, and each piece is verified against changed records.
 */

import type { ClickHouseSettings } from '@clickhouse/client'
import { streamError } from './client-errors.ts'
import type { ByteStream, ClickHouse } from './clickhouse.ts'
import { CSV_HEADER, FORMATS } from './columns.ts'
import { compress, decompressing, type StoreCompression } from './compression.ts'
import { makeSemaphore } from './concurrency.ts'
import { SnapshotChanged } from './errors.ts'
import { LIMITS } from './limits.ts'
import { SORTED } from './slices.ts'
import { isUnchanged, type Records, type Snapshot } from './snapshot.ts'
import type { Verifier } from './verifier.ts'
import type { CdrFormat } from './types.ts'

/** How to read one slice, and its totals from before the file was read. */
export type SliceTotals = Records & { expected: Snapshot }

/** One statement of an export, which reads one or more slices. */
export type Piece = {
  from: string
  parts: readonly SliceTotals[]
  verifier: Verifier
  /** Whether it is the only piece. */
  alone: boolean
}

export type StoreFile = { format: CdrFormat; compression: StoreCompression }

/** Yields the head of the file, then each piece. Ends only after all pieces are verified. `closed` aborts unfinished work. */
export async function* joined(
  clickhouse: ClickHouse,
  file: StoreFile,
  pieces: readonly Piece[],
  closed: AbortSignal,
): AsyncGenerator<Buffer> {
  if (file.format !== 'parquet') {
    // an empty file is not a valid gzip file
    const beginning = compress(file.format === 'csv' ? CSV_HEADER : Buffer.alloc(0), file.compression)
    if (beginning.length > 0) yield beginning
  }
  const turn = makeSemaphore(LIMITS.slices)
  const ahead: Promise<ByteStream>[] = []
  const start = (one: Piece | undefined): void => {
    if (one !== undefined)
      ahead.push(awaitedLater(openInTurn(() => openPiece(clickhouse, file, one, closed), turn(closed))))
  }
  for (const one of pieces.slice(0, AHEAD)) start(one)
  const checks: Promise<void>[] = []
  for (const [n, one] of pieces.entries()) {
    const opening = ahead.shift()
    if (opening === undefined) throw new Error('No piece was opened')
    const opened = await opening
    // the store has read all of a complete piece, so reading and verifying can run concurrently
    const unchanged = opened.complete ? awaitedLater(checkUnchanged(clickhouse, one)) : undefined
    yield* watched(opened, one.verifier, file.compression)
    start(pieces[n + AHEAD])
    checks.push(awaitedLater(checkBytes(unchanged ?? checkUnchanged(clickhouse, one), one.verifier, opened.tag)))
    if (checks.length > LIMITS.slices) await checks.shift()
  }
  await Promise.all(checks)
}

/** Open pieces: the store works on some, others are complete and wait for the reader. */
const AHEAD = LIMITS.slices + LIMITS.slices_complete

/** Opens a piece in its turn. The turn ends when the store is done, because reading a complete file only copies it. */
async function openInTurn(open: () => Promise<ByteStream>, turn: Promise<() => void>): Promise<ByteStream> {
  const release = await turn
  try {
    const opened = await open()
    if (opened.complete) release()
    else opened.stream.once('close', release)
    return opened
  } catch (error) {
    release()
    throw error
  }
}

/** Running pieces concurrently costs a tenth less than splitting one across the cores (measured). */
const UNDIVIDED: ClickHouseSettings = { max_threads: 1, output_format_parallel_formatting: 0 }

function openPiece(
  clickhouse: ClickHouse,
  file: StoreFile,
  { from, alone }: Piece,
  closed: AbortSignal,
): Promise<ByteStream> {
  const { select, settings, format } = FORMATS[file.format]
  return clickhouse.bytes(`SELECT ${select}\n${from}\n${SORTED}\nFORMAT ${format}`, {
    settings: alone ? settings : { ...settings, ...UNDIVIDED },
    query_class: 'export',
    compression: file.compression,
    signal: closed,
  })
}

async function* watched(
  { stream }: ByteStream,
  verifier: Verifier,
  compression: StoreCompression,
): AsyncGenerator<Buffer> {
  const decompressor = decompressing(compression, verifier.update)
  try {
    // The client does not type its chunks; a Node response without an encoding yields buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const decompressed = awaitedLater(decompressor.write(chunk))
      yield chunk
      await decompressed
    }
    await decompressor.end()
  } catch (error) {
    throw streamError(error)
  }
}

/** Throws if a piece's records have changed since the store read it. */
async function checkUnchanged(clickhouse: ClickHouse, { parts }: Piece): Promise<void> {
  for (const { expected, ...records } of parts)
    if (!(await isUnchanged(clickhouse, records, expected)))
      throw new SnapshotChanged('Call records in this range were added or deleted during the export')
}

/** Throws unless a piece's bytes contain its records. Reports changed records first, because the export is then retried. */
async function checkBytes(unchanged: Promise<void>, verifier: Verifier, tag: string | undefined): Promise<void> {
  await unchanged
  verifier.finish(tag)
}

/** Handles a rejection where the promise is awaited, even if an earlier error ends the export. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
