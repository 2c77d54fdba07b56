-- The statements that were applied to the call-record store, which has no lock of its own.
create table cdr_schema_step (
  -- that of the store: "cluster"
  mode text not null,
  name text not null,
  -- SHA-256 of the statement
  digest text not null,
  servers integer not null,
  applied_at timestamptz not null default now(),
  primary key (mode, name)
);
