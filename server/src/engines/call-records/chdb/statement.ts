/** Parses requests of the ClickHouse HTTP interface. Pure. */

import { EXPORT_QUERY_PREFIX } from '../clickhouse.ts'
import { ROW_FORMAT } from '../row-binary.ts'

export type Statement =
  /** Sent in chunks as they are produced. */
  | { kind: 'stream'; sql: string; format: string }
  /**
   * Written to a file first: a compressed format or one with a footer must not restart with every chunk, and an export would
   * occupy the engine for as long as the client reads.
   */
  | { kind: 'file'; sql: string; format: string; gzip: boolean }
  /** Sent when complete. */
  | { kind: 'buffered'; sql: string; format: string }
  | Insert

/** With the rows in the body. */
export type Insert = {
  kind: 'insert'
  table: string
  columns: string[]
  format: string
  settings: Record<string, string | number>
}

export class BadStatement extends Error {
  override name = 'BadStatement'
}

/** Formats without a header or footer, where each chunk contains one or more rows. */
const ROW_FORMATS = new Set(['CSV', 'JSONEachRow', 'JSONCompactEachRow', 'JSONStringsEachRow', 'TabSeparated', 'TSV'])

const INSERT_FORMATS = new Set([ROW_FORMAT, 'Parquet'])

/** Parameters of the HTTP interface that are not query settings. */
const NOT_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'wait_end_of_query',
  'user',
  'password',
  'role',
  'enable_http_compression',
  'compress',
  'decompress',
  'quota_key',
  // Applies when the text is parsed, before settings inside it are read, so it is set when the engine starts.
  'max_query_size',
])

/**
 * Parses a request's statement: `query` in the URL, or the body, or both with an INSERT's data in the body. `accepted` is the
 * request's `Accept-Encoding`; as with a server, it applies only with `enable_http_compression`.
 */
export function readStatement(url: URL, body: Buffer, accepted?: string): Statement {
  const query = url.searchParams.get('query') ?? ''
  const insert = /^\s*INSERT\s+INTO\s+([\w.]+)\s*\(([\w,\s]*)\)\s*FORMAT\s+(\w+)\s*$/i.exec(query)
  if (insert !== null) {
    const [, table = '', columns = '', format = ''] = insert
    if (!INSERT_FORMATS.has(format)) throw new BadStatement(`the embedded engine does not insert ${format}`)
    const names = columns.split(',').map((name) => name.trim())
    return { kind: 'insert', table, columns: names, format, settings: settingsOf(url) }
  }
  const text = `${query}${query === '' ? '' : '\n'}${body.toString('utf8')}`.trim().replace(/;$/, '')
  const found = /\bFORMAT\s+(\w+)\s*$/i.exec(text)
  const format = found?.[1] ?? url.searchParams.get('default_format') ?? 'TabSeparated'
  const sql = found === null ? text : text.slice(0, found.index)
  if (/^\s*INSERT\b/i.test(sql))
    return { kind: 'buffered', sql: withSettings(sql, settingsOf(url), queryId(url)), format }
  if (!/^\s*(?:SELECT|WITH)\b/i.test(sql)) return { kind: 'buffered', sql, format }
  const text_with_settings = withSettings(sql, settingsOf(url), queryId(url))
  const gzip = url.searchParams.get('enable_http_compression') === '1' && accepted === 'gzip'
  if (format === 'Parquet' || gzip || (isExport(url) && ROW_FORMATS.has(format)))
    return { kind: 'file', sql: text_with_settings, format, gzip }
  return { kind: ROW_FORMATS.has(format) ? 'stream' : 'buffered', sql: text_with_settings, format }
}

/** The statement that inserts the rows of a file in one thread, because several threads would each create a part. */
export function insertFrom(path: string, { table, columns, format, settings }: Insert): string {
  const names = columns.join(', ')
  const select = `INSERT INTO ${table} (${names}) SELECT ${names} FROM file(${quoted(path)}, '${format}')`
  return withSettings(select, { ...settings, max_threads: 1 }, '')
}

/** The id for killing a query. */
export function queryId(url: URL): string {
  return url.searchParams.get('query_id') ?? ''
}

export function isExport(url: URL): boolean {
  return queryId(url).startsWith(EXPORT_QUERY_PREFIX)
}

/** `log_comment` is the only field of a running query that can be both set and queried. */
export function killStatement(query_id: string): string {
  return `KILL QUERY WHERE Settings['log_comment'] = ${quoted(query_id)} ASYNC`
}

function settingsOf(url: URL): Record<string, string | number> {
  const settings: Record<string, string | number> = {}
  for (const [name, value] of url.searchParams) {
    if (NOT_SETTINGS.has(name)) continue
    if (name.startsWith('param_')) throw new BadStatement('query parameters are not supported by the embedded engine')
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new BadStatement(`${JSON.stringify(name)} is not a setting`)
    settings[name] = /^\d{1,15}$/.test(value) ? Number(value) : value
  }
  return settings
}

/** A setting in the statement precedes one of the request. */
function withSettings(sql: string, settings: Record<string, string | number>, query_id: string): string {
  const own = /\bSETTINGS\s+\w+\s*=[^()]*$/i.exec(sql)?.[0]
  const all = Object.entries({ ...settings, log_comment: query_id }).filter(
    ([name]) => own === undefined || !new RegExp(`\\b${name} =`).test(own),
  )
  const list = all.map(([key, value]) => `${key} = ${typeof value === 'number' ? value : quoted(value)}`).join(', ')
  return `${sql}${own === undefined ? '\nSETTINGS' : ','} ${list}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
