/** Splits a file of records into batches of whole records, byte for byte. */

export interface Batch {
  /** Whole records with their line ends. */
  bytes: Buffer
  /** Where each record begins in `bytes`. */
  starts: readonly number[]
  /** The line of the file that each record begins at, from 1. */
  lines: readonly number[]
}

export interface SplitOptions {
  /** Records are lines of a CSV: a line end within quotes is part of its record. */
  csv: boolean
  /** A batch has so many records at most, and is complete with so many bytes. */
  records_max: number
  bytes_max: number
}

const line_feed = 0x0a
const quote = 0x22
/** What one record may have: a quote that is never closed must not gather the whole file. */
const record_max = 1024 * 1024

/** The batches of a file, in order. A last line without an end gets one. */
export async function* batchesOf(
  chunks: AsyncIterable<Buffer>,
  { csv, records_max, bytes_max }: SplitOptions,
): AsyncGenerator<Batch> {
  let [rest, line] = [Buffer.alloc(0), 1]
  const batch = new Gathering(records_max, bytes_max)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    let begin = 0
    for (let end = recordEnd(rest, begin, csv); end >= 0; end = recordEnd(rest, begin, csv)) {
      const record = rest.subarray(begin, end + 1)
      batch.add(record, line)
      line += countOf(record, line_feed)
      begin = end + 1
      if (batch.complete) yield batch.take()
    }
    rest = rest.subarray(begin)
  }
  if (rest.length > 0) batch.add(Buffer.concat([rest, Buffer.from('\n')]), line)
  if (!batch.empty) yield batch.take()
}

class Gathering {
  #records: { record: Buffer; line: number }[] = []
  #bytes = 0
  readonly #records_max: number
  readonly #bytes_max: number

  constructor(records_max: number, bytes_max: number) {
    this.#records_max = records_max
    this.#bytes_max = bytes_max
  }

  get empty(): boolean {
    return this.#records.length === 0
  }

  get complete(): boolean {
    return this.#records.length >= this.#records_max || this.#bytes >= this.#bytes_max
  }

  add(record: Buffer, line: number): void {
    this.#records.push({ record, line })
    this.#bytes += record.length
  }

  take(): Batch {
    const all = this.#records
    this.#records = []
    this.#bytes = 0
    let at = 0
    const starts = all.map(({ record }) => (at += record.length) - record.length)
    return { bytes: Buffer.concat(all.map(({ record }) => record)), starts, lines: all.map(({ line }) => line) }
  }
}

/** Where the record from `begin` ends; -1 when its end is not there yet. */
function recordEnd(bytes: Buffer, begin: number, csv: boolean): number {
  let even = true
  for (let from = begin; ;) {
    const end = bytes.indexOf(line_feed, from)
    if (end < 0) return -1
    if (!csv || end - begin > record_max) return end
    if (countOf(bytes.subarray(from, end), quote) % 2 === 1) even = !even
    if (even) return end
    from = end + 1
  }
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) count++
  return count
}

/** The records of a batch from `from` to before `to`. */
export function partOfBatch({ bytes, starts, lines }: Batch, from: number, to: number): Batch {
  const begin = starts[from] ?? bytes.length
  return {
    bytes: bytes.subarray(begin, starts[to] ?? bytes.length),
    starts: starts.slice(from, to).map((start) => start - begin),
    lines: lines.slice(from, to),
  }
}

/** One record of a batch, with its line end. */
export const recordOf = ({ bytes, starts }: Batch, nth: number): Buffer =>
  bytes.subarray(starts[nth] ?? bytes.length, starts[nth + 1] ?? bytes.length)
