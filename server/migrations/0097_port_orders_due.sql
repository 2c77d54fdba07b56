-- What is due first among an account's open orders, without reading all that it ever had.
create index port_order_due on port_order (account_id, (coalesce(due_at, 'infinity'::timestamptz)), id)
  where status not in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled');
