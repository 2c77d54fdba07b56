-- Who answers a call from an address, as the data that vouched for it has it; empty where it says nothing.
alter table e911_address
  -- the 911 community where it is not the postal city
  add column community text not null default '',
  add column esn text not null default '',
  add column psap text not null default '';
