-- Notifications to customers' URLs: one row per notification, one row per delivery attempt.

create table notification (
  account_id bigint not null references account,
  id bigint generated always as identity,
  -- one notification per event
  event_id bigint not null unique references event,
  event_type text not null,
  url text not null,
  -- the exact bytes that every attempt signs and sends
  body text not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'stopped')),
  created_at timestamptz not null,
  -- attempts of the current round: a replay starts a new one
  attempts int not null default 0,
  next_attempt_at timestamptz,
  primary key (account_id, id),
  unique (id)
);
create index notification_created on notification (created_at);
create index notification_status on notification (account_id, status, id);
-- the operator's list of failed notifications, across accounts
create index notification_of_status on notification (status, id);

create table notification_attempt (
  account_id bigint not null,
  notification_id bigint not null,
  id bigint generated always as identity primary key,
  attempted_at timestamptz not null,
  response_status int,
  failure text,
  duration_ms int not null,
  foreign key (account_id, notification_id) references notification (account_id, id)
);
create index notification_attempt_of on notification_attempt (notification_id, id);
