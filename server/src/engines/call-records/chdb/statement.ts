/** What a request of the ClickHouse HTTP interface asks for. Pure. */

import { EXPORT_LANE } from '../clickhouse.ts'

export type Statement =
  /** Answered in pieces, as they come. */
  | { kind: 'stream'; sql: string; format: string }
  /** Written to a file first, because the engine would otherwise begin a new one with every piece. */
  | { kind: 'file'; sql: string; format: string }
  /** Answered when it is done. */
  | { kind: 'whole'; sql: string; format: string }
  | { kind: 'insert'; table: string; columns: string[]; format: string; settings: Record<string, string | number> }

export class BadStatement extends Error {
  override name = 'BadStatement'
}

/** Formats that are the sum of their rows: a piece is a row or more, without head or foot. */
const ROW_FORMATS = new Set(['CSV', 'JSONEachRow', 'JSONCompactEachRow', 'JSONStringsEachRow', 'TabSeparated', 'TSV'])

/** Parameters of the HTTP interface that are no settings of the query. */
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
  // Holds when the text is parsed, which is before settings inside it are read; set when the engine starts.
  'max_query_size',
])

/** Reads the statement out of a request: `query` in the URL, or the body, or both with the data of an INSERT in the body. */
export function readStatement(url: URL, body: Buffer): Statement {
  const given = url.searchParams.get('query') ?? ''
  const insert = /^\s*INSERT\s+INTO\s+([\w.]+)\s*\(([\w,\s]*)\)\s*FORMAT\s+(\w+)\s*$/i.exec(given)
  if (insert !== null) {
    const [, table = '', columns = '', format = ''] = insert
    return {
      kind: 'insert',
      table,
      columns: columns.split(',').map((name) => name.trim()),
      format,
      settings: settingsOf(url),
    }
  }
  const text = `${given}${given === '' ? '' : '\n'}${body.toString('utf8')}`.trim().replace(/;$/, '')
  const found = /\bFORMAT\s+(\w+)\s*$/i.exec(text)
  const format = found?.[1] ?? url.searchParams.get('default_format') ?? 'TabSeparated'
  const sql = found === null ? text : text.slice(0, found.index)
  if (!/^\s*(?:SELECT|WITH)\b/i.test(sql)) return { kind: 'whole', sql, format }
  const kind = format === 'Parquet' ? 'file' : ROW_FORMATS.has(format) ? 'stream' : 'whole'
  return { kind, sql: withSettings(sql, settingsOf(url), nameOf(url)), format }
}

/** The name under which a query can be killed. */
export function nameOf(url: URL): string {
  return url.searchParams.get('query_id') ?? ''
}

export function isExport(url: URL): boolean {
  return nameOf(url).startsWith(EXPORT_LANE)
}

/** `log_comment` is the one field of a running query that we can choose and find again. */
export function killStatement(name: string): string {
  return `KILL QUERY WHERE Settings['log_comment'] = ${quoted(name)} ASYNC`
}

function settingsOf(url: URL): Record<string, string | number> {
  const settings: Record<string, string | number> = {}
  for (const [name, value] of url.searchParams) {
    if (NOT_SETTINGS.has(name)) continue
    if (name.startsWith('param_')) throw new BadStatement('query parameters are not supported by the embedded engine')
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new BadStatement(`${JSON.stringify(name)} is no setting`)
    settings[name] = /^\d{1,15}$/.test(value) ? Number(value) : value
  }
  return settings
}

function withSettings(sql: string, settings: Record<string, string | number>, name: string): string {
  const all = Object.entries({ ...settings, log_comment: name })
  const list = all.map(([key, value]) => `${key} = ${typeof value === 'number' ? value : quoted(value)}`).join(', ')
  return `${sql}${/\bSETTINGS\s+\w+\s*=/i.test(sql) ? ',' : '\nSETTINGS'} ${list}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
