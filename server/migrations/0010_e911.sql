-- Street data that the operator loads, against which emergency addresses are validated.

create table e911_dataset (
  id smallint generated always as identity primary key,
  name text not null,
  -- the issue of the data: 2025, 2026Q1; a name has one active vintage at a time
  vintage text not null,
  format text not null,
  kind text not null check (kind in ('range', 'point')),
  -- authoritative: a number it does not have does not exist (MSAG, a 911 authority's GIS); indicative: it may have gaps
  authority text not null check (authority in ('authoritative', 'indicative')),
  license text not null default '',
  source text not null default '',
  status text not null check (status in ('loading', 'loaded', 'active', 'failed')),
  failure text,
  rows_read bigint not null default 0,
  rows_skipped bigint not null default 0,
  -- {reason: rows}
  skipped json not null default '{}',
  streets bigint not null default 0,
  ranges bigint not null default 0,
  created_at timestamptz not null,
  activated_at timestamptz,
  constraint e911_dataset_once unique (name, vintage)
);
create unique index e911_dataset_active on e911_dataset (name) where status = 'active';

-- One row per street, area and answering point. A dataset may be of national size, so there is no more here than the
-- search needs, and the numbers stand in the row itself.
create table e911_street (
  id bigint generated always as identity primary key,
  dataset_id smallint not null references e911_dataset on delete cascade,
  country text not null,
  state text not null,
  -- ZIP or postal code, empty where the data has none
  postal text not null,
  -- city or 911 community, empty where the data has none and the ZIP code tells none
  city text not null,
  city_key text not null collate "C",
  -- true when the city was taken from the ZIP code and not from the data
  city_derived boolean not null,
  -- as written in an answer: N MAIN ST
  label text not null,
  -- name|type|direction before|direction after: equal for equal streets, however written
  key text not null collate "C",
  -- {{low, high, parity}, …}, parity 0 any, 1 odd, 2 even; null when the data is points, or has no numbers for the street
  ranges int[],
  -- numbers known to exist, ascending; null when the data is ranges
  points int[],
  esn text not null,
  psap text not null
);
create index e911_street_by_postal on e911_street (country, postal, key) where postal <> '';
-- for dropping a dataset: its rows lie together
create index e911_street_by_dataset on e911_street using brin (dataset_id);
create index e911_street_by_city on e911_street (country, state, city_key, key) where city_key <> '';

-- Which places a dataset speaks of: what it covers, and what cities its codes are known by.
create table e911_area (
  dataset_id smallint not null references e911_dataset on delete cascade,
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
  primary key (dataset_id, country, state, postal, city_key)
);
create index e911_area_by_postal on e911_area (country, postal) where postal <> '';
create index e911_area_by_city on e911_area (country, state, city_key, postal);
create index e911_area_communities on e911_area (country, state) where postal = '';

-- Changes whenever a dataset becomes active or goes, so that processes know when what they remember is old.
create table e911_version (
  one boolean primary key default true check (one),
  version bigint not null default 0
);
insert into e911_version default values;
