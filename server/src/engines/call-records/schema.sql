-- The tables of call records in each mode. Generated from schema.ts: npm run check -- --write

-- embedded

CREATE DATABASE IF NOT EXISTS demarc;

CREATE TABLE IF NOT EXISTS demarc.cdr (
  account_id UInt64 CODEC(ZSTD(1)),
  start_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id String CODEC(ZSTD(1)),
  direction LowCardinality(String),
  end_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  destination String CODEC(ZSTD(1)),
  number_alias LowCardinality(String),
  callerid String CODEC(ZSTD(1)),
  destination_name LowCardinality(String),
  destination_country LowCardinality(String),
  callerid_country LowCardinality(String),
  line_information LowCardinality(String),
  result LowCardinality(String),
  call_fail_sip_code Nullable(UInt16) CODEC(ZSTD(1)),
  call_fail_reason LowCardinality(String),
  duration UInt32 CODEC(T64, ZSTD(1)),
  billed_duration UInt32 CODEC(T64, ZSTD(1)),
  rate Decimal(18, 8) CODEC(ZSTD(1)),
  first_increment UInt32 CODEC(T64, ZSTD(1)),
  subsequent_increment UInt32 CODEC(T64, ZSTD(1)),
  cost_subtotal Decimal(18, 8) CODEC(ZSTD(1)),
  connect_fee Decimal(18, 8) CODEC(ZSTD(1)),
  usf_fee Decimal(18, 8) CODEC(ZSTD(1)),
  ccrf Decimal(18, 8) CODEC(ZSTD(1)),
  cnam_lookup_fee Decimal(18, 8) CODEC(ZSTD(1)),
  custom_x_tag Array(String) CODEC(ZSTD(1)),
  customer_ip String CODEC(ZSTD(1)),
  destination_digits String CODEC(ZSTD(1)),
  callerid_digits String CODEC(ZSTD(1)),
  number_alias_folded LowCardinality(String),
  tollfree Bool CODEC(ZSTD(1)),
  newlines UInt32 CODEC(T64, ZSTD(1)),
  total_cost Decimal(18, 8) MATERIALIZED cost_subtotal + connect_fee + usf_fee + ccrf + cnam_lookup_fee CODEC(ZSTD(1)),
  customer_ip_key IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1)),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1)),
  precedence UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 67108864;

CREATE TABLE IF NOT EXISTS demarc.cdr_id (
  id_hash UInt64 CODEC(NONE),
  start_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
  account_id UInt64 CODEC(ZSTD(1)),
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096,
  fsync_after_insert = 1, fsync_part_directory = 1;

-- server

CREATE DATABASE IF NOT EXISTS demarc;

CREATE TABLE IF NOT EXISTS demarc.cdr (
  account_id UInt64 CODEC(ZSTD(1)),
  start_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id String CODEC(ZSTD(1)),
  direction LowCardinality(String),
  end_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  destination String CODEC(ZSTD(1)),
  number_alias LowCardinality(String),
  callerid String CODEC(ZSTD(1)),
  destination_name LowCardinality(String),
  destination_country LowCardinality(String),
  callerid_country LowCardinality(String),
  line_information LowCardinality(String),
  result LowCardinality(String),
  call_fail_sip_code Nullable(UInt16) CODEC(ZSTD(1)),
  call_fail_reason LowCardinality(String),
  duration UInt32 CODEC(T64, ZSTD(1)),
  billed_duration UInt32 CODEC(T64, ZSTD(1)),
  rate Decimal(18, 8) CODEC(ZSTD(1)),
  first_increment UInt32 CODEC(T64, ZSTD(1)),
  subsequent_increment UInt32 CODEC(T64, ZSTD(1)),
  cost_subtotal Decimal(18, 8) CODEC(ZSTD(1)),
  connect_fee Decimal(18, 8) CODEC(ZSTD(1)),
  usf_fee Decimal(18, 8) CODEC(ZSTD(1)),
  ccrf Decimal(18, 8) CODEC(ZSTD(1)),
  cnam_lookup_fee Decimal(18, 8) CODEC(ZSTD(1)),
  custom_x_tag Array(String) CODEC(ZSTD(1)),
  customer_ip String CODEC(ZSTD(1)),
  destination_digits String CODEC(ZSTD(1)),
  callerid_digits String CODEC(ZSTD(1)),
  number_alias_folded LowCardinality(String),
  tollfree Bool CODEC(ZSTD(1)),
  newlines UInt32 CODEC(T64, ZSTD(1)),
  total_cost Decimal(18, 8) MATERIALIZED cost_subtotal + connect_fee + usf_fee + ccrf + cnam_lookup_fee CODEC(ZSTD(1)),
  customer_ip_key IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1)),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1)),
  precedence UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 67108864;

CREATE TABLE IF NOT EXISTS demarc.cdr_id (
  id_hash UInt64 CODEC(NONE),
  start_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
  account_id UInt64 CODEC(ZSTD(1)),
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096,
  fsync_after_insert = 1, fsync_part_directory = 1;

-- cluster

CREATE DATABASE IF NOT EXISTS demarc ON CLUSTER 'main';

CREATE TABLE IF NOT EXISTS demarc.cdr_local ON CLUSTER 'main' (
  account_id UInt64 CODEC(ZSTD(1)),
  start_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id String CODEC(ZSTD(1)),
  direction LowCardinality(String),
  end_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  destination String CODEC(ZSTD(1)),
  number_alias LowCardinality(String),
  callerid String CODEC(ZSTD(1)),
  destination_name LowCardinality(String),
  destination_country LowCardinality(String),
  callerid_country LowCardinality(String),
  line_information LowCardinality(String),
  result LowCardinality(String),
  call_fail_sip_code Nullable(UInt16) CODEC(ZSTD(1)),
  call_fail_reason LowCardinality(String),
  duration UInt32 CODEC(T64, ZSTD(1)),
  billed_duration UInt32 CODEC(T64, ZSTD(1)),
  rate Decimal(18, 8) CODEC(ZSTD(1)),
  first_increment UInt32 CODEC(T64, ZSTD(1)),
  subsequent_increment UInt32 CODEC(T64, ZSTD(1)),
  cost_subtotal Decimal(18, 8) CODEC(ZSTD(1)),
  connect_fee Decimal(18, 8) CODEC(ZSTD(1)),
  usf_fee Decimal(18, 8) CODEC(ZSTD(1)),
  ccrf Decimal(18, 8) CODEC(ZSTD(1)),
  cnam_lookup_fee Decimal(18, 8) CODEC(ZSTD(1)),
  custom_x_tag Array(String) CODEC(ZSTD(1)),
  customer_ip String CODEC(ZSTD(1)),
  destination_digits String CODEC(ZSTD(1)),
  callerid_digits String CODEC(ZSTD(1)),
  number_alias_folded LowCardinality(String),
  tollfree Bool CODEC(ZSTD(1)),
  newlines UInt32 CODEC(T64, ZSTD(1)),
  total_cost Decimal(18, 8) MATERIALIZED cost_subtotal + connect_fee + usf_fee + ccrf + cnam_lookup_fee CODEC(ZSTD(1)),
  customer_ip_key IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1)),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1)),
  precedence UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/demarc/cdr_local', '{replica}', precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 67108864;

CREATE TABLE IF NOT EXISTS demarc.cdr_id_local ON CLUSTER 'main' (
  id_hash UInt64 CODEC(NONE),
  start_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
  account_id UInt64 CODEC(ZSTD(1)),
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/demarc/cdr_id_local', '{replica}', claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096,
  fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS demarc.account_shard_local ON CLUSTER 'main' (
  account_id UInt64,
  shard UInt32,
  version UInt64
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/demarc/account_shard_local', '{replica}', version)
ORDER BY account_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS demarc.account_shard ON CLUSTER 'main' AS demarc.account_shard_local
ENGINE = Distributed('main', demarc, account_shard_local, rand());

CREATE DICTIONARY IF NOT EXISTS demarc.shard_of_account ON CLUSTER 'main' (account_id UInt64, shard UInt32)
PRIMARY KEY account_id
SOURCE(CLICKHOUSE(QUERY 'SELECT account_id, argMax(shard, version) AS shard FROM demarc.account_shard_local GROUP BY account_id SETTINGS select_sequential_consistency = 1'
  INVALIDATE_QUERY 'SELECT max(version) FROM demarc.account_shard_local'))
LAYOUT(HASHED()) LIFETIME(MIN 5 MAX 10);

CREATE TABLE IF NOT EXISTS demarc.cdr ON CLUSTER 'main' AS demarc.cdr_local
ENGINE = Distributed('main', demarc, cdr_local, dictGet('demarc.shard_of_account', 'shard', account_id));

CREATE TABLE IF NOT EXISTS demarc.cdr_id ON CLUSTER 'main' AS demarc.cdr_id_local
ENGINE = Distributed('main', demarc, cdr_id_local, dictGet('demarc.shard_of_account', 'shard', account_id));

-- replicated-database

CREATE TABLE IF NOT EXISTS demarc.cdr_local (
  account_id UInt64 CODEC(ZSTD(1)),
  start_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id String CODEC(ZSTD(1)),
  direction LowCardinality(String),
  end_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  destination String CODEC(ZSTD(1)),
  number_alias LowCardinality(String),
  callerid String CODEC(ZSTD(1)),
  destination_name LowCardinality(String),
  destination_country LowCardinality(String),
  callerid_country LowCardinality(String),
  line_information LowCardinality(String),
  result LowCardinality(String),
  call_fail_sip_code Nullable(UInt16) CODEC(ZSTD(1)),
  call_fail_reason LowCardinality(String),
  duration UInt32 CODEC(T64, ZSTD(1)),
  billed_duration UInt32 CODEC(T64, ZSTD(1)),
  rate Decimal(18, 8) CODEC(ZSTD(1)),
  first_increment UInt32 CODEC(T64, ZSTD(1)),
  subsequent_increment UInt32 CODEC(T64, ZSTD(1)),
  cost_subtotal Decimal(18, 8) CODEC(ZSTD(1)),
  connect_fee Decimal(18, 8) CODEC(ZSTD(1)),
  usf_fee Decimal(18, 8) CODEC(ZSTD(1)),
  ccrf Decimal(18, 8) CODEC(ZSTD(1)),
  cnam_lookup_fee Decimal(18, 8) CODEC(ZSTD(1)),
  custom_x_tag Array(String) CODEC(ZSTD(1)),
  customer_ip String CODEC(ZSTD(1)),
  destination_digits String CODEC(ZSTD(1)),
  callerid_digits String CODEC(ZSTD(1)),
  number_alias_folded LowCardinality(String),
  tollfree Bool CODEC(ZSTD(1)),
  newlines UInt32 CODEC(T64, ZSTD(1)),
  total_cost Decimal(18, 8) MATERIALIZED cost_subtotal + connect_fee + usf_fee + ccrf + cnam_lookup_fee CODEC(ZSTD(1)),
  customer_ip_key IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1)),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1)),
  precedence UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 67108864;

CREATE TABLE IF NOT EXISTS demarc.cdr_id_local (
  id_hash UInt64 CODEC(NONE),
  start_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
  account_id UInt64 CODEC(ZSTD(1)),
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree(claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096,
  fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS demarc.account_shard_local (
  account_id UInt64,
  shard UInt32,
  version UInt64
) ENGINE = ReplicatedReplacingMergeTree(version)
ORDER BY account_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS demarc.account_shard AS demarc.account_shard_local
ENGINE = Distributed('demarc', demarc, account_shard_local, rand());

CREATE DICTIONARY IF NOT EXISTS demarc.shard_of_account (account_id UInt64, shard UInt32)
PRIMARY KEY account_id
SOURCE(CLICKHOUSE(QUERY 'SELECT account_id, argMax(shard, version) AS shard FROM demarc.account_shard_local GROUP BY account_id SETTINGS select_sequential_consistency = 1'
  INVALIDATE_QUERY 'SELECT max(version) FROM demarc.account_shard_local'))
LAYOUT(HASHED()) LIFETIME(MIN 5 MAX 10);

CREATE TABLE IF NOT EXISTS demarc.cdr AS demarc.cdr_local
ENGINE = Distributed('demarc', demarc, cdr_local, dictGet('demarc.shard_of_account', 'shard', account_id));

CREATE TABLE IF NOT EXISTS demarc.cdr_id AS demarc.cdr_id_local
ENGINE = Distributed('demarc', demarc, cdr_id_local, dictGet('demarc.shard_of_account', 'shard', account_id));

-- cloud

CREATE DATABASE IF NOT EXISTS demarc;

CREATE TABLE IF NOT EXISTS demarc.cdr (
  account_id UInt64 CODEC(ZSTD(1)),
  start_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id String CODEC(ZSTD(1)),
  direction LowCardinality(String),
  end_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  destination String CODEC(ZSTD(1)),
  number_alias LowCardinality(String),
  callerid String CODEC(ZSTD(1)),
  destination_name LowCardinality(String),
  destination_country LowCardinality(String),
  callerid_country LowCardinality(String),
  line_information LowCardinality(String),
  result LowCardinality(String),
  call_fail_sip_code Nullable(UInt16) CODEC(ZSTD(1)),
  call_fail_reason LowCardinality(String),
  duration UInt32 CODEC(T64, ZSTD(1)),
  billed_duration UInt32 CODEC(T64, ZSTD(1)),
  rate Decimal(18, 8) CODEC(ZSTD(1)),
  first_increment UInt32 CODEC(T64, ZSTD(1)),
  subsequent_increment UInt32 CODEC(T64, ZSTD(1)),
  cost_subtotal Decimal(18, 8) CODEC(ZSTD(1)),
  connect_fee Decimal(18, 8) CODEC(ZSTD(1)),
  usf_fee Decimal(18, 8) CODEC(ZSTD(1)),
  ccrf Decimal(18, 8) CODEC(ZSTD(1)),
  cnam_lookup_fee Decimal(18, 8) CODEC(ZSTD(1)),
  custom_x_tag Array(String) CODEC(ZSTD(1)),
  customer_ip String CODEC(ZSTD(1)),
  destination_digits String CODEC(ZSTD(1)),
  callerid_digits String CODEC(ZSTD(1)),
  number_alias_folded LowCardinality(String),
  tollfree Bool CODEC(ZSTD(1)),
  newlines UInt32 CODEC(T64, ZSTD(1)),
  total_cost Decimal(18, 8) MATERIALIZED cost_subtotal + connect_fee + usf_fee + ccrf + cnam_lookup_fee CODEC(ZSTD(1)),
  customer_ip_key IPv6 MATERIALIZED toIPv6OrDefault(customer_ip) CODEC(ZSTD(1)),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1)),
  precedence UInt64 MATERIALIZED bitNot(arrival) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(start_time)
ORDER BY (account_id, start_time, id)
SETTINGS min_bytes_for_wide_part = 67108864;

CREATE TABLE IF NOT EXISTS demarc.cdr_id (
  id_hash UInt64 CODEC(NONE),
  start_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
  account_id UInt64 CODEC(ZSTD(1)),
  claimed UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6))) CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree(claimed)
ORDER BY (id_hash, start_time)
PRIMARY KEY id_hash
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 4096;
