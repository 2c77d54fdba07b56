import { currentSpan, currentTraceparent, inSpan } from './index.ts'

/** Spans of what leaves the process: requests, and statements of databases. */

/**
 * Sends a request in a span. `send` gets the header that lets the receiver continue the trace. The span names the host only: the
 * rest of a URL may be secret.
 */
export function inClientSpan<Response extends { status: number }>(
  method: string,
  { hostname, protocol, port }: URL,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  }
  return inSpan(
    method,
    attributes,
    async (span) => {
      const traceparent = currentTraceparent()
      const response = await send(traceparent === null ? {} : { traceparent })
      span.set({ 'http.response.status_code': response.status })
      if (response.status >= 400) span.fail(String(response.status))
      return response
    },
    'client',
  )
}

/** Runs a PostgreSQL statement in a span that says what it does, but has neither its text nor its values. */
export function inSqlSpan<T>(sql: string, work: () => Promise<T>): Promise<T> {
  return currentSpan()?.sampled ? inDatabaseSpan('postgresql', summaryOf(sql), work) : work()
}

export const inDatabaseSpan = <T>(system: string, summary: string, work: () => Promise<T>): Promise<T> =>
  inSpan(summary, { 'db.system.name': system, 'db.query.summary': summary }, work, 'client')

/** Texts repeat, because values are parameters; lists with filters have many forms. */
const cached_texts = 2_000
const summaries = new Map<string, string>()

/** A statement's first word and its tables, such as `select number voice_route`. No value, even if the text has one. */
export function summaryOf(sql: string): string {
  const known = summaries.get(sql)
  if (known !== undefined) return known
  const summary = summarize(sql)
  if (summaries.size >= cached_texts) summaries.clear()
  summaries.set(sql, summary)
  return summary
}

const named_tables = 3
/** Long statements are bulk inserts, with their table at the beginning. */
const read_chars = 4_000

function summarize(sql: string): string {
  const text = sql.slice(0, read_chars).replace(/'(?:[^'\\]|\\.)*'?|--.*|\/\*[^]*?\*\//g, ' ')
  const verb = /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'statement'
  const names = text.matchAll(/\b(?:from|join|into|update|table)\s+(?:only\s+|lateral\s+)?"?([a-z_]\w*)\b"?(?!\s*\()/gi)
  const tables = new Set([...names].map(([, name = '']) => name.toLowerCase()).filter((name) => !keywords.has(name)))
  return [verb, ...[...tables].slice(0, named_tables)].join(' ')
}

/** Words that follow those above without being a table. */
const keywords = new Set(['set', 'select', 'skip', 'of'])
