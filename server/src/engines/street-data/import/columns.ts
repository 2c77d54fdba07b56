import { FileRefused } from '../../../platform/file-text.ts'
import type { DatasetReport } from '../tables.ts'
import type { Format, ReadOptions } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { columnMapping } from './read.ts'
import type { Get } from './records.ts'

/** Maximum column names in a message and in the report. */
const NAMES_SHOWN = 60
const EXAMPLE_LENGTH_MAX = 240

/** The columns of a file: which ones are read, and which cells are placeholders. */
export class Columns {
  readonly #name: FormatName
  readonly #format: Format
  readonly #column_names: ReadOptions['columns']
  readonly #mapped: ((column: string) => string) | undefined
  readonly #placeholders = new Map<string, number>()
  readonly #not_read = new Set<string>()
  #get: Get = () => ''

  constructor(name: FormatName, options: ReadOptions) {
    this.#name = name
    this.#format = FORMATS[name]
    this.#column_names = options.columns
    this.#mapped = columnMapping(this.#format, options)
  }

  get report(): DatasetReport['columns'] {
    return {
      not_read: [...this.#not_read].slice(0, NAMES_SHOWN),
      placeholders: Object.fromEntries(this.#placeholders),
    }
  }

  /** Checks that the file has the named and required columns. Throws FileRefused. */
  found(names: readonly string[]): void {
    const mapped = (column: string) => this.#mapped?.(column) ?? column
    const shown = names.slice(0, NAMES_SHOWN).join(', ')
    const missing = Object.values(this.#column_names ?? {}).filter(
      (theirs) => !names.includes(theirs.trim().toLowerCase()),
    )
    if (missing.length > 0)
      throw new FileRefused(
        `The file has no column ${missing.join(', ')}, which columns= refers to. Its columns are ${shown}.`,
      )
    for (const group of this.#format.required) {
      if (group.some((column) => names.includes(mapped(column)))) continue
      const wanted = group.map(mapped).join(' or ')
      throw new FileRefused(
        `The file has no column ${wanted}. Is it in the format ${this.#name}? Its columns are ${shown}. To map one of them, use columns=${group[0]}=NAME.`,
      )
    }
    const read = new Set(Object.keys(this.#format.columns).map(mapped))
    for (const name of names) if (!read.has(name)) this.#not_read.add(name)
  }

  /** Reads the columns of a record by the format's names; a literal NULL or N/A is read as empty and counted. */
  reader(get: Get): Get {
    this.#get = get
    return this.#read
  }

  /** The record as `name=value` with the names of the file, without empty columns; a line without columns as it is. */
  example(): string {
    const names = Object.keys(this.#format.columns)
    const values = (names.length === 0 ? ['line'] : names).flatMap((column) => {
      const theirs = this.#mapped?.(column) ?? column
      const value = this.#get(theirs)
      return value === '' ? [] : [names.length === 0 ? value : `${theirs}=${value}`]
    })
    const text = values.join(', ')
    return text.length > EXAMPLE_LENGTH_MAX ? `${text.slice(0, EXAMPLE_LENGTH_MAX)}…` : text
  }

  readonly #read: Get = (column) => {
    const theirs = this.#mapped === undefined ? column : this.#mapped(column)
    const value = this.#get(theirs)
    if (!isPlaceholder(value)) return value
    this.#placeholders.set(theirs, (this.#placeholders.get(theirs) ?? 0) + 1)
    return ''
  }
}

const PLACEHOLDER = /^(?:null|<null>|\(null\)|#?n\/a|nan)$/i
const PLACEHOLDER_LENGTH_MAX = 6
const PLACEHOLDER_STARTS = new Set([...'nN<(#'].map((letter) => letter.charCodeAt(0)))

/** Checks the length and first character first, because this runs for every cell. */
function isPlaceholder(value: string): boolean {
  return (
    value.length > 2 &&
    value.length <= PLACEHOLDER_LENGTH_MAX &&
    PLACEHOLDER_STARTS.has(value.charCodeAt(0)) &&
    PLACEHOLDER.test(value)
  )
}
