-- Number inventory: the carrier's own numbers, those for sale and those that customers ordered.

-- Prices by name. Numbers of a class cost what its row says.
create table price_class (
  name text primary key,
  monthly_cost numeric(12, 4) not null check (monthly_cost >= 0),
  setup_cost numeric(12, 4) not null check (setup_cost >= 0),
  changed_at timestamptz not null
);

-- What an account pays instead of the price of the class.
create table account_price (
  account_id bigint not null references account,
  price_class text not null references price_class,
  monthly_cost numeric(12, 4) not null check (monthly_cost >= 0),
  setup_cost numeric(12, 4) not null check (setup_cost >= 0),
  changed_at timestamptz not null,
  primary key (account_id, price_class)
);

-- What numbers have in common: kind, place, price or price class, and capabilities. Rows never change, so processes cache them by
-- id.
create table inventory_profile (
  id integer generated always as identity primary key,
  number_type text not null check (number_type in ('longcode', 'toll-free')),
  -- empty text instead of null, because nulls are not equal in a unique constraint
  rate_center text not null,
  lata text not null,
  state text not null,
  zip text not null,
  -- either both costs or a class
  monthly_cost numeric(12, 4) check (monthly_cost >= 0),
  setup_cost numeric(12, 4) check (setup_cost >= 0),
  price_class text references price_class,
  -- separated by spaces, in order
  capabilities text not null,
  check (num_nonnulls(monthly_cost, setup_cost) = case when price_class is null then 2 else 0 end),
  constraint inventory_profile_once unique nulls not distinct
    (number_type, rate_center, lata, state, zip, monthly_cost, setup_cost, price_class, capabilities)
);

create table inventory_number (
  -- 11 digits, country code 1
  number bigint primary key check (number between 12000000000 and 19999999999),
  profile_id integer not null references inventory_profile,
  supplier text not null,
  -- of toll-free numbers
  resporg text,
  status text not null check (status in ('available', 'reserved', 'active', 'aging', 'held', 'recalled', 'ported_out')),
  -- the account that has reserved or ordered it, or had it before it was released
  account_id bigint references account,
  -- what a reserved number is reserved for: a reservation, or an order that waits for approval
  reservation_id bigint,
  order_id bigint,
  aging_until timestamptz,
  status_reason text,
  -- of the order, for later changes of the number
  callback_url text,
  changed_at timestamptz not null,
  -- when it last left the stock for an account; a restored or loaded number keeps its time
  ordered_at timestamptz,
  check ((status in ('reserved', 'active', 'aging')) = (account_id is not null)),
  check (num_nonnulls(reservation_id, order_id) = case when status = 'reserved' then 1 else 0 end),
  check ((status = 'aging') = (aging_until is not null)),
  check ((status in ('held', 'recalled', 'ported_out')) = (status_reason is not null))
);
create index inventory_number_by_account on inventory_number (account_id, status) where account_id is not null;
create index inventory_number_by_reservation on inventory_number (reservation_id) where reservation_id is not null;
create index inventory_number_by_order on inventory_number (order_id) where order_id is not null;

-- What changed in the inventory, for the search indexes that processes hold in memory: they read the rows of the transactions
-- that their last snapshot did not show. Housekeeping deletes rows that are older than an hour.
create table inventory_change (
  xid xid8 not null default pg_current_xact_id(),
  number bigint not null,
  changed_at timestamptz not null default now()
);
create index inventory_change_by_xid on inventory_change (xid);
create index inventory_change_by_time on inventory_change (changed_at);

create function inventory_log_insert() returns trigger language plpgsql as $$
begin
  insert into inventory_change (number) select number from changed;
  return null;
end $$;
create trigger inventory_number_inserted after insert on inventory_number
  referencing new table as changed for each statement execute function inventory_log_insert();
create trigger inventory_number_updated after update on inventory_number
  referencing new table as changed for each statement execute function inventory_log_insert();

-- A number on an account is not for sale, whichever way it came there.
create function inventory_number_added() returns trigger language plpgsql as $$
begin
  update inventory_number i
  set status = 'active', account_id = a.account_id, reservation_id = null, order_id = null, aging_until = null,
    status_reason = null, callback_url = null, changed_at = a.created_at,
    ordered_at = case when i.status in ('available', 'reserved', 'held') then a.created_at else i.ordered_at end
  from added a where i.number = a.value and i.status <> 'active';
  return null;
end $$;
create trigger number_added_to_account after insert on number
  referencing new table as added for each statement execute function inventory_number_added();

-- Rate centers with few available numbers, so that each is reported once.
create table inventory_low (
  number_type text not null,
  -- empty text as in inventory_profile
  state text not null,
  rate_center text not null,
  low_since timestamptz not null,
  primary key (number_type, state, rate_center)
);

-- Requests of other carriers to move numbers away from an account.
create table portout (
  account_id bigint not null references account,
  id bigint generated always as identity,
  status text not null check (status in ('open', 'confirmed', 'rejected', 'completed', 'canceled')),
  numbers bigint[] not null,
  gaining_carrier text not null,
  gaining_spid text not null,
  reference text not null,
  requested_due_date date not null,
  complete_by date not null,
  foc_date date,
  is_simple boolean not null,
  passcode_result text not null check (passcode_result in ('not_set', 'matched', 'mismatched')),
  reason_code text,
  reason text,
  customer_response text check (customer_response in ('authorized', 'disputed')),
  customer_comment text,
  responded_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (account_id, id),
  unique (id),
  check (status <> 'confirmed' or foc_date is not null),
  check ((status = 'rejected') = (reason_code is not null))
);
create index portout_by_number on portout using gin (numbers);

-- The numbers of open and confirmed port-outs, which cannot leave their account in another way.
create table portout_number (
  account_id bigint not null,
  value bigint not null,
  portout_id bigint not null,
  primary key (account_id, value),
  foreign key (account_id, value) references number (account_id, value),
  foreign key (account_id, portout_id) references portout (account_id, id)
);
create index portout_number_by_portout on portout_number (account_id, portout_id);

-- What an account may have.
create table number_policy (
  account_id bigint primary key references account,
  numbers_max integer check (numbers_max >= 0),
  reserved_max integer check (reserved_max >= 0),
  -- which orders the operator approves; `above`: those above one of the two
  approval text not null default 'none' check (approval in ('none', 'all', 'above')),
  approval_quantity_max integer check (approval_quantity_max >= 0),
  approval_monthly_cost_max numeric(12, 4) check (approval_monthly_cost_max >= 0)
);

create table number_reservation (
  account_id bigint not null references account,
  id bigint generated always as identity,
  status text not null check (status in ('active', 'ordered', 'released', 'expired')),
  numbers bigint[] not null,
  extended boolean not null default false,
  callback_url text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, id),
  unique (id)
);
create index number_reservation_active on number_reservation (account_id) where status = 'active';

create table number_order (
  account_id bigint not null references account,
  id bigint generated always as identity,
  status text not null check (status in ('completed', 'partial', 'failed', 'pending_approval', 'rejected', 'canceled', 'expired')),
  -- the outcome and the price of each number, in the order of the request
  lines json not null,
  presets json not null,
  ordered_count integer not null,
  missing_count integer not null,
  setup_cost numeric(14, 4) not null,
  monthly_cost numeric(14, 4) not null,
  callback_url text,
  all_or_none boolean not null,
  -- until when the operator can approve it
  expires_at timestamptz,
  rejection_reason text,
  created_at timestamptz not null,
  check (status <> 'pending_approval' or expires_at is not null),
  primary key (account_id, id),
  unique (id)
);
create index number_order_pending on number_order (id) where status = 'pending_approval';
