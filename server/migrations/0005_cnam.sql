-- Caller-ID names (CNAM).

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
