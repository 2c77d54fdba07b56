-- Port orders: numbers being ported from a losing carrier to an account, with their documents.

-- a group is the orders that one request was split into
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
  -- sealed for this order, and deleted when it ends; responses show the mask
  pin text,
  pin_mask text not null,
  last_4_ssn text,
  -- dollars per number, as of the order's creation
  price numeric(12, 4) not null,
  numbers_count int not null,
  cnam_id bigint,
  e911_id bigint,
  primary_route_id bigint,
  failover_route_id bigint,
  number_alias text,
  -- presets that failed before activation and are already on the timeline
  presets_failed text[] not null default '{}',
  created_at timestamptz not null,
  -- last edit that restarts the clock of a Pending order
  updated_at timestamptz not null,
  -- any change at all
  modified_at timestamptz not null,
  entered_at timestamptz not null,
  -- when the next action is due; null when none is
  due_at timestamptz,
  completion_date date,
  -- stays true if the order is rejected later
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
-- an account's unsigned orders, for their limit
create index port_order_unsigned on port_order (account_id) include (numbers_count) where status = 'Pending';
-- an account's open orders by what is due first
create index port_order_due on port_order (account_id, (coalesce(due_at, 'infinity'::timestamptz)), id)
  where status not in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled');
-- the calendar of completion dates
create index port_order_completion on port_order (account_id, completion_date) where completion_date is not null;
create index port_order_queue on port_order (due_at, id) where status not in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled');
-- retention of documents, which begins when the order ends
create index port_order_ended on port_order (entered_at) include (account_id, id)
  where status in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled');

create table port_order_number (
  account_id bigint not null,
  port_order_id bigint not null,
  -- 11 digits, country code 1
  value bigint not null check (value between 12000000000 and 19999999999),
  -- false once the order is over
  active boolean not null default true,
  -- set when the order completes: ported, stayed with the losing carrier, or was on an account already
  outcome text check (outcome in ('ported', 'left_behind', 'taken')),
  -- when the presets that apply in the morning were applied
  activated_at timestamptz,
  primary key (account_id, port_order_id, value),
  foreign key (account_id, port_order_id) references port_order (account_id, id)
);
-- within an account, a number can be on one open order
create unique index port_order_number_once on port_order_number (account_id, value) where active;
create index port_order_number_value on port_order_number (value);

-- Signing an order claims its numbers for the account; before that, several accounts may order the same number.
create table port_order_claim (
  -- 11 digits, as on the order
  value bigint primary key,
  account_id bigint not null,
  port_order_id bigint not null,
  foreign key (account_id, port_order_id, value) references port_order_number (account_id, port_order_id, value)
);
create index port_order_claim_of on port_order_claim (account_id, port_order_id);

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

-- The evidence of a signature: one LOA per order.
create table port_order_loa (
  account_id bigint not null,
  port_order_id bigint not null,
  signed_at timestamptz not null,
  -- json, not jsonb: the digest covers the text as signed
  evidence json not null,
  facts_sha256 text not null,
  primary key (account_id, port_order_id),
  foreign key (account_id, port_order_id) references port_order (account_id, id)
);

-- The secret link to an account's calendar of FOC dates.
create table port_order_calendar (
  account_id bigint primary key references account,
  -- keyed hash; replacing the link invalidates the previous one
  secret_hash bytea not null,
  created_at timestamptz not null
);

-- Business documents. The bytes are files, named by digest.
create table port_order_document (
  account_id bigint not null,
  port_order_id bigint not null,
  id bigint generated always as identity (start with 1001),
  source text not null check (source in ('pull', 'upload', 'service')),
  kind text not null check (kind in ('document', 'loa')),
  -- what the customer sees; never a path
  name text not null,
  -- the URL of a pull: as submitted, and as fetched
  original_url text,
  url text,
  status text not null check (status in ('pending', 'processing', 'complete', 'error')),
  failure_reason text,
  -- all attempts, and those that failed in a way worth retrying
  attempts int not null default 0,
  failures int not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  sha256 text,
  bytes bigint,
  media_type text,
  primary key (account_id, id),
  unique (id),
  foreign key (account_id, port_order_id) references port_order (account_id, id),
  check ((status = 'complete') = (sha256 is not null)),
  check ((source = 'pull') = (url is not null and original_url is not null))
);
create index port_order_document_of on port_order_document (account_id, port_order_id, id);
create index port_order_document_file on port_order_document (sha256) where sha256 is not null;
create index port_order_document_stored on port_order_document (account_id) include (bytes) where sha256 is not null;
create index port_order_document_open on port_order_document (account_id) where status in ('pending', 'processing');

create table port_order_document_attempt (
  account_id bigint not null,
  document_id bigint not null,
  number int not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- null while it runs
  outcome text check (outcome in ('complete', 'retry', 'error', 'interrupted')),
  response_status int,
  failure_reason text,
  primary key (account_id, document_id, number),
  foreign key (account_id, document_id) references port_order_document (account_id, id)
);
