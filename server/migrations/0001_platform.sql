-- What every feature stands on: events, jobs, idempotency, the clock of demo mode.

-- One row per change: timeline, audit log, notification and activity feed read it. Each chain (an account, or 0 for the
-- operator's own) is numbered without gaps and each row carries the hash of the one before it.
create table event_chain (
  chain_id bigint primary key,
  sequence bigint not null,
  head bytea not null
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
  -- where and what to tell somebody outside: {url, document}; null for most
  notification json,
  hash bytea not null,
  unique (chain_id, sequence)
);
create index event_subject on event (subject_type, subject_id, id);

-- The text that is hashed; kept apart so that checking the chain uses the very same words.
create function event_hash(previous bytea, chain_id bigint, sequence bigint, occurred_at timestamptz, actor text, type text, subject_type text, subject_id text, data json, notification json)
returns bytea language sql immutable as $$
  select sha256(previous || convert_to(json_build_array(chain_id, sequence, (extract(epoch from occurred_at) * 1000)::bigint, actor, type, subject_type, subject_id, data, notification)::text, 'UTF8'))
$$;

-- Appends to a chain; the row lock on event_chain makes one account's events follow one another.
create function record_event(p_chain bigint, p_occurred_at timestamptz, p_actor text, p_type text, p_subject_type text, p_subject_id text, p_data json, p_notification json)
returns table (event_id bigint, event_sequence bigint) language plpgsql as $$
declare
  v_sequence bigint;
  v_head bytea;
  v_at timestamptz := date_trunc('milliseconds', p_occurred_at);
begin
  insert into event_chain as c (chain_id, sequence, head) values (p_chain, 1, '')
    on conflict (chain_id) do update set sequence = c.sequence + 1
    returning c.sequence, c.head into v_sequence, v_head;
  v_head := event_hash(v_head, p_chain, v_sequence, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification);
  update event_chain set head = v_head where chain_id = p_chain;
  return query
    insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, notification, hash)
    values (p_chain, v_sequence, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification, v_head)
    returning event.id, event.sequence;
end
$$;

-- A doorbell: the state of the work stands in the feature's own rows. Done jobs are deleted, dead ones stay to be seen.
create table job (
  kind text not null,
  key text not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  -- rung again while running: to be run once more
  again boolean not null default false,
  locked_by text,
  -- in the database's time, never the movable clock's: a lease is about processes, not about business
  locked_until timestamptz,
  last_error text,
  dead_at timestamptz,
  primary key (kind, key)
);
create index job_due on job (due_at) where dead_at is null;

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
  primary key (actor, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- Demo mode: how far the service's clock is ahead of the real one. One row.
create table clock_offset (
  one boolean primary key default true check (one),
  ahead_ms bigint not null default 0
);
insert into clock_offset default values;
