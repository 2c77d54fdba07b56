-- Fair turns of accounts, attempts that ended in an error apart from those that a killed worker cut short, and due times that
-- outlive a clock that is set back.

alter table job
  -- attempts that ended in an error; the others have not ended, because their worker was killed
  add column failures int not null default 0,
  -- the service's clock when a wait that ends at due_at began; null for a due time that is none of a wait
  add column waits_since timestamptz,
  -- whose turn it is, where accounts take turns; null for nobody in particular
  add column account_id bigint,
  -- larger jobs of an account come after its smaller ones
  add column size bigint not null default 0;

create index job_kind_due on job (kind, due_at) where dead_at is null;
create index job_waits on job (waits_since) where waits_since is not null;
create index job_locked on job (locked_until) where locked_until is not null;

-- The last turn of each account, over all workers. A lower one was longer ago.
create table job_turn (
  kind text not null,
  account_id bigint not null,
  turn bigserial,
  primary key (kind, account_id)
);
