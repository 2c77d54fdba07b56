-- Voice routes, and the edge strategies they use.

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

-- Every account gets its default route on insert, because numbers refer to it.
create function add_default_route() returns trigger language plpgsql as $$
begin
  insert into route (account_id, id, alias, route_type, created_at) values (new.id, 0, 'sip-reg', 'sip-reg', new.created_at);
  return null;
end
$$;
create trigger add_default_route after insert on account for each row execute function add_default_route();
