import { sql, type RawBuilder } from 'kysely'
import type { Database, Executor } from '../platform/db.ts'
import { hasValue } from '../platform/rows.ts'

export type ActivityRow = Pick<
  Database['event'],
  'id' | 'occurred_at' | 'actor' | 'type' | 'subject_type' | 'subject_id' | 'data'
>

export interface ActivityFilter {
  /** Only events of these types. */
  types: readonly string[]
  subject_type?: string | undefined
  subject_id?: string | undefined
  /** Only events that name this number, or concern one of these port orders that included it. */
  number?: { value: string; order_ids: readonly string[] } | undefined
}

/** Events of one account, newest first. */
export async function listActivity(
  db: Executor,
  account_id: string,
  { types, subject_type, subject_id, number }: ActivityFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ActivityRow[]> {
  const about = number ? sql`id in (${idsOfNumber(account_id, number)})` : sql`true`
  const { rows } = await sql<ActivityRow>`
    select id, occurred_at, actor, type, subject_type, subject_id, data from event
    where chain_id = ${account_id} and type = any(${types}::text[])
      and ${hasValue('subject_type', subject_type)} and ${hasValue('subject_id', subject_id)} and ${about}
    order by sequence desc limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** Each branch uses its own index, so the chain is not scanned from its end until enough rows are found. */
const idsOfNumber = (
  account_id: string,
  { value, order_ids }: NonNullable<ActivityFilter['number']>,
): RawBuilder<unknown> => sql`
  with about as materialized (
    select id from event where subject_type = 'number' and subject_id = ${value} and chain_id = ${account_id}
    union select id from event
      where subject_type = 'portorder' and subject_id = any(${[...order_ids]}::text[]) and chain_id = ${account_id}
    union select id from event
      where (data -> 'numbers') is not null and (data -> 'numbers')::jsonb ?| ${[value, `+${value}`]}::text[] and chain_id = ${account_id}
  ) select id from about`
