-- Notices to people: one per event that concerns them, with its recipients and how each one is mailed.

create table notice (
  -- null for the operator's staff
  account_id bigint references account,
  id bigint generated always as identity primary key,
  -- one notice per event
  event_id bigint not null unique references event,
  kind text not null,
  title text not null,
  body text not null,
  -- the portal page it links to
  path text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  unique (account_id, id)
);
create index notice_created on notice (created_at);

create table notice_recipient (
  person_id bigint not null references person,
  notice_id bigint not null references notice,
  account_id bigint,
  read_at timestamptz,
  -- none: not mailed; due: mailed on its own; daily: waits for the summary; summarized: in a summary that is being sent
  mail text not null check (mail in ('none', 'due', 'daily', 'summarized', 'sent', 'failed')),
  mailed_at timestamptz,
  mail_failure text,
  primary key (person_id, notice_id),
  foreign key (account_id, notice_id) references notice (account_id, id)
);
create index notice_recipient_of on notice_recipient (notice_id);
create index notice_recipient_unread on notice_recipient (person_id) where read_at is null;
create index notice_recipient_waiting on notice_recipient (person_id, notice_id) where mail in ('daily', 'summarized');

-- A person's choices; where there is none, the default of the kind applies.
create table notice_preference (
  person_id bigint not null references person,
  kind text not null,
  delivery text not null check (delivery in ('at_once', 'daily', 'none')),
  changed_at timestamptz not null,
  primary key (person_id, kind)
);
