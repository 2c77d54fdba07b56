-- Business documents of port orders. The bytes are files, named by digest.

create table port_order_document (
  account_id bigint not null,
  port_order_id bigint not null,
  id bigint generated always as identity (start with 1001),
  source text not null check (source in ('pull', 'upload', 'service')),
  kind text not null check (kind in ('document', 'loa')),
  -- what the account holder sees; never a path
  name text not null,
  -- of a pull: as submitted, and as fetched
  original_url text,
  url text,
  status text not null check (status in ('pending', 'processing', 'complete', 'error')),
  failure_reason text,
  -- begun ever, and those that failed in a way that may pass
  attempts int not null default 0,
  failures int not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  sha256 text,
  bytes bigint,
  media_type text,
  primary key (account_id, id),
  unique (id),
  foreign key (account_id, port_order_id) references port_order (account_id, id),
  check ((status = 'complete') = (sha256 is not null)),
  check ((source = 'pull') = (url is not null and original_url is not null))
);
create index port_order_document_of on port_order_document (account_id, port_order_id, id);
create index port_order_document_file on port_order_document (sha256) where sha256 is not null;
create index port_order_document_open on port_order_document (account_id) where status in ('pending', 'processing');

create table port_order_document_attempt (
  account_id bigint not null,
  document_id bigint not null,
  number int not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- null while it is under way
  outcome text check (outcome in ('complete', 'retry', 'error', 'interrupted')),
  response_status int,
  failure_reason text,
  primary key (account_id, document_id, number),
  foreign key (account_id, document_id) references port_order_document (account_id, id)
);
