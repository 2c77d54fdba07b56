-- Voice routes, edge strategies, caller-ID names and phone numbers.

create table edge_strategy (
  id bigint generated always as identity primary key,
  name text not null unique,
  description text not null,
  firewall_rules text not null,
  naptr text not null
);

-- id 0 of every account is its default route
create sequence route_id;
create table route (
  account_id bigint not null references account,
  id bigint not null default nextval('route_id'),
  alias text not null,
  route_type text not null check (route_type in ('host', 'number', 'uri', 'sip-reg')),
  value text,
  edge_strategy_id bigint references edge_strategy,
  created_at timestamptz not null,
  primary key (account_id, id),
  check ((id = 0) = (route_type = 'sip-reg')),
  check ((route_type = 'sip-reg') = (value is null))
);
create index route_edge_strategy on route (edge_strategy_id);

-- Every account has its default route from the first moment, whoever makes the account: numbers refer to it.
create function add_default_route() returns trigger language plpgsql as $$
begin
  insert into route (account_id, id, alias, route_type, created_at) values (new.id, 0, 'sip-reg', 'sip-reg', new.created_at);
  return null;
end
$$;
create trigger add_default_route after insert on account for each row execute function add_default_route();
insert into route (account_id, id, alias, route_type, created_at) select id, 0, 'sip-reg', 'sip-reg', created_at from account;

create table cnam (
  account_id bigint not null references account,
  id bigint generated always as identity,
  value text not null,
  is_approved boolean not null default false,
  approved_at timestamptz,
  created_at timestamptz not null,
  rejection_reason text,
  primary key (account_id, id),
  unique (id),
  constraint cnam_value_once unique (account_id, value),
  check (is_approved = (approved_at is not null)),
  check (not is_approved or rejection_reason is null)
);

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
  primary key (account_id, value),
  -- a number rings in one place
  constraint number_once unique (value),
  constraint number_primary_route foreign key (account_id, primary_route_id) references route (account_id, id),
  constraint number_failover_route foreign key (account_id, failover_route_id) references route (account_id, id),
  -- removing a caller-ID name leaves its numbers without one
  constraint number_cnam foreign key (account_id, cnam_id) references cnam (account_id, id) on delete set null (cnam_id),
  check (cnam_id is null or number_type = 'longcode')
);
create index number_by_primary_route on number (account_id, primary_route_id);
create index number_by_failover_route on number (account_id, failover_route_id);
create index number_by_cnam on number (account_id, cnam_id);
