import pg from 'pg'

/**
 * What an error says about the database server or the way to it:
 *
 * - `ended`: the server ended the session, or refuses new ones because it starts or stops
 * - `read-only`: the server is a standby, or was made read-only
 * - `resources`: the server lacks memory, connections, or disk space
 * - `canceled`: the statement reached its timeout
 * - `broken`: the server's files or its program are damaged
 * - `lost`: the connection broke
 * - `unreachable`: no connection could be opened in time
 * - `tls`: the two ends could not agree on TLS
 */
export type ServerError = 'ended' | 'read-only' | 'resources' | 'canceled' | 'broken' | 'lost' | 'unreachable' | 'tls'

/** By SQLSTATE or its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const states: readonly [RegExp, ServerError][] = [
  // 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03 cannot_connect_now, 57P04 database_dropped, 57P05 idle_session_timeout;
  // 08 connection_exception, which poolers use too
  [/^(57P|08)/, 'ended'],
  // read_only_sql_transaction
  [/^25006/, 'read-only'],
  // insufficient_resources
  [/^53/, 'resources'],
  // query_canceled
  [/^57014/, 'canceled'],
  // 58 system_error, XX internal_error
  [/^(58|XX)/, 'broken'],
]

/** By code of the operating system (errno(3)) or of the name lookup (getaddrinfo(3)). */
const codes: Readonly<Record<string, ServerError>> = {
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
}

/** By message of the driver, whose errors have neither a class nor a code (pg/lib/client.js, pg/lib/connection.js, pg-pool). */
const messages: readonly [RegExp, ServerError][] = [
  [/^Connection terminated due to connection timeout/, 'unreachable'],
  [/^(timeout exceeded when trying to connect|timeout expired)/, 'unreachable'],
  [/^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error))/, 'lost'],
  [/^(The server does not support SSL|There was an error establishing an SSL)/, 'tls'],
]

/** What the error says about the server; null for any other error. */
export function serverErrorOf(error: unknown): ServerError | null {
  if (error instanceof pg.DatabaseError) return find(states, error.code ?? '')
  if (!(error instanceof Error)) return null
  const { code, syscall } = error as NodeJS.ErrnoException
  // whatever the code: the socket of a server that is not running is a missing file, and Node joins the errors of several addresses
  if (syscall === 'connect' || (error instanceof AggregateError && code !== undefined)) return 'unreachable'
  return codes[code ?? ''] ?? find(messages, error.message)
}

const find = (table: readonly [RegExp, ServerError][], text: string): ServerError | null =>
  table.find(([pattern]) => pattern.test(text))?.[1] ?? null
