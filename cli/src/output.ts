import { usage } from './failure.ts'
import { hasColor, write, type Io } from './io.ts'
import { cells, csvLine, fieldPaths, tableLines, textOf, valueAt, type Row } from './table.ts'
import { oneLine, visible } from './visible.ts'

export const formats = ['json', 'ndjson', 'csv', 'ids', 'table'] as const
/** `plain`: values separated by tabs, without a header, for pipes. */
export type Format = (typeof formats)[number] | 'plain'

/** A resource with its attributes next to its id; see `itemOf`. */
export type Item = Readonly<Record<string, unknown>>
export type Items = AsyncIterable<Item> | Iterable<Item>

/** Writes a command's results to standard output in the selected format. */
export interface Output {
  format: Format
  /** Several items: a JSON array, or one line each. The table has `columns` unless --fields is given. */
  list(items: Items, columns?: readonly string[]): Promise<void>
  /** One item: a JSON object, or one line per field. */
  item(item: Item): Promise<void>
  /** The result of a change without a document: a sentence for people, the item for programs. */
  done(sentence: string, item: Item): Promise<void>
  /** JSON, unchanged in every format. */
  json(value: unknown): Promise<void>
  /** Text or bytes, unchanged: files, scripts, firewall rules. */
  bytes(chunk: string | Uint8Array): Promise<void>
}

export interface OutputOptions {
  format: Format
  /** `--fields`; null without it. */
  fields: readonly string[] | null
}

/** Shared by the writers below. */
interface Target extends OutputOptions {
  put(text: string): Promise<void>
  /** Tells the person that a list is empty. */
  none(): Promise<void>
  emphasize(text: string): string
  /** The terminal's width in columns; without a terminal, lines can have any length. */
  width: number
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export function outputOf(io: Io, options: OutputOptions): Output {
  const { format } = options
  const target: Target = {
    ...options,
    put: (text) => write(io.stdout, text),
    none: () => write(io.stderr, 'None.\n'),
    emphasize: hasColor(io, io.stdout) ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text,
    width: io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
  }
  const item = (content: Item) => writeItem(target, content)
  return {
    format,
    list: (items, columns) => writeList(target, items, columns),
    item,
    done: (sentence, result) =>
      format === 'table' || format === 'plain' ? target.put(`${visible(sentence)}\n`) : item(result),
    json: (value) => target.put(format === 'ndjson' ? `${JSON.stringify(value)}\n` : jsonText(value)),
    bytes: (chunk) => write(io.stdout, chunk),
  }
}

async function writeList(target: Target, items: Items, columns?: readonly string[]): Promise<void> {
  const { format, fields, put } = target
  if (format === 'json') return put(jsonText(await allOf(items, fields)))
  if (format === 'table') return writeTable(target, items, columns)
  let names: readonly string[] | null = null
  for await (const item of items) {
    if (names === null) {
      if (fields && format !== 'ids') requireFields(item, fields)
      names = fields ?? (format === 'csv' ? Object.keys(item) : (columns ?? Object.keys(item)))
      if (format === 'csv') await put(csvLine(names))
    }
    await put(lineOf(target, item, names))
  }
  if (names === null && fields && format === 'csv') await put(csvLine(fields))
}

function lineOf({ format, fields }: OutputOptions, item: Item, names: readonly string[]): string {
  if (format === 'ndjson') return `${JSON.stringify(fields ? pick(item, fields) : item)}\n`
  if (format === 'ids') return `${idOf(item)}\n`
  const row = cells(item, names)
  return format === 'csv' ? csvLine(row) : `${row.map(oneLine).join('\t')}\n`
}

const table_widths_from = 200

/** The first items determine the column widths, so a long list starts printing immediately. */
async function writeTable(target: Target, items: Items, columns?: readonly string[]): Promise<void> {
  const { fields, put } = target
  let waiting: Row[] = []
  let names: readonly string[] | null = null
  let linesOf: ((rows: readonly Row[]) => string[]) | null = null
  const flush = async () => {
    const header = linesOf === null ? [(names ?? []).map((name) => name.toUpperCase())] : []
    linesOf ??= tableLines([...header, ...waiting], target.width)
    const [title, ...lines] = linesOf([...header, ...waiting])
    const first = header.length > 0 ? target.emphasize(title ?? '') : (title ?? '')
    await put([first, ...lines].map((line) => `${line}\n`).join(''))
    waiting = []
  }
  for await (const item of items) {
    if (names === null && fields) requireFields(item, fields)
    names ??= fields ?? columns ?? Object.keys(item)
    waiting.push(cells(item, names).map((text) => shortTime(visible(oneLine(text)))))
    if (waiting.length >= table_widths_from) await flush()
  }
  if (names === null) await target.none()
  else if (waiting.length > 0) await flush()
}

async function writeItem(target: Target, item: Item): Promise<void> {
  const { format, fields, put, emphasize } = target
  if (fields && format !== 'ids') requireFields(item, fields)
  if (format === 'json') return put(jsonText(fields ? pick(item, fields) : item))
  if (format !== 'table' && format !== 'plain') return writeList(target, [item])
  const names = fields ?? fieldPaths(item)
  const values = cells(item, names).map(oneLine)
  if (format === 'plain') return put(names.map((name, i) => `${name}\t${values[i]}\n`).join(''))
  const wide = Math.max(...names.map((name) => name.length))
  await put(
    names.map((name, i) => `${emphasize(name.padEnd(wide))}  ${visible(values[i] ?? '')}`.trimEnd() + '\n').join(''),
  )
}

async function allOf(items: Items, fields: readonly string[] | null): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) {
    if (fields && all.length === 0) requireFields(item, fields)
    all.push(fields ? pick(item, fields) : item)
  }
  return all
}

const pick = (item: Item, fields: readonly string[]): Item =>
  Object.fromEntries(fields.map((field) => [field, valueAt(item, field) ?? null]))

/** Rejects fields that the first item lacks, because an empty column would be mistaken for data. */
function requireFields(item: Item, fields: readonly string[]): void {
  const unknown = fields.filter((field) => valueAt(item, field) === undefined)
  if (unknown.length === 0) return
  throw usage('--fields', `Unknown: ${unknown.join(', ')}.`, `Available: ${Object.keys(item).join(', ')}.`)
}

const idOf = (item: Item): string => textOf(item['id'] ?? item['value'] ?? Object.values(item)[0])

/** Tables show times for people: UTC, to the minute. */
const shortTime = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/, '$1 $2')
