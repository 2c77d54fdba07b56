-- Numbers by any four digits in them, and by any three characters of their alias, within an account: what is typed into a search is
-- found without reading every number of the account. Arrays need no extension, which a database may not offer.

-- The eight runs of four digits, each after the account's id.
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

-- The runs of three characters, each after the account's id; null for a shorter text.
create function alias_fragments(account_id bigint, alias text) returns text[]
  immutable strict parallel safe language sql
  return (
    select array_agg(distinct account_id || ' ' || substr(lower(alias), i, 3)) from generate_series(1, length(alias) - 2) i
  );

-- what is not yet merged into an index is read by each search, so that it is merged early
create index number_by_digits on number using gin (number_fragments(account_id, value)) with (gin_pending_list_limit = 256);
create index number_by_alias on number using gin (alias_fragments(account_id, alias)) with (gin_pending_list_limit = 256);
