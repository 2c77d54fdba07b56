-- Port orders: numbers on their way from a losing carrier to an account.

-- the orders that one request was split into
create sequence port_order_group_id start with 1001;
create sequence port_order_id start with 1001;

create table port_order (
  account_id bigint not null references account,
  id bigint not null default nextval('port_order_id'),
  group_id bigint not null,
  status text not null check (status in ('Pending', 'Processing', 'Submitted', 'Accepted', 'Rejected', 'Review', 'Completed', 'Canceled', 'Abandoned', 'Hard_canceled')),
  alias text not null,
  billing_name text not null,
  billing_number text not null,
  company text not null,
  street text not null,
  street2 text not null,
  city text not null,
  state text not null,
  zip text not null,
  country text not null check (country in ('US', 'CA')),
  provider text not null,
  provider_account text not null,
  usage_type text not null check (usage_type in ('Business', 'Residential')),
  desired_completion_date date,
  enable_cnam_lookups boolean not null,
  loa_cc text not null,
  loa_email text not null,
  status_url text not null,
  -- sealed for this very order, and gone once it is over; the mask is what answers show
  pin text,
  pin_mask text not null,
  last_4_ssn text,
  -- dollars for each number, as it was when the order was made
  price numeric(12, 4) not null,
  numbers_count int not null,
  cnam_id bigint,
  e911_id bigint,
  primary_route_id bigint,
  failover_route_id bigint,
  number_alias text,
  -- of those that wait for the morning: told of on the timeline already
  presets_failed text[] not null default '{}',
  created_at timestamptz not null,
  -- last edit that restarts the clock of a Pending order
  updated_at timestamptz not null,
  -- any change at all
  modified_at timestamptz not null,
  entered_at timestamptz not null,
  -- when the next move is due; null when nobody has to move
  due_at timestamptz,
  completion_date date,
  -- ever, also if the order was rejected since
  date_ever_given boolean not null default false,
  rejections int not null default 0,
  -- changes of an accepted date since the last acceptance
  reschedules int not null default 0,
  rejection_raw text,
  rejection_reason text,
  rejected_at timestamptz,
  primary key (account_id, id),
  unique (id)
);
create index port_order_newest on port_order (account_id, id desc);
create index port_order_group on port_order (group_id);
create index port_order_queue on port_order (due_at, id) where status not in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled');

create table port_order_number (
  account_id bigint not null,
  port_order_id bigint not null,
  -- 11 digits, country code 1
  value bigint not null check (value between 12000000000 and 19999999999),
  -- false once the order is over
  active boolean not null default true,
  -- set when the order completes: ported, stayed with the losing carrier, or was on an account already
  outcome text check (outcome in ('ported', 'left_behind', 'taken')),
  -- when what waits for the morning was done
  activated_at timestamptz,
  primary key (account_id, port_order_id, value),
  foreign key (account_id, port_order_id) references port_order (account_id, id)
);
-- a number can be on its way once only, whoever's it is
create unique index port_order_number_once on port_order_number (value) where active;
create index port_order_number_value on port_order_number (value);

create table port_order_comment (
  account_id bigint not null,
  port_order_id bigint not null,
  id bigint generated always as identity,
  text text not null,
  author text not null check (author in ('account', 'operator', 'carrier')),
  is_private boolean not null,
  created_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, port_order_id) references port_order (account_id, id)
);
create index port_order_comment_of on port_order_comment (port_order_id, id);

-- What is kept of a signing: one letter for each order.
create table port_order_loa (
  account_id bigint not null,
  port_order_id bigint not null,
  signed_at timestamptz not null,
  -- json, not jsonb: the digest covers the facts as they were signed
  evidence json not null,
  facts_sha256 text not null,
  primary key (account_id, port_order_id),
  foreign key (account_id, port_order_id) references port_order (account_id, id)
);
