-- Phone numbers.

create table number (
  account_id bigint not null references account,
  -- 11 digits, country code 1
  value bigint not null check (value between 12000000000 and 19999999999),
  alias text,
  number_type text not null check (number_type in ('longcode', 'toll-free')),
  state text,
  rate_center text,
  iso_country text not null default 'US',
  status text not null default 'active' check (status in ('active', 'inactive')),
  cnam_lookups_enabled boolean not null default false,
  monthly_cost numeric(12, 4) not null,
  message_status text not null default 'unprovisioned' check (message_status in ('unprovisioned', 'pending', 'provisioned')),
  primary_route_id bigint not null default 0,
  failover_route_id bigint,
  cnam_id bigint,
  created_at timestamptz not null,
  e911_id bigint,
  primary key (account_id, value),
  -- a number is on one account only
  constraint number_once unique (value),
  constraint number_primary_route foreign key (account_id, primary_route_id) references route (account_id, id),
  constraint number_failover_route foreign key (account_id, failover_route_id) references route (account_id, id),
  -- deleting a caller-ID name clears it from its numbers
  constraint number_cnam foreign key (account_id, cnam_id) references cnam (account_id, id) on delete set null (cnam_id),
  -- no action on delete: an address that numbers use cannot be deleted
  constraint number_e911 foreign key (account_id, e911_id) references e911_address (account_id, id),
  check (cnam_id is null or number_type = 'longcode'),
  check (e911_id is null or number_type = 'longcode')
);
create index number_by_primary_route on number (account_id, primary_route_id);
create index number_by_failover_route on number (account_id, failover_route_id);
create index number_by_cnam on number (account_id, cnam_id);
create index number_by_e911 on number (account_id, e911_id);
-- by the last seven digits, the way people say local numbers
create index number_local on number (account_id, (value % 10000000));

-- Search finds an account's numbers by any four digits in them and any three characters of their alias, without reading all of
-- them. Arrays need no extension, which a hosted database may not offer.

-- The eight runs of four digits, each prefixed with the account's id.
create function number_fragments(account_id bigint, value bigint) returns bigint[]
  immutable parallel safe language sql
  return array[
    account_id * 10000 + value % 10000,
    account_id * 10000 + value / 10 % 10000,
    account_id * 10000 + value / 100 % 10000,
    account_id * 10000 + value / 1000 % 10000,
    account_id * 10000 + value / 10000 % 10000,
    account_id * 10000 + value / 100000 % 10000,
    account_id * 10000 + value / 1000000 % 10000,
    account_id * 10000 + value / 10000000 % 10000
  ];

-- The runs of three characters, each prefixed with the account's id; null for a shorter text.
create function alias_fragments(account_id bigint, alias text) returns text[]
  immutable strict parallel safe language sql
  return (
    select array_agg(distinct account_id || ' ' || substr(lower(alias), i, 3)) from generate_series(1, length(alias) - 2) i
  );

-- every search reads an index's pending list, so it is merged early
create index number_by_digits on number using gin (number_fragments(account_id, value)) with (gin_pending_list_limit = 256);
create index number_by_alias on number using gin (alias_fragments(account_id, alias)) with (gin_pending_list_limit = 256);
