-- E911: the street data that the operator loads, the customers' addresses validated against it, and bulk validations.

create table e911_dataset (
  id smallint generated always as identity primary key,
  name text not null,
  -- the edition of the data: 2025, 2026Q1; one vintage of a name is active at a time
  vintage text not null,
  format text not null,
  kind text not null check (kind in ('range', 'point')),
  -- authoritative: a number missing from it does not exist (MSAG, a 911 authority's GIS); indicative: it may have gaps
  authority text not null check (authority in ('authoritative', 'indicative')),
  license text not null default '',
  source text not null default '',
  -- held: loaded, but a person must review its report. superseded: the vintage before the active one
  status text not null check (status in ('loading', 'loaded', 'held', 'active', 'superseded', 'failed')),
  failure text,
  rows_read bigint not null default 0,
  rows_skipped bigint not null default 0,
  -- {reason: rows}
  skipped json not null default '{}',
  streets bigint not null default 0,
  ranges bigint not null default 0,
  created_at timestamptz not null,
  activated_at timestamptz,
  -- a file that was uploaded and is not loaded yet: its digest and how to read it; null for imports from the command line
  upload json,
  -- 0 to 1; 1 is loaded
  progress double precision not null default 0,
  -- the file as uploaded over HTTP, by digest; null for imports from the command line
  sha256 text,
  -- ids of its streets, with ids of other datasets possibly in between; null while it has none
  first_street bigint,
  last_street bigint,
  -- what the operator reviews before activation; null while loading
  report json,
  -- how its streets spell suffixes where no postal authority does: {US LA LN} for THAIS LA; loaded as THAIS LN
  suffixes text[] not null default '{}',
  -- columns, layout, and facts that the file does not state
  options json not null default '{}'
);
-- an active vintage stays active while the same vintage is loaded again
create unique index e911_dataset_once on e911_dataset (name, vintage) where status not in ('active', 'superseded');
create unique index e911_dataset_active on e911_dataset (name) where status = 'active';

-- Deleting a dataset deletes its row at once, which hides all its streets, because readers ask for an active dataset. The
-- streets of a national dataset, millions of rows, are deleted in batches; until then the dataset is listed here.
create table e911_dropped (
  dataset_id int primary key,
  -- the streets that remain
  first_street bigint,
  last_street bigint
);
create function e911_dataset_dropped() returns trigger language plpgsql as $$
begin
  insert into e911_dropped (dataset_id, first_street, last_street) values (old.id, old.first_street, old.last_street);
  return null;
end
$$;
create trigger e911_dataset_dropped after delete on e911_dataset for each row execute function e911_dataset_dropped();

-- One row per street, area, and answering point. A dataset may be national, so a row holds only what the search needs, and the
-- house numbers are in the row itself. No foreign key to the dataset: see e911_dropped.
create table e911_street (
  id bigint generated always as identity primary key,
  dataset_id smallint not null,
  country text not null,
  state text not null,
  -- ZIP or postal code, empty where the data has none
  postal text not null,
  -- city or 911 community, empty where neither the data nor the ZIP code has one
  city text not null,
  city_key text not null collate "C",
  -- true when the city was taken from the ZIP code and not from the data
  city_derived boolean not null,
  -- as written in responses: N MAIN ST
  label text not null,
  -- name|type|direction before|direction after: equal for equal streets, however they are written
  key text not null collate "C",
  -- {{low, high, parity}, …}, parity 0 any, 1 odd, 2 even; null when the data is points, or has no numbers for the street
  ranges int[],
  -- numbers known to exist, ascending; null when the data is ranges
  points int[],
  esn text not null,
  psap text not null,
  -- numbers with letters, fractions, or hyphens (12B, 12 1/2, 87-15), and ranges with a prefix (N6W23001|N6W23099|1); null for none
  others text[]
);
create index e911_street_by_postal on e911_street (country, postal, key) where postal <> '';
-- for deleting a dataset: its rows are stored together
create index e911_street_by_dataset on e911_street using brin (dataset_id);
create index e911_street_by_city on e911_street (country, state, city_key, key) where city_key <> '';

-- The places that a dataset covers, and the city names of its postal codes.
create table e911_area (
  dataset_id smallint not null,
  country text not null,
  state text not null,
  -- empty for a city of a dataset without codes
  postal text not null,
  city text not null,
  city_key text not null collate "C",
  city_derived boolean not null,
  -- streets that the data has there; 0 for another name of the place
  streets int not null,
  -- false when the area is known to reach beyond the data (a ZIP code that belongs to the next county)
  complete boolean not null,
  -- points or ranges that the data has in the place
  numbers bigint not null default 0,
  -- share of the streets and numbers that a place of its size has at least, 0 to 1; null where its size is unknown
  share real,
  -- the data has too little of the place to prove that an address there does not exist
  thin boolean not null default false,
  primary key (dataset_id, country, state, postal, city_key)
);
create index e911_area_by_postal on e911_area (country, postal) where postal <> '';
create index e911_area_by_city on e911_area (country, state, city_key, postal);
create index e911_area_communities on e911_area (country, state) where postal = '';

-- Changes whenever a dataset is activated or deleted, so that processes know when their caches are stale.
create table e911_version (
  one boolean primary key default true check (one),
  version bigint not null default 0
);
insert into e911_version default values;

-- The accounts' emergency addresses, with the evidence of their validation.
create table e911_address (
  account_id bigint not null references account,
  id bigint generated always as identity,
  label text not null,
  first_name text not null,
  last_name text not null,
  street_number text not null,
  street_name text not null,
  address_type text,
  address_type_number text,
  city text not null,
  state text not null,
  country text not null,
  zip text not null,
  -- equal for equal places, as typed and as the data spells the street: an account can have an address once by either key
  typed_key text not null,
  canonical_key text not null,
  level text not null check (level in ('postal', 'street', 'range', 'address')),
  source text not null,
  vintage text not null,
  elements jsonb not null,
  validated_at timestamptz not null,
  created_at timestamptz not null,
  -- who answers a 911 call from the address, by the data that validated it; empty where it does not say.
  -- the 911 community where it is not the postal city
  community text not null default '',
  esn text not null default '',
  psap text not null default '',
  primary key (account_id, id),
  unique (id),
  constraint e911_address_label unique (account_id, label),
  constraint e911_address_place unique (account_id, canonical_key),
  check ((address_type is null) = (address_type_number is null))
);
create index e911_address_typed on e911_address (account_id, typed_key);

-- Bulk validations: a file of addresses in, the same rows with their verdicts out.
create table e911_validation (
  account_id bigint not null references account,
  id bigint generated always as identity,
  media_type text not null check (media_type in ('text/csv', 'application/x-ndjson')),
  -- files by digest: the uploaded one, and the result
  given_sha256 text not null,
  given_bytes bigint not null,
  sha256 text,
  bytes bigint,
  status text not null check (status in ('processing', 'completed', 'failed')),
  failure_reason text,
  progress double precision not null default 0,
  row_count int not null default 0,
  verdicts jsonb not null default '{}',
  -- valid rows by level
  levels jsonb not null default '{}',
  created_at timestamptz not null,
  -- set when it completes or fails: when both files are deleted
  expires_at timestamptz,
  expired_at timestamptz,
  primary key (account_id, id),
  unique (id),
  check ((status = 'completed') = (sha256 is not null)),
  check ((status = 'processing') = (expires_at is null))
);
create index e911_validation_processing on e911_validation (account_id) where status = 'processing';
-- storage use of an account is counted from the rows that refer to its files
create index e911_validation_stored on e911_validation (account_id) where expired_at is null;
-- retention
create index e911_validation_expires on e911_validation (expires_at);
