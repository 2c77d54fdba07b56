-- Call-record exports, and deliveries of call records. The records themselves are in ClickHouse.

create table cdr_export (
  account_id bigint not null references account,
  id bigint generated always as identity,
  callback_url text,
  format text not null check (format in ('csv', 'csv.zst', 'ndjson', 'parquet')),
  -- as the customer wrote them, and as parsed
  filter_parameters json not null,
  filter json not null,
  status text not null check (status in ('processing', 'completed', 'failed')),
  failure_reason text,
  progress double precision not null default 0,
  requested_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz,
  -- the file, by digest; null before completion and after expiry
  sha256 text,
  bytes bigint,
  num_calls bigint,
  billed_seconds bigint,
  total_cost numeric,
  call_subtotal numeric,
  connect_fees numeric,
  cnamlookup_fees numeric,
  usf_fees numeric,
  ccrf numeric,
  file_removed_at timestamptz,
  primary key (account_id, id),
  unique (id)
);
create index cdr_export_file on cdr_export (sha256) where file_removed_at is null;
create index cdr_export_stored on cdr_export (account_id) include (bytes) where sha256 is not null and file_removed_at is null;
-- retention
create index cdr_export_finished on cdr_export (finished_at) where status <> 'processing';

-- Deliveries of call records, for the operator. A delivery may hold records of several accounts, so it belongs to none.
create table cdr_ingest (
  id bigint generated always as identity primary key,
  received_at timestamptz not null,
  duration_ms int not null,
  -- as in events
  actor text not null,
  content_type text not null,
  content_encoding text,
  mapping text,
  -- the account that the request names
  account_id bigint,
  bytes bigint not null,
  accepted bigint not null,
  duplicates bigint not null,
  rejected bigint not null,
  -- why it stopped early; null when it was read to the end
  failure text,
  -- the rejected lines: a file, until it expires
  refused_lines int not null default 0,
  refused_sha256 text,
  refused_bytes bigint,
  refused_expires_at timestamptz,
  -- the end of the newest call, which shows how late records arrive; null for a delivery without records
  newest_call_at timestamptz
);
create index cdr_ingest_received on cdr_ingest (received_at);
create index cdr_ingest_refused on cdr_ingest (id) where refused_sha256 is not null;
create index cdr_ingest_file on cdr_ingest (refused_sha256) where refused_sha256 is not null;

-- What ingest has stored, by account and UTC month, to detect call records that the store has lost. No reference to the
-- account: an insert of many accounts must not wait for a change of one.
create table cdr_ledger (
  account_id bigint not null,
  -- YYYY-MM
  month text not null,
  num_calls bigint not null,
  billed_seconds bigint not null,
  total_cost numeric not null,
  primary key (account_id, month)
);
create index cdr_ledger_month on cdr_ledger (month, account_id);

-- Months of call records that are, or were, Parquet files in the file store instead of rows in ClickHouse.
create sequence cdr_cold_version;

create table cdr_cold (
  account_id bigint not null,
  -- YYYY-MM
  month text not null,
  -- removing: in files, and partly still in ClickHouse. cold: in files. loading: in files, and partly in ClickHouse again.
  -- loaded: in ClickHouse, and in no file. Records that arrive later are always in ClickHouse
  state text not null check (state in ('removing', 'cold', 'loading', 'loaded')),
  -- a new one for each change of the state, so that a reader notices
  version bigint not null default nextval('cdr_cold_version'),
  -- by the clock of arrivals, in microseconds: when the state changed, and up to which arrival records are in the files
  changed_us bigint not null,
  until_us bigint not null,
  -- what is in the files
  num_calls bigint not null,
  billed_seconds bigint not null,
  total_cost numeric not null,
  -- how long a loaded month stays
  kept_until timestamptz not null default '-infinity',
  primary key (account_id, month)
);
create index cdr_cold_changing on cdr_cold (month, account_id) where state in ('removing', 'loading');

create table cdr_cold_file (
  account_id bigint not null,
  month text not null,
  part int not null,
  sha256 text not null,
  bytes bigint not null,
  num_calls bigint not null,
  -- while the month is loading: whether ClickHouse has this file's records again
  loaded boolean not null default false,
  primary key (account_id, month, part),
  foreign key (account_id, month) references cdr_cold on delete cascade
);
create index cdr_cold_file_digest on cdr_cold_file (sha256);
