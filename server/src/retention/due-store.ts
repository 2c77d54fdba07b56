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

/** A class, and how many of its rows are due in all accounts. */
export interface DueClass {
  class: string
  /** Null: kept forever. */
  period: string | null
  /** Rows whose period began by then are due. */
  cutoff_at: Date | null
  count: string
}

/** What to count: the accounts to start after, and how many. */
export interface DueQuery {
  now: Date
  account_id?: string | undefined
  limit: number
}

const periodOf = ({ period }: AgedClass, periods: Periods): string | null =>
  typeof period === 'string' ? periods[period] : period.fixed

interface Source {
  class: string
  /** Null: kept forever, and nothing is due. */
  period: string | null
  cutoff: RawBuilder<unknown>
  rows: RawBuilder<unknown>
  accountless: boolean
}

/** Every class with its due rows, in the order of deletion. */
function sourcesOf(periods: Periods, now: Date): Source[] {
  const aged = Object.entries(agedClasses).map(([name, each]) => {
    const period = periodOf(each, periods)
    const account = each.accountless ? sql`null::bigint` : sql`t.account_id`
    const rows = sql`select ${account} as account_id, ${each.since} as since, 1 as n
      from ${sql.table(each.table)} t ${each.join ?? sql``} where ${isDue(each, now, period ?? '')}`
    const { accountless = false } = each
    return { class: name, period, cutoff: cutoffOf(each, now, period ?? ''), rows, accountless }
  })
  const { call_records, closed_account_events } = periods
  const closed_before = cutoffOf({}, now, closed_account_events ?? '')
  return [
    ...aged,
    {
      class: 'closed_account_events',
      period: closed_account_events,
      cutoff: closed_before,
      rows: sql`
      select e.chain_id as account_id, e.occurred_at as since, 1 as n from event e join account a on a.id = e.chain_id
      where a.closed_at <= ${closed_before}`,
      accountless: false,
    },
    {
      class: 'call_records',
      period: call_records,
      cutoff: cutoffOf({}, now, call_records ?? ''),
      rows: monthsBefore(now, call_records ?? ''),
      accountless: false,
    },
  ]
}

const cutoffOf = ({ accountless }: Pick<AgedClass, 'accountless'>, now: Date, period: string): RawBuilder<unknown> =>
  sql`${accountless ? sql`now()` : sql`${now}::timestamptz`} - ${period}::interval`

/** Whether a row of the class is due. */
export function isDue(each: AgedClass, now: Date, period: string): RawBuilder<unknown> {
  const { since, where = sql`true`, ended = (cutoff) => sql`${since} <= ${cutoff}` } = each
  return sql`${where} and ${ended(cutoffOf(each, now, period))}`
}

/** Months of call records by account that ended before the period. Includes those that a killed process has half deleted. */
const monthsBefore = (now: Date, period: string): RawBuilder<unknown> => sql`
  select account_id, month, (month || '-01')::timestamp at time zone 'UTC' as since, sum(num_calls) as n
  from (select account_id, month, num_calls from cdr_ledger union all select account_id, month, 0 from cdr_cold) m
  where (month || '-01')::timestamp + interval '1 month' <= (${now}::timestamptz at time zone 'UTC') - ${period}::interval
  group by account_id, month`

/** What is due now, by class and account. No row has a count of 0, except a month of call records that is half deleted. */
export async function listDue(db: Executor, periods: Periods, query: DueQuery): Promise<DueRows[]> {
  const due: DueRows[] = []
  for (const source of sourcesOf(periods, query.now)) due.push(...(await dueOf(db, source, query)).due)
  return due
}

/** The same with every class, also those of which nothing is due. With an account, only the classes that accounts have. */
export async function planDue(
  db: Executor,
  periods: Periods,
  query: DueQuery,
): Promise<{ due: DueRows[]; classes: DueClass[] }> {
  const sources = sourcesOf(periods, query.now).filter((each) => query.account_id === undefined || !each.accountless)
  const due: DueRows[] = []
  const classes: DueClass[] = []
  for (const source of sources) {
    const found = await dueOf(db, source, query)
    due.push(...found.due)
    classes.push({
      class: source.class,
      period: source.period,
      cutoff_at: source.period === null ? null : await timeOf(db, source.cutoff),
      count: found.total,
    })
  }
  return { due, classes }
}

/** The due rows of a class by account, at most `limit` accounts, and the number of all rows. */
async function dueOf(
  db: Executor,
  { class: name, period, rows: source }: Source,
  { account_id, limit }: DueQuery,
): Promise<{ due: DueRows[]; total: string }> {
  if (period === null) return { due: [], total: '0' }
  const { rows } = await sql<Omit<DueRows, 'class' | 'period'> & { total: string }>`
    select r.account_id, sum(r.n) as count, min(r.since) as oldest_at, coalesce(bool_or(a.held_at is not null), false) as is_held,
      sum(sum(r.n)) over () as total
    from (${source}) r left join account a on a.id = r.account_id
    where ${account_id === undefined ? sql`true` : sql`r.account_id = ${account_id}`}
    group by r.account_id order by r.account_id limit ${limit}`.execute(db)
  return {
    due: rows.map((row) => ({
      class: name,
      account_id: row.account_id,
      period,
      count: row.count,
      oldest_at: row.oldest_at,
      is_held: row.is_held,
    })),
    total: rows[0]?.total ?? '0',
  }
}

async function timeOf(db: Executor, time: RawBuilder<unknown>): Promise<Date | null> {
  const { rows } = await sql<{ time: Date }>`select ${time} as time`.execute(db)
  return rows[0]?.time ?? null
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
