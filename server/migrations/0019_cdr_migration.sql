-- The latest migration of all call records from one store to another.
create table cdr_migration (
  id bigint primary key default 1 check (id = 1),
  -- without user and password
  from_store text not null,
  to_store text not null,
  -- where to_store is, with user and password, sealed
  address text not null,
  -- which of the two has the call records: everyone reads it and inserts into it
  current text not null default 'from' check (current in ('from', 'to')),
  -- both stores have the same records and claims that arrived by this time, in microseconds
  same_until bigint not null default 0,
  -- claims that arrived by this time are copied from the current store to the other
  claims_until bigint not null default 0,
  started_at timestamptz not null default now(),
  switched_at timestamptz,
  -- from then on nothing is copied back
  confirmed_at timestamptz,
  check (confirmed_at is null or current = 'to')
);

-- The months that have been copied since same_until from the current store to the other, with what arrived by copied_until.
create table cdr_migration_month (
  account_id bigint not null,
  month text not null,
  copied_until bigint not null,
  primary key (account_id, month)
);
