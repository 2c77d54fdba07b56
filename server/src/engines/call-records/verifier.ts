/** Verifies that an export's bytes contain the expected number of records, or finds the error in them. */

import { loggable } from './client-errors.ts'
import { SnapshotChanged, storeError, WarehouseUnavailable } from './errors.ts'
import type { CdrFormat } from './types.ts'

export type Verifier = {
  /** Takes the next chunk of decompressed bytes. */
  update: (chunk: Buffer) => void
  /** Lines seen so far; 0 for Parquet, which has no lines. */
  lines: () => number
  expected_lines: number
  /** Throws if bytes are missing. */
  finish: (tag?: string) => void
}

type Expected = { rows: number; newlines: number }

/** How many bytes of the end to search for the server's error text. */
const TAIL_BYTES = 32 * 1024
const PARQUET_MAGIC = Buffer.from('PAR1')

/**
 * `newlines` are those inside the cells of the CSV lines. The `tag` of `finish` delimits an error that occurred after the server had sent
 * status 200 (ClickHouse 25.11 and the embedded engine): `__exception__`, the tag, the message.
 */
export function makeVerifier(format: CdrFormat, { rows, newlines }: Expected): Verifier {
  const tail = makeTail()
  const lines = makeLineCount()
  const expected_lines = rows + (format === 'csv' ? newlines : 0)
  return {
    update: (chunk) => {
      tail.update(chunk)
      if (format !== 'parquet') lines.update(chunk)
    },
    lines: lines.count,
    expected_lines,
    finish: (tag) => {
      throwServerError(tail.bytes(), tag)
      if (format === 'parquet') {
        if (!tail.bytes().subarray(-PARQUET_MAGIC.length).equals(PARQUET_MAGIC))
          throw truncated('its footer is missing')
        return
      }
      if (lines.count() < expected_lines) throw truncated(`${lines.count()} lines of ${expected_lines} were received`)
      if (lines.count() > expected_lines)
        throw new SnapshotChanged(`The export has ${lines.count()} lines, but ${expected_lines} were counted`)
    },
  }
}

function truncated(what: string): Error {
  return new WarehouseUnavailable(`The call-record store truncated the export: ${what}`)
}

/** Throws any error that the server wrote into the body. */
function throwServerError(tail: Buffer, tag: string | undefined): void {
  if (tag === undefined) return
  const mark = `__exception__\r\n${tag}\r\n`
  const at = tail.lastIndexOf(mark)
  if (at === -1) return
  const message = tail.subarray(at + mark.length).toString('utf8')
  throw storeError(
    `The call-record store failed while exporting: ${loggable(message)}`,
    message,
    /Code: (\d+)/.exec(message)?.[1] ?? '',
  )
}

function makeTail(): { update: (chunk: Buffer) => void; bytes: () => Buffer } {
  let kept: Buffer[] = []
  let length = 0
  return {
    update: (chunk) => {
      kept.push(chunk)
      length += chunk.length
      while (kept[0] !== undefined && length - kept[0].length >= TAIL_BYTES) {
        length -= kept[0].length
        kept = kept.slice(1)
      }
    },
    bytes: () => Buffer.concat(kept),
  }
}

function makeLineCount(): { update: (chunk: Buffer) => void; count: () => number } {
  let found = 0
  return {
    update: (chunk) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) found += 1
    },
    count: () => found,
  }
}
