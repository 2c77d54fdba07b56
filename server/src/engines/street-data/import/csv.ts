import { FileRefused } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'

const DELIMITERS = [',', '\t', ';', '|']
const QUOTE = '"'

/** The most frequent of comma, tab, semicolon and bar in the first line. */
export function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/**
 * Parses CSV (RFC 4180) incrementally, from chunks of any size. A parser of its own, because importing the National Address
 * Database with csv-parse takes 1.8 times as long, and csv-parse does not limit how many cells a row has. Most lines have no
 * quote, and are split natively; only the others are parsed character by character. A quote that is not at the beginning of
 * a cell is an ordinary character: `12" PIPE LN`. Empty lines are skipped.
 */
export class CsvRecords {
  readonly #delimiter: string
  /** The text after the last complete record. */
  #rest = ''
  #quoted: QuotedRecord | undefined

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** The records that end within this chunk. Throws FileRefused for one that is too long. */
  *push(chunk: string): Generator<string[]> {
    const text = this.#rest + chunk
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

  /** At the end of the file: the last record, where no line break follows it. */
  *end(): Generator<string[]> {
    if (this.#rest !== '') yield* this.push('\n')
    if (this.#quoted)
      throw new FileRefused('A quote near the end of the file is never closed. Mend that row, or send the file whole.')
  }
}

/** A record with quotes, which may span lines and chunks. Each character is parsed once, however many those are. */
class QuotedRecord {
  readonly cells: string[] = []
  readonly #delimiter: string
  /** How many characters have been parsed, from the beginning of the record. */
  #at = 0
  #cell = ''
  #state: 'before a cell' | 'in quotes' | 'in a cell' = 'before a cell'

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** Continues in a text where the record begins at `start`. Returns where the next one begins, -1 when more text is needed. */
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
      // RFC 4180 allows nothing between a closing quote and the delimiter; it is kept as text
      this.cells.push(this.#cell + text.slice(at, cell_end))
      this.#cell = ''
      this.#state = 'before a cell'
      this.#at = cell_end + 1 - start
    }
  }

  /** Parses up to and including the closing quote of the cell, or a doubled one. False when more text is needed. */
  #readQuoted(text: string, start: number, at: number): boolean {
    const close = text.indexOf(QUOTE, at)
    const end = close < 0 ? text.length : close
    this.#cell += text.slice(at, end)
    this.#at = end - start
    // only the next character shows whether the quote closes the cell
    if (close < 0 || close + 1 === text.length) return false
    const doubled = text[close + 1] === QUOTE
    if (doubled) this.#cell += QUOTE
    else this.#state = 'in a cell'
    this.#at += doubled ? 2 : 1
    return true
  }
}
