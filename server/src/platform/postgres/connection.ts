import pg from 'pg'
import { parseDatabaseUrl, tlsAttempts } from './database-url.ts'

/** A URL (`postgresql://…`), or a URL with fields of the driver that override it. */
export type Connection = string | (pg.PoolConfig & { connectionString: string })

/** Casts between timestamptz and date mean UTC on every server. */
const UTC = '-c TimeZone=UTC'

/**
 * The driver's configuration for each way to connect: every server of the URL, in order, and for each server every kind of TLS
 * that its sslmode allows, the preferred one first. At least one. `pooled`: sends no start-up option other than those of the URL,
 * because a pooler in transaction mode refuses them. Throws DatabaseUrlError and the errors of reading certificates.
 */
export function connectionAttempts(connection: Connection, { pooled = false } = {}): readonly pg.PoolConfig[] {
  const { connectionString, ...overrides } =
    typeof connection === 'string' ? { connectionString: connection } : connection
  const address = parseDatabaseUrl(connectionString)
  const { servers, user, password, database, application_name } = address
  const options = [pooled ? undefined : UTC, address.options].filter((each) => each !== undefined).join(' ')
  const fields = { user, password, database, application_name }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return servers.flatMap((server) =>
    tlsAttempts(address, server).map((ssl) => ({
      keepAlive: true,
      types: { getTypeParser },
      ...server,
      ...given,
      ...(options !== '' && { options }),
      ssl,
      ...overrides,
    })),
  )
}

const TIMESTAMPTZ = 1184
const TEXT_ARRAY = 1009
/** Parsed as arrays of text, because the driver would convert them to local-time Dates and floats. */
const ARRAYS_OF_TEXT = new Set([
  1182, // date[]
  1016, // int8[]
  1231, // numeric[]
])

/** Types kept as text: int8, numeric, date, text, varchar. */
const TEXTS = new Set([20, 1700, 1082, 25, 1043])

/** `date` stays `YYYY-MM-DD`, int8 and numeric stay decimal strings, and timestamptz becomes a Date. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (TEXTS.has(oid) && format !== 'binary') return asText
  if (oid === TIMESTAMPTZ && format !== 'binary') return asTimestamp
  return pg.types.getTypeParser(ARRAYS_OF_TEXT.has(oid) ? TEXT_ARRAY : oid, format)
}

/** Parses a value that stays text. */
export function asText(value: string | Buffer): string {
  return value.toString()
}

const timestampByDriver: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ, 'text')

function asTimestamp(value: string | Buffer): unknown {
  return timestampOf(value.toString(), timestampByDriver)
}

const LONGEST = '2026-03-01 12:00:00.123456+00'.length
const WITHOUT_FRACTION = '2026-03-01 12:00:00+00'.length
/** Position of the first fractional digit, and the end of the milliseconds, which is all a Date holds. */
const DECIMALS = { first: 20, end: 23 } as const

/**
 * Parses a UTC `timestamptz` of the years 100 to 9999, the form our connections receive; `otherwise` parses any other form.
 * Reads by position, because the driver's regular expression is a large part of the cost of reading a list page. Truncates
 * microseconds, like the driver.
 */
export function timestampOf<T>(text: string, otherwise: (text: string) => T): Date | T {
  if (!isInUtc(text)) return otherwise(text)
  let ms = 0
  const end = text.length - '+00'.length
  for (let i: number = DECIMALS.first; i < DECIMALS.end; i++) ms = ms * 10 + (i < end ? digit(text, i) : 0)
  const year = two(text, 0) * 100 + two(text, 2)
  // the Date constructor maps years before 100 to the twentieth century
  if (year < 100) return otherwise(text)
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms))
}

const ZERO = '0'.charCodeAt(0)
const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

function isInUtc(text: string): boolean {
  const { length } = text
  if (length < WITHOUT_FRACTION || length > LONGEST || !text.endsWith('+00')) return false
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== ' ' || text[13] !== ':' || text[16] !== ':') return false
  return length === WITHOUT_FRACTION || text[19] === '.'
}
