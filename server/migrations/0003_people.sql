-- People: who signs in, which accounts they act for, and how they prove their identity. Times are the database's, except that
-- invitations expire by the service's clock.

create table person (
  id bigint generated always as identity primary key,
  email text not null,
  -- When the person proved that the address is theirs: by a link mailed to it, or by an identity provider that verified it.
  -- Null: they joined by a link that the inviter saw, and are bound to the one membership they joined with.
  email_proven_at timestamptz,
  name text not null,
  time_zone text,
  -- PHC string: algorithm, parameters, salt, hash
  password_hash text,
  -- sealed; pending until one of its codes was entered
  totp_secret text,
  totp_pending text,
  -- the time step of the last accepted code: each code is accepted once
  totp_step bigint,
  created_at timestamptz not null,
  last_signed_in_at timestamptz,
  -- demo mode: what this person demonstrates; such people sign in without a password
  demo_story text
);
-- An address belongs to whoever proved it. Anyone can be invited under it, so the others share it.
create unique index person_proven_email on person (lower(email)) where email_proven_at is not null;
create index person_email on person (lower(email));

-- Without an account: for the operator's staff.
create table membership (
  person_id bigint not null references person,
  account_id bigint references account,
  id bigint generated always as identity primary key,
  role text not null,
  created_at timestamptz not null,
  unique nulls not distinct (person_id, account_id),
  check (case when account_id is null then role in ('operator', 'operator_read_only') else role in ('owner', 'manager', 'read_only') end)
);
create index membership_account on membership (account_id, id);

create table person_session (
  person_id bigint not null references person,
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  method text not null check (method in ('password', 'passkey', 'openid', 'invitation', 'demo')),
  remote_ip text not null,
  user_agent text,
  started_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- when the person last confirmed their identity
  confirmed_at timestamptz not null default now(),
  -- the challenge an authenticator was asked to sign, for one use
  passkey_challenge text,
  challenged_at timestamptz
);
create index person_session_person on person_session (person_id, last_used_at);
create index person_session_started on person_session (started_at);
-- retention
create index person_session_used on person_session (last_used_at);

-- Browsers that a person signed in with. They are exempt from the limit on failed sign-ins from everywhere.
create table known_device (
  person_id bigint not null references person,
  token_hash bytea not null,
  last_used_at timestamptz not null default now(),
  primary key (person_id, token_hash)
);
create index known_device_age on known_device (last_used_at);

-- A sign-in that needs one more step.
create table sign_in_ticket (
  token_hash bytea primary key,
  person_id bigint not null references person,
  method text not null,
  attempts int not null default 0,
  passkey_challenge text,
  created_at timestamptz not null default now()
);
create index sign_in_ticket_age on sign_in_ticket (created_at);
create index sign_in_ticket_person on sign_in_ticket (person_id, created_at);

-- Tickets of passkey sign-ins that were used. Unused ones have no row: anyone can ask for one.
create table used_passkey_ticket (
  token_hash bytea primary key,
  used_at timestamptz not null default now()
);
create index used_passkey_ticket_age on used_passkey_ticket (used_at);

create table recovery_code (
  person_id bigint not null references person,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table passkey (
  person_id bigint not null references person,
  id bigint generated always as identity primary key,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_person on passkey (person_id, id);

create table openid_identity (
  issuer text not null,
  subject text not null,
  person_id bigint not null references person,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index openid_identity_person on openid_identity (person_id);

-- Without an account: for the operator's staff.
create table invitation (
  account_id bigint references account,
  id bigint generated always as identity primary key,
  email text not null,
  role text not null,
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- none: the inviter got the link, so accepting it proves nothing about the address; otherwise only the address gets it
  mail text not null check (mail in ('none', 'due', 'sent', 'failed')),
  -- sealed; until the message was sent or the invitation ended
  mail_token text,
  -- when the mailed link was opened by a person who can join only by signing in with the identity provider
  opened_at timestamptz,
  check (case when account_id is null then role in ('operator', 'operator_read_only') else role in ('owner', 'manager', 'read_only') end)
);
-- the mailed invitations of a day are counted
create index invitation_created on invitation (account_id, created_at);
-- one open invitation per e-mail address and account
create unique index invitation_open on invitation (account_id, lower(email)) nulls not distinct where ended_at is null;
-- retention
create index invitation_over on invitation ((coalesce(ended_at, expires_at))) where account_id is not null;
