-- Shared by every feature: events, jobs, idempotency keys, and the demo-mode clock.

-- One row per change, read by the timeline, the audit log, notifications, and the activity feed. Each chain (one per account,
-- and 0 for the operator) is numbered without gaps, and each row's hash covers the hash of the row before it.
create table event_chain (
  chain_id bigint primary key,
  sequence bigint not null,
  head bytea not null,
  -- the last event that retention deleted, and its hash: the rest of the chain begins after it
  deleted_sequence bigint not null default 0,
  deleted_head bytea not null default ''
);

create table event (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  sequence bigint not null,
  occurred_at timestamptz not null,
  actor text not null,
  type text not null,
  subject_type text not null,
  subject_id text not null,
  -- json, not jsonb: the hash covers the text as written
  data json not null,
  -- what to send to a customer's URL: {url, document}; null for most events
  notification json,
  -- random; without it, data and notification cannot be guessed from their hash. Null once both were erased
  salt bytea,
  content_hash bytea not null,
  hash bytea not null,
  unique (chain_id, sequence)
);
create index event_subject on event (subject_type, subject_id, id);
-- the audit log by type, newest first: finding a rare type must not read every event
create index event_type on event (type, id);
-- what a customer reads of the audit log: by type, and every event that names a number
create index event_chain_type on event (chain_id, type, sequence);
create index event_numbers on event using gin (((data -> 'numbers')::jsonb)) where (data -> 'numbers') is not null;

-- The hashes of one event. Recording and verifying a chain both call these functions, so the hashed text cannot differ. The hash
-- that links the chain covers data and notification by their salted hash, so that erasing them leaves the chain intact.
create function event_content_hash(salt bytea, data json, notification json)
returns bytea language sql immutable as $$
  select sha256(salt || convert_to(json_build_array(data, notification)::text, 'UTF8'))
$$;
create function event_hash(previous bytea, chain_id bigint, sequence bigint, occurred_at timestamptz, actor text, type text, subject_type text, subject_id text, content_hash bytea)
returns bytea language sql immutable as $$
  select sha256(previous || convert_to(json_build_array(chain_id, sequence, (extract(epoch from occurred_at) * 1000)::bigint, actor, type, subject_type, subject_id, encode(content_hash, 'hex'))::text, 'UTF8'))
$$;

-- Appends to a chain. The row lock on event_chain serializes one account's events. The chain's row is written once: the
-- update reads the row under its lock, so the new number and hash are computed in place.
create function record_event(p_chain bigint, p_occurred_at timestamptz, p_actor text, p_type text, p_subject_type text, p_subject_id text, p_data json, p_notification json)
returns table (event_id bigint, event_sequence bigint) language plpgsql as $$
declare
  v_sequence bigint;
  v_head bytea;
  v_at timestamptz := date_trunc('milliseconds', p_occurred_at);
  v_salt bytea := uuid_send(gen_random_uuid());
  v_content bytea := event_content_hash(v_salt, p_data, p_notification);
begin
  loop
    update event_chain as c
      set sequence = c.sequence + 1,
        head = event_hash(c.head, p_chain, c.sequence + 1, v_at, p_actor, p_type, p_subject_type, p_subject_id, v_content)
      where c.chain_id = p_chain
      returning c.sequence, c.head into v_sequence, v_head;
    exit when found;
    insert into event_chain as c (chain_id, sequence, head)
      values (p_chain, 1, event_hash('', p_chain, 1, v_at, p_actor, p_type, p_subject_type, p_subject_id, v_content))
      on conflict (chain_id) do nothing
      returning c.sequence, c.head into v_sequence, v_head;
    -- another transaction inserted the chain's first row in the meantime: loop and update it
    exit when found;
  end loop;
  return query
    insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, notification, salt, content_hash, hash)
    values (p_chain, v_sequence, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification, v_salt, v_content, v_head)
    returning event.id, event.sequence;
end
$$;

-- Work to do, by kind and key; the state of the work is in the feature's rows. Finished jobs are deleted, failed ones are kept.
create table job (
  kind text not null,
  key text not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  -- enqueued again while running: run it once more
  again boolean not null default false,
  locked_by text,
  -- in the database's time, not the demo clock's: a lease is about processes, not business time
  locked_until timestamptz,
  last_error text,
  dead_at timestamptz,
  -- attempts that ended in an error; other attempts were cut short because their worker was killed
  failures int not null default 0,
  -- the service's clock when a delay until due_at started; null where due_at is not a delay
  waits_since timestamptz,
  -- the account the job belongs to, where accounts take turns
  account_id bigint,
  -- an account's smaller jobs run before its larger ones
  size bigint not null default 0,
  -- the W3C traceparent of the request or job that enqueued it, while traces are recorded
  trace text,
  primary key (kind, key)
);
create index job_due on job (due_at) where dead_at is null;
create index job_kind_due on job (kind, due_at) where dead_at is null;
create index job_waits on job (waits_since) where waits_since is not null;
create index job_locked on job (locked_until) where locked_until is not null;
-- failed jobs are counted for the metrics
create index job_dead on job (dead_at) where dead_at is not null;

-- The last turn of each account across all workers. A lower number was longer ago.
create table job_turn (
  kind text not null,
  account_id bigint not null,
  turn bigserial,
  primary key (kind, account_id)
);

-- What checks found damaged or missing, until it is right again. One open alert per kind and subject.
create table alert (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('file-damaged', 'call-records-missing')),
  -- a file's digest, or an account and a month
  subject text not null,
  account_id bigint,
  message text not null,
  details json not null,
  raised_at timestamptz not null,
  resolved_at timestamptz
);
create unique index alert_open on alert (kind, subject) where resolved_at is null;

-- How far the check of all stored files has come, in a single row. Times are the machine's: a demo clock may move by weeks.
create table file_scrub (
  one boolean primary key default true check (one),
  -- the next file to check; null between two checks
  next_sha256 text,
  files bigint not null default 0,
  bytes bigint not null default 0,
  finished_at timestamptz
);
insert into file_scrub default values;

-- The peppers and seal keys that the database was used with; no key itself.
create table secret_key (
  kind text not null check (kind in ('pepper', 'seal')),
  id text not null,
  -- derived from the key, to recognize it
  fingerprint bytea not null,
  -- the newest of a kind makes new values
  current_since timestamptz,
  -- how many values need it, by table and column, when last counted
  uses jsonb,
  counted_at timestamptz,
  primary key (kind, id)
);

create table idempotency_key (
  actor text not null,
  key text not null,
  fingerprint bytea,
  status int,
  -- sealed: a response may hold a secret
  response text,
  -- set while a request works on it outside a transaction; in the database's time, like the lease of a job
  held_until timestamptz,
  created_at timestamptz not null,
  primary key (actor, key),
  check (num_nulls(fingerprint, status, response) in (0, 3))
);
create index idempotency_key_age on idempotency_key (created_at);

-- Demo mode: how far the service's clock is ahead of the real one, in a single row.
create table clock_offset (
  one boolean primary key default true check (one),
  ahead_ms bigint not null default 0
);
insert into clock_offset default values;
