import pg from 'pg'
import { timestampOf } from './timestamps.ts'

/** A connection string (`postgresql://…`) or its fields. */
export type Connection = string | pg.PoolConfig

/** The settings of every connection, pooled or dedicated. */
export function connectionConfig(connection: Connection): pg.PoolConfig {
  const given = typeof connection === 'string' ? { connectionString: connection } : connection
  return {
    keepAlive: true,
    // Casts between timestamptz and date mean UTC on every server.
    options: '-c TimeZone=UTC',
    types: { getTypeParser },
    ...given,
  }
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
