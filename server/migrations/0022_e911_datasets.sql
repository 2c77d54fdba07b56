-- How far the loading of street data is, which file it came of, and datasets whose streets go in pieces.

alter table e911_dataset
  -- 0 to 1; 1 is loaded
  add column progress double precision not null default 0,
  -- the file as it was sent in over HTTP, by digest; null for imports from the command line
  add column sha256 text,
  -- ids of its streets, between which others may stand as well; null while it has none
  add column first_street bigint,
  add column last_street bigint;
update e911_dataset d set progress = 1, first_street = s.first_street, last_street = s.last_street
from (select dataset_id, min(id) as first_street, max(id) as last_street from e911_street group by dataset_id) s
where s.dataset_id = d.id;

-- A national dataset has millions of streets. Its own row goes at once, and with it all that its streets counted for, since
-- whoever reads them asks for a dataset that is active. The streets follow in pieces; until they are gone, it stands here.
create table e911_dropped (
  dataset_id int primary key,
  -- those that are left
  first_street bigint,
  last_street bigint
);
create function e911_dataset_dropped() returns trigger language plpgsql as $$
begin
  insert into e911_dropped (dataset_id, first_street, last_street) values (old.id, old.first_street, old.last_street);
  return null;
end
$$;
create trigger e911_dataset_dropped after delete on e911_dataset for each row execute function e911_dataset_dropped();

alter table e911_street drop constraint e911_street_dataset_id_fkey;
alter table e911_area drop constraint e911_area_dataset_id_fkey;
