-- The end of the newest call of a delivery: how late call records arrive. Null for those of an earlier release, and without any.
alter table cdr_ingest add column newest_call_at timestamptz;
