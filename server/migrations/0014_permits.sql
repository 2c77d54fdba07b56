-- What is in progress under a limit of all processes together: deliveries, and space for uploads. Unlogged, because a permit
-- lasts minutes at most: after a crash of the server or a failover, what is in progress does not count.
create unlogged table permit (
  -- the limit, and what it limits
  name text not null,
  holder uuid not null,
  amount bigint not null,
  -- a killed process releases nothing
  expires_at timestamptz not null,
  primary key (name, holder)
);

-- Acquires at least p_least and at most p_most under every name, if all have room; returns what was held before. The locks
-- end with the statement, and are taken in one order, so two statements cannot wait for each other.
create function acquire_permits(p_names text[], p_maxima bigint[], p_least bigint, p_most bigint, p_holder uuid, p_lease_s int)
returns table (permit_name text, held bigint) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('permit ' || name, 0) as key from unnest(p_names) as name order by 1) as locks;
  return query
    with limits as materialized (
      select l.name, l.at_most, coalesce((
        select sum(p.amount) from permit p where p.name = l.name and p.expires_at > clock_timestamp()), 0)::bigint as held
      from unnest(p_names, p_maxima) as l (name, at_most)
    ), acquired as (
      insert into permit (name, holder, amount, expires_at)
      select l.name, p_holder, least(p_most, l.at_most - l.held), clock_timestamp() + make_interval(secs => p_lease_s)
      from limits l where not exists (select from limits f where f.held + p_least > f.at_most)
    )
    select l.name, l.held from limits l;
end
$$;
