-- What an operator sees of street data before it counts, how its file was read, and the vintage to go back to.

alter table e911_dataset
  -- null while it is loading, and for datasets that an earlier release loaded
  add column report json,
  -- columns, layout, and what the file does not say itself; null for datasets that an earlier release loaded
  add column options json;

-- held: loaded, but its report has something that a person has to look at. superseded: the vintage before the active one
alter table e911_dataset drop constraint e911_dataset_status_check;
alter table e911_dataset add constraint e911_dataset_status_check
  check (status in ('loading', 'loaded', 'held', 'active', 'superseded', 'failed'));

-- an active vintage stays active while another reading of its file is loaded
alter table e911_dataset drop constraint e911_dataset_once;
create unique index e911_dataset_once on e911_dataset (name, vintage) where status not in ('active', 'superseded');
