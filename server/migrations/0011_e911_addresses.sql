-- Emergency addresses of the accounts, with the evidence of their validation.

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
  -- equal for equal places, as typed and as the data has the street: an address is on an account once by either
  typed_key text not null,
  canonical_key text not null,
  level text not null check (level in ('postal', 'street', 'range', 'address')),
  source text not null,
  vintage text not null,
  elements jsonb not null,
  validated_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, id),
  unique (id),
  constraint e911_address_label unique (account_id, label),
  constraint e911_address_place unique (account_id, canonical_key),
  check ((address_type is null) = (address_type_number is null))
);
create index e911_address_typed on e911_address (account_id, typed_key);

alter table number
  add column e911_id bigint,
  -- no action on delete: an address that numbers use stays
  add constraint number_e911 foreign key (account_id, e911_id) references e911_address (account_id, id),
  add check (e911_id is null or number_type = 'longcode');
create index number_by_e911 on number (account_id, e911_id);

-- A file that was sent in and waits to be loaded: its digest, and how to read it. Null for imports from the command line.
alter table e911_dataset add column upload json;
