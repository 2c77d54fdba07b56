import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { FileRefused, textOf } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'
import { eachLineOf, rejoined, type Get, type OnColumns, type OnRecord } from './records.ts'

/** Records to collect column names from, because each record may have different ones. */
const COLUMNS_FROM = 1_000

/** Reads GeoJSON: a FeatureCollection, an array, or one feature or other object per line. The properties of a feature are its columns. */
export async function eachJsonRecord(
  source: AsyncIterable<Buffer>,
  on_record: OnRecord,
  on_columns?: OnColumns,
): Promise<void> {
  const records = new JsonRecords(on_record, on_columns)
  const text = textOf(source)
  const head = await headOf(text)
  const chunks = rejoined(head, text)
  if (isCollection(head))
    await eachFeature(chunks, head.trimStart().startsWith('[') ? '$.*' : '$.features.*', (feature) =>
      records.next(feature),
    )
  else await eachLineOf(chunks, (line) => (line === '' ? undefined : records.next(parsed(line))))
  records.end()
}

/** One reader for all records, so that one `Get` function serves all of them. */
class JsonRecords {
  #columns = new Map<string, unknown>()
  #read = 0
  readonly #names = new Set<string>()
  readonly #on_record: OnRecord
  readonly #on_columns: OnColumns | undefined
  readonly #get: Get = (column) => {
    const value = this.#columns.get(column)
    // JSON may contain an escaped NUL
    return typeof value === 'string' ? withoutNul(value).trim() : typeof value === 'number' ? String(value) : ''
  }

  constructor(on_record: OnRecord, on_columns: OnColumns | undefined) {
    this.#on_record = on_record
    this.#on_columns = on_columns
  }

  next(record: unknown): Promise<void> | undefined {
    this.#columns = new Map(Object.entries(properties(record)).map(([name, value]) => [name.toLowerCase(), value]))
    if (this.#read < COLUMNS_FROM) {
      for (const name of this.#columns.keys()) if (this.#names.size < IMPORT.columns_max) this.#names.add(name)
    }
    this.#read++
    if (this.#read === COLUMNS_FROM) this.#on_columns?.([...this.#names])
    return this.#on_record(this.#get)
  }

  end(): void {
    if (this.#read < COLUMNS_FROM && this.#names.size > 0) this.#on_columns?.([...this.#names])
  }
}

/** At least the first line, unless it is longer than a record may be. */
async function headOf(text: AsyncGenerator<string>): Promise<string> {
  let head = ''
  while (!head.includes('\n') && head.length <= IMPORT.record_max) {
    const next = await text.next()
    if (next.done === true) break
    head += next.value
  }
  return head
}

/** Whether the file is one object over several lines, or a collection on one line, and not a damaged line of features. */
function isCollection(head: string): boolean {
  const at = head.indexOf('\n')
  if (at < 0 && head.length > IMPORT.record_max) return true
  const line = (at < 0 ? head : head.slice(0, at)).trim()
  const first = parsed(line)
  if (first === undefined) return !line.endsWith('}') && /^[[{]/.test(line)
  return Array.isArray(first) || (typeof first === 'object' && first !== null && 'features' in first)
}

/** Reads the features of a collection one at a time. Throws FileRefused if it isn't JSON, is nested too deeply, or has too large a feature. */
async function eachFeature(
  text: AsyncIterable<string>,
  path: string,
  on_feature: (feature: unknown) => Promise<void> | undefined,
): Promise<void> {
  const found: unknown[] = []
  const tokens = new Tokenizer()
  const values = new TokenParser({ paths: [path], keepStack: false })
  let [depth, since_feature] = [0, 0]
  let failure: Error | undefined
  values.onValue = ({ value }) => {
    since_feature = 0
    found.push(value)
  }
  const fail = (error: Error) => {
    failure ??= error
  }
  values.onError = fail
  tokens.onError = fail
  tokens.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth++
    else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth--
    if (depth > IMPORT.json_depth_max) fail(new FileRefused(TOO_DEEP))
    if (failure === undefined) values.write(token)
  }
  const check = () => {
    if (failure instanceof FileRefused) throw failure
    if (failure)
      throw new FileRefused(`The file is not valid JSON: ${failure.message}. Send the complete file.`, {
        cause: failure,
      })
    if (since_feature > IMPORT.feature_max)
      throw new FileRefused(`A feature is longer than ${IMPORT.feature_max} characters. Simplify its geometry.`)
  }
  for await (const part of text) {
    for (let at = 0; at < part.length; at += PIECE) {
      const piece = part.slice(at, at + PIECE)
      since_feature += piece.length
      tokens.write(piece)
      check()
      for (const feature of found.splice(0)) {
        const pending = on_feature(feature)
        if (pending) await pending
      }
    }
  }
  if (!values.isEnded) throw new FileRefused('The JSON ends early. Send the complete file.')
}

/** Characters to parse at once, so that features don't accumulate. */
const PIECE = 1 << 14
const TOO_DEEP = `The file nests objects deeper than ${IMPORT.json_depth_max} levels, so it is not GeoJSON.`

function properties(record: unknown): object {
  if (typeof record !== 'object' || record === null) return {}
  const inner = 'properties' in record ? record.properties : record
  return typeof inner === 'object' && inner !== null ? inner : {}
}

/** Undefined if the text isn't JSON. */
function parsed(text: string): unknown {
  try {
    // a feature of a text sequence (RFC 8142) begins with a record separator
    return JSON.parse(text.startsWith('\x1e') ? text.slice(1) : text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** PostgreSQL text cannot contain NUL. */
export const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', ' ') : text)
