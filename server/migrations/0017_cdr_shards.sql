-- Which shard has the call records of an account, if the call-record store has shards, and moves of accounts between shards.

create sequence cdr_shard_version;

create table cdr_shard (
  account_id bigint primary key,
  -- from 0
  shard int not null check (shard >= 0),
  -- the store has copies; of two, the one with the higher version counts
  version bigint not null default nextval('cdr_shard_version'),
  -- whether every server of the store has this version
  confirmed boolean not null default false
);

-- Unfinished moves.
create table cdr_move (
  account_id bigint primary key references cdr_shard,
  from_shard int not null,
  to_shard int not null,
  started_at timestamptz not null default now(),
  -- copying: the records are on from_shard. switched: they are on to_shard. removing: a part of the copy on from_shard is gone
  state text not null default 'copying' check (state in ('copying', 'switched', 'removing')),
  -- claims and records that arrived by this time are on both shards when it is switched, in microseconds
  claims_until bigint not null default 0,
  switched_at timestamptz,
  switched_us bigint
);

-- The months that a move has copied, with the records that arrived by copied_until.
create table cdr_move_month (
  account_id bigint not null references cdr_move on delete cascade,
  month text not null,
  copied_until bigint not null,
  primary key (account_id, month)
);
