-- Appends to a chain as before, and writes the row of the chain once instead of twice: the number and the hash follow from the
-- row as it stands, which an update reads under its lock.
create or replace function record_event(p_chain bigint, p_occurred_at timestamptz, p_actor text, p_type text, p_subject_type text, p_subject_id text, p_data json, p_notification json)
returns table (event_id bigint, event_sequence bigint) language plpgsql as $$
declare
  v_sequence bigint;
  v_head bytea;
  v_at timestamptz := date_trunc('milliseconds', p_occurred_at);
begin
  loop
    update event_chain as c
      set sequence = c.sequence + 1,
        head = event_hash(c.head, p_chain, c.sequence + 1, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification)
      where c.chain_id = p_chain
      returning c.sequence, c.head into v_sequence, v_head;
    exit when found;
    insert into event_chain as c (chain_id, sequence, head)
      values (p_chain, 1, event_hash('', p_chain, 1, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification))
      on conflict (chain_id) do nothing
      returning c.sequence, c.head into v_sequence, v_head;
    -- otherwise another transaction has just begun the chain
    exit when found;
  end loop;
  return query
    insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, notification, hash)
    values (p_chain, v_sequence, v_at, p_actor, p_type, p_subject_type, p_subject_id, p_data, p_notification, v_head)
    returning event.id, event.sequence;
end
$$;
