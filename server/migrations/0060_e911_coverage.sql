-- How much of each place the street data has.

alter table e911_area
  -- points or ranges that the data has in the place
  add column numbers bigint not null default 0,
  -- of the streets and numbers that a place of its size has at least, 0 to 1; null where its size is not known
  add column share real,
  -- too little of the place is in the data for it to say that anything there does not exist
  add column thin boolean not null default false;
