import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { AccountMonth, MonthSums } from '../engines/call-records/index.ts'

/**
 * The ledger: how many call records of each account and month ingest has stored, and their exact sums. What files have of them is
 * not expected in the call-record store, so these functions subtract it.
 */

export type MonthKey = AccountMonth

/**
 * Adds what an insert stored. Does not wait for the disk: a power failure may lose this, but not the call records, and the next
 * check of the ledger adds them.
 */
export async function recordStored(tx: Executor, months: readonly MonthSums[]): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx)
  await sql`
    insert into cdr_ledger as l (account_id, month, num_calls, billed_seconds, total_cost)
    select new.account_id, new.month, new.num_calls, new.billed_seconds, new.total_cost from unnest(
      ${months.map(({ account_id }) => account_id)}::bigint[], ${months.map(({ month }) => month)}::text[],
      ${months.map(({ num_calls }) => num_calls)}::bigint[], ${months.map(({ billed_seconds }) => billed_seconds)}::bigint[],
      ${months.map(({ total_cost }) => total_cost)}::numeric[])
      as new (account_id, month, num_calls, billed_seconds, total_cost)
    on conflict (account_id, month) do update set num_calls = l.num_calls + excluded.num_calls,
      billed_seconds = l.billed_seconds + excluded.billed_seconds, total_cost = l.total_cost + excluded.total_cost`.execute(
    tx,
  )
}

/** Replaces an account's month with what was counted in the call-record store, and what files have. Returns the sums of both. */
export async function setMonth(tx: Executor, sums: MonthSums): Promise<MonthSums> {
  const { account_id, month, num_calls, billed_seconds, total_cost } = sums
  const { rows } = await sql<LedgerRow>`
    insert into cdr_ledger (account_id, month, num_calls, billed_seconds, total_cost)
    select ${account_id}::bigint, ${month}, ${num_calls}::bigint + coalesce(sum(num_calls), 0),
      ${billed_seconds}::bigint + coalesce(sum(billed_seconds), 0), ${total_cost}::numeric + coalesce(sum(total_cost), 0)
    from cdr_cold where account_id = ${account_id} and month = ${month} and state <> 'loaded'
    on conflict (account_id, month) do update set num_calls = excluded.num_calls,
      billed_seconds = excluded.billed_seconds, total_cost = excluded.total_cost
    returning account_id, month, num_calls, billed_seconds, trim_scale(total_cost)::text as total_cost`.execute(tx)
  return { ...sums, ...rows.map(sumsOfRow)[0] }
}

export async function deleteAccountMonth(tx: Executor, { account_id, month }: MonthKey): Promise<void> {
  await tx.deleteFrom('cdr_ledger').where('account_id', '=', account_id).where('month', '=', month).execute()
}

export async function deleteMonth(tx: Executor, month: string): Promise<void> {
  await tx.deleteFrom('cdr_ledger').where('month', '=', month).execute()
}

/** An account's month; zero if the ledger has none. */
export async function findMonth(db: Executor, key: MonthKey): Promise<MonthSums> {
  const [row] = await readMonths(db, sql`account_id = ${key.account_id} and month = ${key.month}`)
  return row ?? { ...key, num_calls: 0, billed_seconds: '0', total_cost: '0' }
}

/** How many call records the call-record store should have. */
export async function recordedCalls(db: Executor): Promise<number> {
  const { rows } = await sql<{ calls: string }>`
    select (select coalesce(sum(num_calls), 0) from cdr_ledger)
      - (select coalesce(sum(num_calls), 0) from cdr_cold where state <> 'loaded') as calls`.execute(db)
  return Number(rows[0]?.calls)
}

/** An account's months from `first` to `last`, both included. */
export const listMonths = (
  db: Executor,
  { account_id, first, last }: { account_id: string; first: string; last: string },
): Promise<MonthSums[]> => readMonths(db, sql`account_id = ${account_id} and month between ${first} and ${last}`)

/** Up to `most` accounts after `after` in a month, in order. */
export const listAccounts = (
  db: Executor,
  { month, after, most }: { month: string; after: string; most: number },
): Promise<MonthSums[]> =>
  readMonths(db, sql`month = ${month} and account_id > ${after} order by account_id limit ${most}`)

/** The months of the ledger. */
export async function monthNames(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('cdr_ledger').select('month').distinct().execute()
  return rows.map(({ month }) => month)
}

type LedgerRow = Omit<MonthSums, 'num_calls'> & { num_calls: string }

const sumsOfRow = (row: LedgerRow): MonthSums => ({ ...row, num_calls: Number(row.num_calls) })

/** Amounts without trailing zeros, as the call-record store writes them. Without months of which it has nothing. */
async function readMonths(db: Executor, which: ReturnType<typeof sql>): Promise<MonthSums[]> {
  const { rows } = await sql<LedgerRow>`
    select account_id, month, l.num_calls - coalesce(c.num_calls, 0) as num_calls,
      l.billed_seconds - coalesce(c.billed_seconds, 0) as billed_seconds,
      trim_scale(l.total_cost - coalesce(c.total_cost, 0))::text as total_cost
    from cdr_ledger l left join (select account_id, month, num_calls, billed_seconds, total_cost from cdr_cold where state <> 'loaded') c
      using (account_id, month)
    where (c.num_calls is null or l.num_calls > c.num_calls) and ${which}`.execute(db)
  return rows.map(sumsOfRow)
}
