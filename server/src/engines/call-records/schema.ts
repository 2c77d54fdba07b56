/**
 * The tables. `cdr` has the records, sorted by account, time and id, the order in which they are read. `cdr_id` finds an id in
 * constant time; `cdr` cannot, because the time precedes the id in its key. insert.ts has the protocol.
 */

export const DEFAULT_DATABASE = 'demarc'

const TIME = "DateTime64(3, 'UTC')"
const MONEY = 'Decimal(18, 8) CODEC(ZSTD(1))'
/** Text with few distinct values. Above 8192, ClickHouse stores it without a dictionary, so any text is safe. */
const ENUMERATED = 'LowCardinality(String)'

/** Columns that an INSERT names, in order, and their definitions. */
const INSERTED_DEFINITIONS = {
  account_id: 'UInt64 CODEC(ZSTD(1))',
  start_time: `${TIME} CODEC(Delta, ZSTD(1))`,
  id: 'String CODEC(ZSTD(1))',
  direction: ENUMERATED,
  end_time: `${TIME} CODEC(Delta, ZSTD(1))`,
  destination: 'String CODEC(ZSTD(1))',
  number_alias: ENUMERATED,
  callerid: 'String CODEC(ZSTD(1))',
  destination_name: ENUMERATED,
  destination_country: ENUMERATED,
  callerid_country: ENUMERATED,
  line_information: ENUMERATED,
  result: ENUMERATED,
  call_fail_sip_code: 'Nullable(UInt16) CODEC(ZSTD(1))',
  call_fail_reason: ENUMERATED,
  duration: 'UInt32 CODEC(T64, ZSTD(1))',
  billed_duration: 'UInt32 CODEC(T64, ZSTD(1))',
  rate: MONEY,
  first_increment: 'UInt32 CODEC(T64, ZSTD(1))',
  subsequent_increment: 'UInt32 CODEC(T64, ZSTD(1))',
  cost_subtotal: MONEY,
  connect_fee: MONEY,
  usf_fee: MONEY,
  ccrf: MONEY,
  cnam_lookup_fee: MONEY,
  custom_x_tag: 'Array(String) CODEC(ZSTD(1))',
  customer_ip: 'String CODEC(ZSTD(1))',
  // Derived by normalization.ts, which the filters also use.
  destination_digits: 'String CODEC(ZSTD(1))',
  callerid_digits: 'String CODEC(ZSTD(1))',
  number_alias_folded: ENUMERATED,
  tollfree: 'Bool CODEC(ZSTD(1))',
  /** Newlines inside the text cells of the CSV line, for comparing a file's lines with its records. */
  newlines: 'UInt32 CODEC(T64, ZSTD(1))',
} as const

/** The same for the table of claims. */
const CLAIMED_DEFINITIONS = { id_hash: 'UInt64 CODEC(NONE)', start_time: `${TIME} CODEC(ZSTD(1))` } as const

/** The columns of an INSERT and their types. */
export const INSERTED = typesOf(INSERTED_DEFINITIONS)
export const CLAIMED = typesOf(CLAIMED_DEFINITIONS)

/** Definitions without codecs. The engine builds a dictionary faster from a column of text than row by row. */
function typesOf(definitions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const typeOf = (definition: string) => (definition === ENUMERATED ? 'String' : definition.replace(/ CODEC\(.*$/, ''))
  return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, typeOf(definition)]))
}

/** The five amounts of a call. */
export const AMOUNTS = ['cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'] as const

/** Columns that the engine fills. */
const DERIVED = {
  total_cost: `Decimal(18, 8) MATERIALIZED ${AMOUNTS.join(' + ')} CODEC(ZSTD(1))`,
  /** IPv4 as ::ffff:a.b.c.d; `::` for text that is not an address. */
  customer_ip_key: 'IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1))',
  /** When the engine inserted the record, in microseconds. An export reads records that arrived before it began. */
  arrival: 'UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))',
  /** Keeps the first of several deliveries, because it has the highest precedence. */
  precedence: 'UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))',
} as const

/** All columns of a record. */
export const COLUMNS = Object.keys({ ...INSERTED_DEFINITIONS, ...DERIVED })

/**
 * Parts below this size, about 200,000 records, have one data file instead of one per column. Inserts write such parts, and
 * every file costs an fsync.
 */
const COMPACT_PARTS = `min_bytes_for_wide_part = ${64 * 1024 * 1024}`

/** DDL statements in order, each safe to repeat. `database` is a checked identifier. */
export function schema(database: string): string[] {
  return [`CREATE DATABASE IF NOT EXISTS ${database}`, records(database), claims(database)]
}

/** Checks a database name, because SQL contains it unquoted. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name))
    throw new RangeError(`${JSON.stringify(name)} is not a valid database name`)
  return name
}

/**
 * No skip indexes: the key restricts reads to the granules of an account and time range, and with FINAL, an index on another
 * column could hide the first delivery. fsync, because an acknowledged record must survive a power failure.
 */
function records(database: string): string {
  const columns = Object.entries({ ...INSERTED_DEFINITIONS, ...DERIVED }).map(([name, type]) => `  ${name} ${type}`)
  return `CREATE TABLE IF NOT EXISTS ${database}.cdr (
${columns.join(',\n')}
) ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, ${COMPACT_PARTS}`
}

/** Small granules and blocks for point lookups: 10,000 cost the same in 10 million rows as in 1 million. */
function claims(database: string): string {
  return `CREATE TABLE IF NOT EXISTS ${database}.cdr_id (
  id_hash ${CLAIMED_DEFINITIONS.id_hash},
  start_time ${CLAIMED_DEFINITIONS.start_time},
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096,
  fsync_after_insert = 1, fsync_part_directory = 1`
}
