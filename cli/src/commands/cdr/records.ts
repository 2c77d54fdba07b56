/** Splits a file of records into batches of whole records, byte for byte. */

export interface Batch {
  /** Complete records with their line ends. */
  bytes: Buffer
  /** Where each record begins in `bytes`. */
  starts: readonly number[]
  /** The file's line where each record begins, from 1. */
  lines: readonly number[]
}

export interface SplitOptions {
  /** Records are CSV lines; a line end inside quotes belongs to its record. */
  csv: boolean
  /** A batch has at most this many records, and is complete at this many bytes. */
  records_max: number
  bytes_max: number
}

const line_feed = 0x0a
const quote = 0x22
/** Largest record: an unclosed quote must not read the whole file into memory. */
const record_max = 1024 * 1024

/** The batches of a file, in order. Adds a line end to the last line if it has none. */
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

/** The end of the record that starts at `begin`; -1 if it hasn't arrived yet. */
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

/** The records of a batch from `from` up to but not including `to`. */
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
