-- What an account holder reads of the audit log: by type, and everything that names a number.
create index event_chain_type on event (chain_id, type, sequence);
create index event_numbers on event using gin (((data -> 'numbers')::jsonb)) where (data -> 'numbers') is not null;
