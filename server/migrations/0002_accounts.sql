-- Accounts, their access keys, and the operator's keys.

create table account (
  id bigint generated always as identity (start with 1001) primary key,
  name text not null,
  created_at timestamptz not null,
  -- Standard Webhooks secrets, sealed; the previous one also signs until it expires
  signing_secret text not null,
  previous_signing_secret text,
  previous_valid_until timestamptz,
  -- its keys are revoked, and its people have no rights on it
  closed_at timestamptz,
  -- legal hold: nothing of the account is deleted by retention, or as personal data
  held_at timestamptz,
  hold_reason text,
  -- as in events
  held_by text,
  check (num_nulls(held_at, hold_reason, held_by) in (0, 3))
);

-- Deletions of an account's personal data, with their report: rows by class.
create table personal_data_deletion (
  account_id bigint primary key references account,
  requested_at timestamptz not null,
  requested_by text not null,
  completed_at timestamptz,
  deleted jsonb not null default '{}',
  kept jsonb not null default '{}'
);

create table access_key (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  access_key text not null unique,
  secret_hash text not null,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  unique (account_id, id)
);

create table operator_key (
  id bigint generated always as identity primary key,
  access_key text not null unique,
  secret_hash text not null,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- Processes drop a cached key as soon as the change commits.
create function access_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_key', coalesce(new.access_key, old.access_key));
  return null;
end
$$;
create trigger access_key_changed after update of secret_hash, scopes, expires_at, revoked_at or delete on access_key
  for each row execute function access_key_changed();
create trigger operator_key_changed after update of secret_hash, scopes, revoked_at or delete on operator_key
  for each row execute function access_key_changed();
