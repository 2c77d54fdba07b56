/** Proves from an export's bytes that it carried as many records as were counted, and names what went wrong where it did not. */

import { quotable } from './clickhouse.ts'
import { SnapshotMoved, WarehouseFailed, WarehouseUnavailable } from './errors.ts'
import type { CdrFormat } from './types.ts'

export type Meter = {
  see: (chunk: Buffer) => void
  /** Share of the file that has gone by, 0 to 1. Parquet, which has no lines, gives 0 to the end. */
  progress: () => number
  /** Throws unless the file is whole. */
  finish: () => void
}

type Expected = { totals: { num_calls: number }; newlines: string }

/** Error text of the server is looked for in this much of the end. */
const TAIL_BYTES = 32 * 1024
const PARQUET_MAGIC = Buffer.from('PAR1')

/**
 * `tag` is the server's mark around an error that happened after it had answered 200 (ClickHouse 25.11 and our engine): `__exception__`,
 * the tag, the message.
 */
export function makeMeter(format: CdrFormat, expected: Expected, tag: string | undefined): Meter {
  const { num_calls, newlines } = { ...expected.totals, newlines: Number(expected.newlines) }
  const tail = makeTail()
  const lines = makeLineCount()
  const wanted = num_calls + (format === 'csv' ? newlines : 0)
  return {
    see: (chunk) => {
      tail.see(chunk)
      if (format !== 'parquet') lines.see(chunk)
    },
    progress: () => Math.min(1, lines.count() / Math.max(1, wanted)),
    finish: () => {
      refuse(tail.bytes(), tag)
      if (format === 'parquet') {
        if (!tail.bytes().subarray(-PARQUET_MAGIC.length).equals(PARQUET_MAGIC)) throw cut('its footer is missing')
        return
      }
      if (lines.count() < wanted) throw cut(`${lines.count()} lines of ${wanted} came`)
      if (lines.count() > wanted)
        throw new SnapshotMoved(`The export has ${lines.count()} lines where ${wanted} were counted`)
    },
  }
}

function cut(what: string): Error {
  return new WarehouseUnavailable(`The call-record store cut the export short: ${what}`)
}

/** Throws the error that the server wrote into the body, if it did. */
function refuse(tail: Buffer, tag: string | undefined): void {
  if (tag === undefined) return
  const mark = `__exception__\r\n${tag}\r\n`
  const at = tail.lastIndexOf(mark)
  if (at === -1) return
  const message = tail.subarray(at + mark.length).toString('utf8')
  throw new WarehouseFailed(
    `The call-record store failed while exporting: ${quotable(message)}`,
    /Code: (\d+)/.exec(message)?.[1] ?? '',
  )
}

function makeTail(): { see: (chunk: Buffer) => void; bytes: () => Buffer } {
  let kept: Buffer[] = []
  let length = 0
  return {
    see: (chunk) => {
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

function makeLineCount(): { see: (chunk: Buffer) => void; count: () => number } {
  let found = 0
  return {
    see: (chunk) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) found += 1
    },
    count: () => found,
  }
}
