-- The bucket that new files go to, if any, so that no process starts that knows only the local folder.
create table file_bucket (
  one boolean primary key default true check (one),
  bucket text not null,
  prefix text not null
);

-- Moves of all files from one store to the other.
create table file_move (
  id bigint generated always as identity primary key,
  destination text not null check (destination in ('local', 's3')),
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  -- set when it is finished
  files bigint,
  bytes bigint
);

-- The files that an unfinished move has copied and compared.
create table file_copy (
  move_id bigint not null references file_move on delete cascade,
  sha256 text not null,
  bytes bigint not null,
  copied_at timestamptz not null default now(),
  primary key (move_id, sha256)
);
