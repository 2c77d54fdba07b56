-- What people are told of what happened: one notice for each event that concerns them, and who gets it, when and how.

create table notice (
  account_id bigint not null references account,
  id bigint generated always as identity,
  -- the event it is about: one notice each
  event_id bigint not null unique references event,
  kind text not null,
  title text not null,
  body text not null,
  -- the page of the portal that it leads to
  path text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, id),
  unique (id)
);

create table notice_recipient (
  person_id bigint not null references person,
  notice_id bigint not null,
  account_id bigint not null,
  read_at timestamptz,
  -- none: not mailed; due: to be mailed by itself; daily: waits for the summary; summarized: is in one that is being sent
  mail text not null check (mail in ('none', 'due', 'daily', 'summarized', 'sent', 'failed')),
  mailed_at timestamptz,
  mail_failure text,
  primary key (person_id, notice_id),
  foreign key (account_id, notice_id) references notice (account_id, id)
);
create index notice_recipient_unread on notice_recipient (person_id) where read_at is null;
create index notice_recipient_waiting on notice_recipient (person_id, notice_id) where mail in ('daily', 'summarized');

-- What somebody chose; who chose nothing has the defaults of the kinds.
create table notice_preference (
  person_id bigint not null references person,
  kind text not null,
  delivery text not null check (delivery in ('at_once', 'daily', 'none')),
  changed_at timestamptz not null,
  primary key (person_id, kind)
);
