-- The link by which a calendar application reads the FOC dates of an account: its secret, and since when it is valid.

create table port_order_calendar (
  account_id bigint primary key references account,
  -- keyed hash; who replaces the link makes the one before invalid
  secret_hash bytea not null,
  created_at timestamptz not null
);

-- what the calendar shows
create index port_order_completion on port_order (account_id, completion_date) where completion_date is not null;
