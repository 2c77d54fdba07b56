-- Counts of requests and failed sign-ins in windows of time, for all processes together. Unlogged, because the counts change
-- with nearly every request and last an hour at most: after a crash of the server or a failover, they start over.
create unlogged table window_count (
  -- the limit, and whom it counts
  key text primary key,
  used int not null,
  resets_at timestamptz not null
);
