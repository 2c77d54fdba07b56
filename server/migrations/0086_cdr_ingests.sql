-- Deliveries of call records: one row each, for the operator. They belong to no account: the records of one may be of several.
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
  -- why it ended before its end; null when it did not
  failure text,
  -- the refused lines: a file, until it expires
  refused_lines int not null default 0,
  refused_sha256 text,
  refused_bytes bigint,
  refused_expires_at timestamptz
);
create index cdr_ingest_received on cdr_ingest (received_at);
create index cdr_ingest_refused on cdr_ingest (id) where refused_sha256 is not null;
create index cdr_ingest_file on cdr_ingest (refused_sha256) where refused_sha256 is not null;
