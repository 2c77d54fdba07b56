-- Bulk validations of emergency addresses: a file of rows in, the same rows with their verdicts out.

create table e911_validation (
  account_id bigint not null references account,
  id bigint generated always as identity,
  media_type text not null check (media_type in ('text/csv', 'application/x-ndjson')),
  -- files by digest: what was sent, and what comes back
  given_sha256 text not null,
  sha256 text,
  bytes bigint,
  status text not null check (status in ('processing', 'completed', 'failed')),
  failure_reason text,
  progress double precision not null default 0,
  row_count int not null default 0,
  verdicts jsonb not null default '{}',
  created_at timestamptz not null,
  -- set at the end, good or bad: until when both files are needed
  expires_at timestamptz,
  expired_at timestamptz,
  primary key (account_id, id),
  unique (id),
  check ((status = 'completed') = (sha256 is not null)),
  check ((status = 'processing') = (expires_at is null))
);
create index e911_validation_processing on e911_validation (account_id) where status = 'processing';
