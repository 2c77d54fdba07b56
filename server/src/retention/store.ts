import { sql, type RawBuilder } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { agedClasses, type PersonalClass, type RowClass } from './class-store.ts'
import { isDue } from './due-store.ts'
import type { PersonalDataDeletionTable } from './tables.ts'
import type { Selectable } from 'kysely'

export type DeletionRow = Selectable<PersonalDataDeletionTable>

/** Rows that a batch deletes at most, besides their children. */
export const batch_max = 1000

/** Result of a batch: rows of the class, and the digests of their files. */
export interface Deleted {
  count: number
  files: string[]
}

/** Deletes a batch of an account's rows of a class by age, with their children. */
export const deleteAged = (
  tx: Executor,
  name: string,
  period: string,
  account_id: string | null,
  now: Date,
): Promise<Deleted> => {
  const each = agedClasses[name]
  if (!each) throw new Error(`There is no class ${name}`)
  const of_account = account_id === null ? sql`t.account_id is null` : sql`t.account_id = ${account_id}`
  const of = each.accountless ? sql`true` : of_account
  return deleteRows(tx, each, sql`${of} and ${isDue(each, now, period)}`)
}

/** Deletes a batch of an account's personal rows, except those that are kept. */
export const deletePersonal = (tx: Executor, each: PersonalClass, account_id: string, now: Date): Promise<Deleted> =>
  deleteRows(tx, each, personalRows(each, account_id, now, false))

const personalRows = (
  { of, kept }: PersonalClass,
  account_id: string,
  now: Date,
  is_kept: boolean,
): RawBuilder<unknown> => {
  const own = of ? of(account_id) : sql`t.account_id = ${account_id}`
  if (!kept) return is_kept ? sql`false` : own
  return is_kept ? sql`${own} and ${kept.where(now)}` : sql`${own} and not (${kept.where(now)})`
}

/** How many rows of a class would be deleted, and how many are kept. */
export async function countPersonal(
  db: Executor,
  each: PersonalClass,
  account_id: string,
  now: Date,
): Promise<{ count: number; kept: number }> {
  const { rows } = await sql<{ count: string; kept: string }>`
    select count(*) filter (where ${personalRows(each, account_id, now, false)}) as count,
      count(*) filter (where ${personalRows(each, account_id, now, true)}) as kept
    from ${sql.table(each.table)} t where ${each.of ? each.of(account_id) : sql`t.account_id = ${account_id}`}`.execute(
    db,
  )
  return { count: Number(rows[0]?.count), kept: Number(rows[0]?.kept) }
}

async function deleteRows(
  tx: Executor,
  { table, children = [], files = [], join = sql`` }: RowClass,
  which: RawBuilder<unknown>,
): Promise<Deleted> {
  // their rows can have no account
  const by_id = table === 'person' || table === 'notice'
  const key = children.length === 0 ? sql`` : by_id ? sql`, t.id` : sql`, t.account_id, t.id`
  const gone = children.map(([child, column], i) => {
    const same_account = by_id ? sql`` : sql`c.account_id = gone.account_id and`
    return sql`${sql.ref(`child_${i}`)} as (
      delete from ${sql.table(child)} c using gone where ${same_account} ${sql.ref(`c.${column}`)} = gone.id),`
  })
  const digests = sql`array[${sql.join([sql`null::text`, ...files.map((column) => sql.ref(column))])}]`
  const { rows } = await sql<{ count: string; files: string[] | null }>`
    with gone as materialized (select t.ctid as place ${key} from ${sql.table(table)} t ${join} where ${which} limit ${batch_max}),
    ${sql.join(gone, sql` `)}
    deleted as (
      delete from ${sql.table(table)} where ctid = any(array(select place from gone)) returning ${digests} as files
    )
    select count(*) as count, (select array_agg(distinct f) filter (where f is not null) from deleted, unnest(files) f) as files
    from deleted`.execute(tx)
  return { count: Number(rows[0]?.count), files: rows[0]?.files ?? [] }
}

/** The number of the last event that a batch of a chain deletes; undefined if the chain has none. */
export async function lastOfBatch(tx: Executor, chain_id: string): Promise<string | undefined> {
  const { rows } = await sql<{ sequence: string | null }>`
    select max(sequence) as sequence from (
      select sequence from event where chain_id = ${chain_id} order by sequence limit ${batch_max}) first`.execute(tx)
  return rows[0]?.sequence ?? undefined
}

/** Deletes what refers to the first events of a chain. */
export async function deleteReferences(tx: Executor, chain_id: string, last_sequence: string): Promise<void> {
  const events = sql`select id from event where chain_id = ${chain_id} and sequence <= ${last_sequence}`
  for (const [table, child, column] of [
    ['notification', 'notification_attempt', 'notification_id'],
    ['notice', 'notice_recipient', 'notice_id'],
  ] as const)
    await sql`
      with gone as (delete from ${sql.table(table)} where event_id in (${events}) returning account_id, id)
      delete from ${sql.table(child)} c using gone where c.account_id = gone.account_id and ${sql.ref(`c.${column}`)} = gone.id`.execute(
      tx,
    )
}

/** Events of a chain with details, after a number. */
const detailed = (chain_id: string, after: string) =>
  sql`chain_id = ${chain_id} and sequence > ${after}::bigint and salt is not null`

export async function countDetails(db: Executor, chain_id: string): Promise<number> {
  const { rows } = await sql<{ n: string }>`select count(*) as n from event where ${detailed(chain_id, '0')}`.execute(
    db,
  )
  return Number(rows[0]?.n)
}

/** Erases the details of a batch of events. Returns how many, and the number of the last one. */
export async function eraseDetails(
  tx: Executor,
  chain_id: string,
  after: string,
): Promise<{ count: number; last: string | null }> {
  const { rows } = await sql<{ count: string; last: string | null }>`
    with erased as (
      update event set ${erasure} where id in (
        select id from event where ${detailed(chain_id, after)} order by sequence limit ${batch_max})
      returning sequence
    )
    select count(*) as count, max(sequence) as last from erased`.execute(tx)
  return { count: Number(rows[0]?.count), last: rows[0]?.last ?? null }
}

const erasure = sql`data = '{}', notification = null, salt = null`

/** Erases the details of other chains' events about people who are about to be deleted: sign-ins have IP addresses. */
export async function erasePeople(tx: Executor, people: PersonalClass, account_id: string, now: Date): Promise<void> {
  await sql`update event set ${erasure} where subject_type = 'person' and salt is not null and chain_id <> ${account_id} and subject_id in (
    select t.id::text from person t where ${personalRows(people, account_id, now, false)})`.execute(tx)
}

/** What prevents the deletion of an account's personal data. */
export async function countObstacles(
  db: Executor,
  account_id: string,
): Promise<{ numbers: number; port_orders: number }> {
  const { rows } = await sql<{ numbers: string; port_orders: string }>`
    select (select count(*) from number where account_id = ${account_id}) as numbers,
      (select count(*) from port_order where account_id = ${account_id}
        and status not in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled')) as port_orders`.execute(db)
  return { numbers: Number(rows[0]?.numbers), port_orders: Number(rows[0]?.port_orders) }
}

export async function findDeletion(db: Executor, account_id: string): Promise<DeletionRow | undefined> {
  return await db
    .selectFrom('personal_data_deletion')
    .select(['account_id', 'requested_at', 'requested_by', 'completed_at', 'deleted', 'kept'])
    .where('account_id', '=', account_id)
    .executeTakeFirst()
}

/** Accounts whose personal data was deleted, or is being deleted, and that are not held. */
export async function listDeletions(db: Executor): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select d.account_id from personal_data_deletion d join account a on a.id = d.account_id
    where a.held_at is null order by d.account_id`.execute(db)
  return rows.map(({ account_id }) => account_id)
}

export async function insertDeletion(
  tx: Executor,
  row: { account_id: string; requested_at: Date; requested_by: string },
  kept: Readonly<Record<string, number>>,
): Promise<void> {
  await sql`insert into personal_data_deletion (account_id, requested_at, requested_by, kept)
    values (${row.account_id}, ${row.requested_at}, ${row.requested_by}, ${JSON.stringify(kept)}::jsonb)`.execute(tx)
}

export async function addDeleted(tx: Executor, account_id: string, name: string, count: number): Promise<void> {
  await sql`update personal_data_deletion
    set deleted = jsonb_set(deleted, array[${name}::text], to_jsonb(coalesce((deleted ->> ${name}::text)::bigint, 0) + ${count}::bigint))
    where account_id = ${account_id}`.execute(tx)
}

/** Ends a deletion: what is left has no personal data. Returns false if it had ended before. */
export async function completeDeletion(
  tx: Executor,
  account_id: string,
  now: Date,
  kept: Readonly<Record<string, number>>,
): Promise<boolean> {
  await sql`update account set name = ${`Account ${account_id} (deleted)`} where id = ${account_id}`.execute(tx)
  await sql`update inventory_number set callback_url = null where account_id = ${account_id} and callback_url is not null`.execute(
    tx,
  )
  // people who belong to other accounts cannot be counted again
  await sql`update personal_data_deletion set kept = ${JSON.stringify(kept)}::jsonb
      || jsonb_build_object('shared_people', kept -> 'shared_people')
    where account_id = ${account_id}`.execute(tx)
  const { numAffectedRows } = await sql`
    update personal_data_deletion set completed_at = ${now} where account_id = ${account_id} and completed_at is null`.execute(
    tx,
  )
  return numAffectedRows === 1n
}
