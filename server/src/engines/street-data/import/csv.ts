import { FileRefused } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'

const DELIMITERS = [',', '\t', ';', '|']
const QUOTE = '"'

/** The sign that stands most often in the first line: comma, tab, semicolon or bar. */
export function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/**
 * Takes CSV apart (RFC 4180) as it comes, in pieces of any size. Most lines of street data have no quote, and those are cut
 * by the engine's own split; only the others are looked at sign by sign. A quote that is not at the beginning of a cell is
 * a letter like any other: `12" PIPE LN`. Empty lines are passed over.
 */
export class CsvRecords {
  readonly #delimiter: string
  /** What has not been given yet; begins with a record. */
  #rest = ''
  #quoted: QuotedRecord | undefined

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** The records that end within this piece. Throws FileRefused for one that does not end. */
  *take(piece: string): Generator<string[]> {
    const text = this.#rest + piece
    let start = 0
    for (let next = 0; ; start = next) {
      if (!this.#quoted) {
        const end = text.indexOf('\n', start)
        if (end < 0) break
        const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
        next = end + 1
        if (!line.includes(QUOTE)) {
          if (line !== '') yield line.split(this.#delimiter)
          continue
        }
        this.#quoted = new QuotedRecord(this.#delimiter)
      }
      next = this.#quoted.read(text, start)
      if (next < 0) break
      yield this.#quoted.cells
      this.#quoted = undefined
    }
    this.#rest = text.slice(start)
    if (this.#rest.length > IMPORT.record_max)
      throw new FileRefused(
        `A row is longer than ${IMPORT.record_max} characters: a quote is never closed, or the file is no CSV. Mend that row.`,
      )
  }

  /** The last record, where no end of line follows it. */
  *end(): Generator<string[]> {
    if (this.#rest !== '') yield* this.take('\n')
    if (this.#quoted)
      throw new FileRefused('A quote near the end of the file is never closed. Mend that row, or send the file whole.')
  }
}

/** A record with quotes in it, which may go on over lines and pieces: no sign is looked at twice, however many those are. */
class QuotedRecord {
  readonly cells: string[] = []
  readonly #delimiter: string
  /** Read so far, from the beginning of the record. */
  #at = 0
  #cell = ''
  #state: 'before a cell' | 'in quotes' | 'in a cell' = 'before a cell'

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** Reads on in a text where the record begins at `start`. Gives where the next one begins, -1 when there must be more text. */
  read(text: string, start: number): number {
    for (;;) {
      const at = start + this.#at
      if (this.#state === 'in quotes') {
        if (!this.#readQuoted(text, start, at)) return -1
        continue
      }
      if (at >= text.length) return -1
      if (this.#state === 'before a cell' && text[at] === QUOTE) {
        this.#state = 'in quotes'
        this.#at++
        continue
      }
      const line_end = text.indexOf('\n', at)
      if (line_end < 0) return -1
      const cell_end = text.indexOf(this.#delimiter, at)
      if (cell_end < 0 || cell_end > line_end) {
        this.cells.push(this.#cell + text.slice(at, text[line_end - 1] === '\r' ? line_end - 1 : line_end))
        return line_end + 1
      }
      // nothing should stand between a closing quote and the delimiter; what does is kept
      this.cells.push(this.#cell + text.slice(at, cell_end))
      this.#cell = ''
      this.#state = 'before a cell'
      this.#at = cell_end + 1 - start
    }
  }

  /** Up to behind the quote that closes the cell, or a doubled one. False when there must be more text. */
  #readQuoted(text: string, start: number, at: number): boolean {
    const close = text.indexOf(QUOTE, at)
    const end = close < 0 ? text.length : close
    this.#cell += text.slice(at, end)
    this.#at = end - start
    // what follows the quote says whether it closes
    if (close < 0 || close + 1 === text.length) return false
    const doubled = text[close + 1] === QUOTE
    if (doubled) this.#cell += QUOTE
    else this.#state = 'in a cell'
    this.#at += doubled ? 2 : 1
    return true
  }
}
