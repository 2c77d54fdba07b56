/**
 * The tables. `cdr` has the records, sorted by account, time and id, the order in which they are read. `cdr_id` finds an id in
 * constant time; `cdr` cannot, because the time precedes the id in its key. insert.ts has the protocol.
 */

import type { Layout } from './modes.ts'

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
const CLAIMED_DEFINITIONS = {
  id_hash: 'UInt64 CODEC(NONE)',
  start_time: `${TIME} CODEC(ZSTD(1))`,
  // places a claim on the shard of its account
  account_id: 'UInt64 CODEC(ZSTD(1))',
} as const

/** The columns of an INSERT and their types. The times are those of the lock under which the record is inserted. */
export const INSERTED = { ...typesOf(INSERTED_DEFINITIONS), arrival: 'UInt64' }
export const CLAIMED = { ...typesOf(CLAIMED_DEFINITIONS), claimed: 'UInt64' }

/** Definitions without codecs. The engine builds a dictionary faster from a column of text than row by row. */
function typesOf(definitions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const typeOf = (definition: string) => (definition === ENUMERATED ? 'String' : definition.replace(/ CODEC\(.*$/, ''))
  return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, typeOf(definition)]))
}

/** The five amounts of a call. */
export const AMOUNTS = ['cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'] as const

/** Columns that the engine fills, `arrival` only for records that were inserted by hand. */
const DERIVED = {
  total_cost: `Decimal(18, 8) MATERIALIZED ${AMOUNTS.join(' + ')} CODEC(ZSTD(1))`,
  /** IPv4 as ::ffff:a.b.c.d; `::` for text that is not an address. */
  customer_ip_key: 'IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1))',
  /**
   * When the record was claimed, in microseconds. Increases from insert to insert of an account, whichever server runs it. An
   * export reads records that arrived before it began.
   */
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

/** A statement of the schema. Names are permanent: the journal of applied steps has them. */
export type SchemaStep = { name: string; sql: string }

/** DDL statements in order, each safe to repeat. `database` is a checked identifier. */
export function schema(database: string, layout: Layout): SchemaStep[] {
  const { distributed_over } = layout
  const create = { database, layout, local: distributed_over === null ? '' : '_local' }
  const steps = [
    { name: 'records', sql: records(create) },
    { name: 'claims', sql: claims(create) },
  ]
  // the server creates a Replicated database itself, on every server: server-check.ts
  if (layout.engine !== 'replicated')
    steps.unshift({ name: 'database', sql: `CREATE DATABASE IF NOT EXISTS ${database}${onCluster(layout)}` })
  if (distributed_over !== null)
    steps.push(
      { name: 'shards', sql: shards(create) },
      { name: 'distributed shards', sql: distributed(create, distributed_over, 'account_shard') },
      { name: 'shard dictionary', sql: shardDictionary(create) },
      { name: 'distributed records', sql: distributed(create, distributed_over, 'cdr') },
      { name: 'distributed claims', sql: distributed(create, distributed_over, 'cdr_id') },
    )
  return steps
}

/** The tables of a layout with their engines and the types of their columns, as `system.tables` and `system.columns` have them. */
export function tables(layout: Layout): SchemaTable[] {
  const stored = [
    { name: 'cdr', types: storedTypes({ ...INSERTED_DEFINITIONS, ...DERIVED }) },
    { name: 'cdr_id', types: storedTypes({ ...CLAIMED_DEFINITIONS, claimed: CLAIMED_AT }) },
  ]
  // ClickHouse Cloud, whose storage needs no sync, chooses a replicated engine itself
  const plain = layout.syncs ? /^ReplacingMergeTree$/ : /^(Shared|Replicated)ReplacingMergeTree$/
  if (layout.distributed_over === null) return stored.map((table) => ({ ...table, engine: plain }))
  const engine = layout.engine === 'plain' ? plain : /^ReplicatedReplacingMergeTree$/
  return [...stored, { name: 'account_shard', types: storedTypes(SHARD_DEFINITIONS) }].flatMap(({ name, types }) => [
    { name: `${name}_local`, types, engine },
    { name, types, engine: /^Distributed$/ },
  ])
}

export type SchemaTable = { name: string; engine: RegExp; types: Readonly<Record<string, string>> }

const storedTypes = (definitions: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, type]) => [name, type.replace(/ (CODEC|DEFAULT|MATERIALIZED)\b.*$/, '')]),
  )

/** Checks a database or cluster name, because SQL contains it. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name))
    throw new RangeError(`${JSON.stringify(name)} is not a valid database name`)
  return name
}

type Create = { database: string; layout: Layout; local: string }

export const onCluster = ({ on_cluster }: Layout): string =>
  on_cluster === null ? '' : ` ON CLUSTER ${quoted(on_cluster)}`

/** settings.ts allows a cluster's name only characters that need no escaping. */
const quoted = (name: string): string => `'${name}'`

/**
 * The path of the replicas has no UUID: a statement that runs again for a new server has another UUID, so the new table would be no
 * replica of the others.
 */
function replacing({ database, layout, local }: Create, table: string, version: string): string {
  switch (layout.engine) {
    case 'plain':
      return `ReplacingMergeTree(${version})`
    case 'replicated':
      return `ReplicatedReplacingMergeTree(${version})`
    case 'replicated at path':
      return `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${database}/${table}${local}', '{replica}', ${version})`
  }
}

const columnList = (definitions: Readonly<Record<string, string>>): string =>
  Object.entries(definitions)
    .map(([name, type]) => `  ${name} ${type}`)
    .join(',\n')

const SYNCED = 'fsync_after_insert = 1, fsync_part_directory = 1'

/**
 * No skip indexes: the key restricts reads to the granules of an account and time range, and with FINAL, an index on another
 * column could hide the first delivery. fsync, because an acknowledged record must survive a power failure.
 */
function records(create: Create): string {
  const { database, layout, local } = create
  return `CREATE TABLE IF NOT EXISTS ${database}.cdr${local}${onCluster(layout)} (
${columnList({ ...INSERTED_DEFINITIONS, ...DERIVED })}
) ENGINE = ${replacing(create, 'cdr', 'precedence')}
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS ${layout.syncs ? `${SYNCED}, ` : ''}${COMPACT_PARTS}`
}

/** Small granules and blocks for point lookups: 10,000 cost the same in 10 million rows as in 1 million. */
function claims(create: Create): string {
  const { database, layout, local } = create
  return `CREATE TABLE IF NOT EXISTS ${database}.cdr_id${local}${onCluster(layout)} (
${columnList({ ...CLAIMED_DEFINITIONS, claimed: CLAIMED_AT })}
) ENGINE = ${replacing(create, 'cdr_id', 'claimed')}
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096${layout.syncs ? `,\n  ${SYNCED}` : ''}`
}

const CLAIMED_AT = 'UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))'

/** The dictionary of the shards of accounts, numbered from 0. */
export const SHARD_OF = 'shard_of_account'

const SHARD_DEFINITIONS = { account_id: 'UInt64', shard: 'UInt32', version: 'UInt64' } as const

/** A copy of the placements, on every shard. placements.ts has the protocol. */
function shards(create: Create): string {
  const { database, layout, local } = create
  return `CREATE TABLE IF NOT EXISTS ${database}.account_shard${local}${onCluster(layout)} (
${columnList(SHARD_DEFINITIONS)}
) ENGINE = ${replacing(create, 'account_shard', 'version')}
ORDER BY account_id
SETTINGS ${SYNCED}`
}

/** The interval only matters to a server that was not reachable when an account was placed: placing reloads the dictionary. */
function shardDictionary({ database, layout, local }: Create): string {
  const from = `FROM ${database}.account_shard${local}`
  const consistent = layout.engine === 'plain' ? '' : ' SETTINGS select_sequential_consistency = 1'
  return `CREATE DICTIONARY IF NOT EXISTS ${database}.${SHARD_OF}${onCluster(layout)} (account_id UInt64, shard UInt32)
PRIMARY KEY account_id
SOURCE(CLICKHOUSE(QUERY 'SELECT account_id, argMax(shard, version) AS shard ${from} GROUP BY account_id${consistent}'
  INVALIDATE_QUERY 'SELECT max(version) ${from}'))
LAYOUT(HASHED()) LIFETIME(MIN 5 MAX 10)`
}

function distributed({ database, layout }: Create, cluster: string, table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${database}.${table}${onCluster(layout)} AS ${database}.${table}_local
ENGINE = Distributed(${quoted(cluster)}, ${database}, ${table}_local, ${table === 'account_shard' ? 'rand()' : `dictGet('${database}.${SHARD_OF}', 'shard', account_id)`})`
}
