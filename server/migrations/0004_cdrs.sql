-- Call-record exports. The records themselves stand in the warehouse.

create table cdr_export (
  account_id bigint not null references account,
  id bigint generated always as identity,
  callback_url text,
  format text not null check (format in ('csv', 'ndjson', 'parquet')),
  -- as the account holder wrote them, and as they were understood
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
