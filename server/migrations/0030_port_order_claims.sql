-- A number is claimed for an account once an order for it is signed; until then several accounts may order it.
create table port_order_claim (
  -- 11 digits, as on the order
  value bigint primary key,
  account_id bigint not null,
  port_order_id bigint not null,
  foreign key (account_id, port_order_id, value) references port_order_number (account_id, port_order_id, value)
);
create index port_order_claim_of on port_order_claim (account_id, port_order_id);

insert into port_order_claim (value, account_id, port_order_id)
select n.value, n.account_id, n.port_order_id
from port_order_number n join port_order o on o.account_id = n.account_id and o.id = n.port_order_id
where n.active and o.status <> 'Pending';

-- no release knows the old index: within an account a number is still on one open order only
drop index port_order_number_once;
create unique index port_order_number_once on port_order_number (account_id, value) where active;

-- how many numbers an account has on orders that are not signed
create index port_order_unsigned on port_order (account_id) include (numbers_count) where status = 'Pending';
