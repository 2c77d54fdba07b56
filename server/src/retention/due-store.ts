import { sql, type RawBuilder } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { agedClasses, callRecords_min, type AgedClass, type Periods } from './class-store.ts'

/** What is due: rows whose period has ended. */

/** Rows that are due, of one account and class. */
export interface DueRows {
  class: string
  /** Null for rows of no account. */
  account_id: string | null
  period: string
  count: string
  oldest_at: Date
  is_held: boolean
}

/** What to count: the accounts to start after, and how many. */
export interface DueQuery {
  now: Date
  account_id?: string | undefined
  limit: number
}

const periodOf = ({ period }: AgedClass, periods: Periods): string | null =>
  typeof period === 'string' ? periods[period] : period.fixed

/** Classes with a period, in the order of deletion. */
function sourcesOf(periods: Periods, now: Date): { class: string; period: string; rows: RawBuilder<unknown> }[] {
  const aged = Object.entries(agedClasses).map(([name, each]) => {
    const period = periodOf(each, periods)
    const account = each.accountless ? sql`null::bigint` : sql`t.account_id`
    const rows = sql`select ${account} as account_id, ${each.since} as since, 1 as n from ${sql.table(each.table)} t
      where ${isDue(each, now, period ?? '')}`
    return { class: name, period, rows }
  })
  const { call_records, closed_account_events } = periods
  const all = [
    ...aged,
    {
      class: 'closed_account_events',
      period: closed_account_events,
      rows: sql`
      select e.chain_id as account_id, e.occurred_at as since, 1 as n from event e join account a on a.id = e.chain_id
      where a.closed_at <= ${now}::timestamptz - ${closed_account_events ?? ''}::interval`,
    },
    { class: 'call_records', period: call_records, rows: monthsBefore(now, call_records ?? '') },
  ]
  return all.flatMap(({ period, ...each }) => (period === null ? [] : [{ ...each, period }]))
}

/** Whether a row of the class is due. */
export const isDue = ({ since, accountless }: AgedClass, now: Date, period: string): RawBuilder<unknown> =>
  sql`${since} <= ${accountless ? sql`now()` : sql`${now}::timestamptz`} - ${period}::interval`

/** Months of call records by account that ended before the period. Includes those that a killed process has half deleted. */
const monthsBefore = (now: Date, period: string): RawBuilder<unknown> => sql`
  select account_id, month, (month || '-01')::timestamp at time zone 'UTC' as since, sum(num_calls) as n
  from (select account_id, month, num_calls from cdr_ledger union all select account_id, month, 0 from cdr_cold) m
  where (month || '-01')::timestamp + interval '1 month' <= (${now}::timestamptz at time zone 'UTC') - ${period}::interval
  group by account_id, month`

/** What is due now, by class and account. */
export async function listDue(
  db: Executor,
  periods: Periods,
  { now, account_id, limit }: DueQuery,
): Promise<DueRows[]> {
  const due: DueRows[] = []
  for (const source of sourcesOf(periods, now)) {
    const { rows } = await sql<Omit<DueRows, 'class' | 'period'>>`
      select r.account_id, sum(r.n) as count, min(r.since) as oldest_at, coalesce(bool_or(a.held_at is not null), false) as is_held
      from (${source.rows}) r left join account a on a.id = r.account_id
      where ${account_id === undefined ? sql`true` : sql`r.account_id = ${account_id}`}
      group by r.account_id order by r.account_id limit ${limit}`.execute(db)
    due.push(...rows.map((row) => ({ ...row, class: source.class, period: source.period })))
  }
  return due
}

/** Months of call records of an account that may be deleted, oldest first. */
export async function listMonths(db: Executor, account_id: string, now: Date, period: string): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select month from (${monthsBefore(now, period)}) r
    where account_id = ${account_id} order by month`.execute(db)
  return rows.map(({ month }) => month)
}

/** Call records of an account that may be deleted, and those that are kept. */
export async function countCalls(
  db: Executor,
  account_id: string,
  now: Date,
): Promise<{ count: number; kept: number }> {
  const { rows } = await sql<{ count: string; kept: string }>`
    select coalesce(sum(n), 0) as count,
      (select coalesce(sum(num_calls), 0) from cdr_ledger where account_id = ${account_id}) - coalesce(sum(n), 0) as kept
    from (${monthsBefore(now, callRecords_min)}) r where account_id = ${account_id}`.execute(db)
  return { count: Number(rows[0]?.count), kept: Number(rows[0]?.kept) }
}
