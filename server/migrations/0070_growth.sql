-- What is read again and again must not cost more as the tables grow.

-- the audit log by type, newest first: a rare one is not searched for among all events
create index event_type on event (type, id);

-- the operator's list of failed notifications, of all accounts
create index notification_of_status on notification (status, id);

-- jobs that were given up are counted for the metrics
create index job_dead on job (dead_at) where dead_at is not null;
