import { finished } from 'node:stream/promises'
import { CsvError, parse, type Options, type Parser } from 'csv-parse'

/**
 * Parses CSV (RFC 4180) incrementally, from chunks of text of any size. Skips empty lines. A record has as many cells as its
 * line. Throws CsvError, with the code CSV_MAX_RECORD_SIZE for a record longer than `record_max` characters.
 */
export class CsvRecords {
  readonly #parser: Parser
  readonly #record_max: number
  #found: string[][] = []
  /** Characters since the last chunk in which a record ended. */
  #unfinished = 0

  constructor(record_max: number, options: Options = {}) {
    this.#record_max = record_max
    this.#parser = parse({
      ...options,
      relax_column_count: true,
      skip_empty_lines: true,
      // null keeps the record out of the stream: collecting it here is faster than reading it from the stream
      on_record: (record) => {
        this.#found.push(record)
        return null
      },
    })
    // the write that fails rejects with the same error
    this.#parser.on('error', () => undefined)
  }

  /** The records that end within this piece. */
  async push(text: string): Promise<string[][]> {
    const before = this.#ended()
    await new Promise<void>((resolve, reject) => {
      this.#parser.write(text, (error) => (error ? reject(error) : resolve()))
    })
    // csv-parse's own limit does not count delimiters, so a row of commas only would have none
    this.#unfinished = this.#ended() === before ? this.#unfinished + text.length : 0
    if (this.#unfinished > this.#record_max)
      throw new CsvError('CSV_MAX_RECORD_SIZE', `a row is longer than ${this.#record_max} characters`)
    return this.#take()
  }

  /** At the end of the file: the last record, where no line break follows it. */
  async end(): Promise<string[][]> {
    const written = finished(this.#parser, { readable: false })
    this.#parser.end()
    await written
    return this.#take()
  }

  /** How many records and empty lines have ended. */
  #ended(): number {
    return this.#parser.info.records + this.#parser.info.empty_lines
  }

  #take(): string[][] {
    const found = this.#found
    this.#found = []
    return found
  }
}

/**
 * Which CSV cells a spreadsheet would evaluate as formulas (https://owasp.org/www-community/attacks/CSV_Injection); those get a
 * leading apostrophe. Written as expressions that JavaScript and RE2 read alike, because the call-record engine writes its own
 * files.
 */

/** Characters that start a formula, including full-width forms, which spreadsheets in East Asian locales accept. */
const signs = '=+@\uff1d\uff0b\uff20\uff0d-'
/** Line separators and controls that spreadsheets drop or split cells at: TAB, LF, VT, FF, CR, NEL, LS, PS. */
const separators = '\t\n\v\f\r\u0085\u2028\u2029'

/** Text that starts with a separator, or with a formula character after spaces, controls, or invisible characters. */
export const formulaPattern = `^([${separators}]|[\\p{Z}\\p{Cc}\\p{Cf}]*[${signs}])`
/** Telephone numbers such as +12065550100, which stay unchanged. */
export const telephonePattern = '^[+]?[0-9]+$'

const formula = new RegExp(formulaPattern, 'u')
const telephone = new RegExp(telephonePattern)

/** The cell, with a leading apostrophe if a spreadsheet would evaluate it. */
export const neutralized = (cell: string): string => (formula.test(cell) && !telephone.test(cell) ? `'${cell}` : cell)
