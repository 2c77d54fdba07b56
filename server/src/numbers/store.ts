import { sql, type RawBuilder, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Database, Executor } from '../platform/db.ts'
import { bigints, countByAccount, hasValue, readByKey } from '../platform/rows.ts'
import { prefixRange } from './rules.ts'
import { hasDigits, hasInAlias } from './search-store.ts'
import type { NumberTable } from './tables.ts'

export type NumberRow = Selectable<NumberTable>

const columns = [
  'account_id',
  'value',
  'alias',
  'number_type',
  'state',
  'rate_center',
  'iso_country',
  'status',
  'cnam_lookups_enabled',
  'monthly_cost',
  'message_status',
  'primary_route_id',
  'failover_route_id',
  'cnam_id',
  'e911_id',
  'created_at',
] as const

type RouteType = Database['route']['route_type']

/** A number with its related rows, each with its own column prefix; nulls where there is none. */
export interface NumberWithRelated extends NumberRow {
  primary_alias: string
  primary_edge_strategy_id: string | null
  primary_route_type: RouteType
  primary_value: string | null
  failover_alias: string | null
  failover_edge_strategy_id: string | null
  failover_route_type: RouteType | null
  failover_value: string | null
  cnam_value: string | null
  /** The emergency address's whole row as JSON: most numbers have none, and a null costs nothing. */
  e911: (Omit<Selectable<Database['e911_address']>, 'validated_at'> & { validated_at: string }) | null
}

/**
 * One number with everything its document shows, in a single statement. It is the most frequent query, so it is the only one
 * that joins tables of the features below.
 */
export const findNumber = async (db: Executor, actor: Actor, value: string): Promise<NumberWithRelated | undefined> =>
  (await numberByValue(db, actor, value))[0]

const numberByValue = readByKey(
  (visible, value) => sql<NumberWithRelated>`
    select n.account_id, n.value, n.alias, n.number_type, n.state, n.rate_center, n.iso_country, n.status, n.cnam_lookups_enabled,
      n.monthly_cost, n.message_status, n.primary_route_id, n.failover_route_id, n.cnam_id, n.e911_id, n.created_at,
      p.alias as primary_alias, p.edge_strategy_id as primary_edge_strategy_id, p.route_type as primary_route_type, p.value as primary_value,
      f.alias as failover_alias, f.edge_strategy_id as failover_edge_strategy_id, f.route_type as failover_route_type, f.value as failover_value,
      c.value as cnam_value, case when n.e911_id is not null then to_json(e) end as e911
    from number n
    join route p on p.account_id = n.account_id and p.id = n.primary_route_id
    left join route f on f.account_id = n.account_id and f.id = n.failover_route_id
    left join cnam c on c.account_id = n.account_id and c.id = n.cnam_id
    left join e911_address e on e.account_id = n.account_id and e.id = n.e911_id
    where n.value = ${value} and ${visible('n.account_id')}`,
)

/** The number, locked for update until the transaction ends. */
export async function lockNumberForUpdate(tx: Executor, actor: Actor, value: string): Promise<NumberRow | undefined> {
  return (await lockNumbersForUpdate(tx, actor, [value]))[0]
}

/** Those of the numbers that the actor can see. */
export async function findNumbers(db: Executor, actor: Actor, values: readonly string[]): Promise<NumberRow[]> {
  return await selectNumbers(db, actor, values).execute()
}

/**
 * Those of the numbers that the actor can see, locked for update until the transaction ends; in ascending order, so that two
 * requests cannot deadlock.
 */
export async function lockNumbersForUpdate(
  tx: Executor,
  actor: Actor,
  values: readonly string[],
): Promise<NumberRow[]> {
  return await selectNumbers(tx, actor, values).orderBy('value').forNoKeyUpdate().execute()
}

const selectNumbers = (db: Executor, actor: Actor, values: readonly string[]) =>
  db
    .selectFrom('number')
    .select(columns)
    .where(sql<boolean>`value = any(${bigints(values)})`)
    .where(visibleTo(actor))

export interface NumberFilter {
  /** Digits. */
  starts_with?: string | undefined
  contains?: string | undefined
  ends_with?: string | undefined
  /** Part of the alias, ignoring case. */
  alias?: string | undefined
  cnam_id?: string | undefined
  number_type?: NumberRow['number_type'] | undefined
  has_e911?: boolean | undefined
}

export async function listNumbers(
  db: Executor,
  actor: Actor,
  { starts_with, ends_with, ...filter }: NumberFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<NumberRow[]> {
  const range = starts_with === undefined ? undefined : prefixRange(starts_with)
  if (range === null) return []
  let query = db
    .selectFrom('number')
    .select(columns)
    .where(visibleTo(actor))
    .where(hasValue('cnam_id', filter.cnam_id))
    .where(hasValue('number_type', filter.number_type))
  if (range) query = query.where('value', '>=', range.from).where('value', '<', range.below)
  // digits only, so they contain no LIKE wildcards
  if (ends_with !== undefined) query = query.where(sql<boolean>`value::text like ${`%${ends_with}`}`)
  const search = searchOf(actor, filter)
  if (search) query = query.where(search)
  return await query.orderBy('value').limit(limit).offset(offset).execute()
}

/** Undefined: all numbers. */
function searchOf(
  actor: Actor,
  { contains, alias, has_e911 }: Pick<NumberFilter, 'contains' | 'alias' | 'has_e911'>,
): RawBuilder<boolean> | undefined {
  const conditions: RawBuilder<boolean>[] = []
  if (contains !== undefined) conditions.push(hasDigits(actor, contains))
  if (alias !== undefined) conditions.push(hasInAlias(actor, alias))
  if (has_e911 !== undefined) conditions.push(has_e911 ? sql`e911_id is not null` : sql`e911_id is null`)
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `)
}

/** Numbers that use an emergency address, ascending. */
export async function listNumbersByE911(
  db: Executor,
  { account_id, id: e911_id }: { account_id: string; id: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<Pick<NumberRow, 'value' | 'alias'>[]> {
  return await db
    .selectFrom('number')
    .select(['value', 'alias'])
    .where('account_id', '=', account_id)
    .where('e911_id', '=', e911_id)
    .orderBy('value')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function updateNumber(
  tx: Executor,
  { account_id, value }: Pick<NumberRow, 'account_id' | 'value'>,
  change: Partial<NumberRow>,
): Promise<void> {
  await tx.updateTable('number').set(change).where('account_id', '=', account_id).where('value', '=', value).execute()
}

export async function deleteNumber(
  tx: Executor,
  { account_id, value }: Pick<NumberRow, 'account_id' | 'value'>,
): Promise<void> {
  await tx.deleteFrom('number').where('account_id', '=', account_id).where('value', '=', value).execute()
}

/** How many numbers each of these accounts has, counting up to `most`. */
export const countNumbersByAccount = (db: Executor, account_ids: readonly string[], most: number) =>
  countByAccount(db, 'number', account_ids, most)

/** The values that are already on an account, each with its account. */
export async function numberHolders(
  db: Executor,
  values: readonly string[],
): Promise<{ value: string; account_id: string }[]> {
  const { rows } = await sql<{ value: string; account_id: string }>`
    select value, account_id from number where value = any(${bigints(values)})`.execute(db)
  return rows
}

/** The values that are already on any account. */
export const takenNumbers = async (db: Executor, values: readonly string[]): Promise<string[]> =>
  (await numberHolders(db, values)).map((row) => row.value)

/** A number to be inserted, with every column. */
export type NewNumber = Omit<NumberRow, 'account_id' | 'created_at'>

/** How many numbers one statement inserts: even a slow machine finishes them within the statement timeout. */
const insert_rows = 500

/** Inserts any count of numbers and returns the inserted ones. Values already on an account are skipped. */
export async function insertNumbers(
  tx: Executor,
  account_id: string,
  created_at: Date,
  numbers: readonly NewNumber[],
): Promise<NumberRow[]> {
  const inserted: NumberRow[] = []
  for (let from = 0; from < numbers.length; from += insert_rows)
    inserted.push(...(await insertAtOnce(tx, account_id, created_at, numbers.slice(from, from + insert_rows))))
  return inserted
}

const inserted = sql.raw(
  `value, alias, number_type, state, rate_center, iso_country, status, cnam_lookups_enabled, monthly_cost, message_status,
   primary_route_id, failover_route_id, cnam_id, e911_id`,
)

async function insertAtOnce(
  tx: Executor,
  account_id: string,
  created_at: Date,
  numbers: readonly NewNumber[],
): Promise<NumberRow[]> {
  const all = <K extends keyof NewNumber>(key: K): NewNumber[K][] => numbers.map((n) => n[key])
  const { rows } = await sql<NumberRow>`
    insert into number (account_id, created_at, ${inserted})
    select ${account_id}::bigint, ${created_at}::timestamptz, ${inserted}
    from unnest(${all('value')}::bigint[], ${all('alias')}::text[], ${all('number_type')}::text[], ${all('state')}::text[],
      ${all('rate_center')}::text[], ${all('iso_country')}::text[], ${all('status')}::text[], ${all('cnam_lookups_enabled')}::boolean[],
      ${all('monthly_cost')}::numeric[], ${all('message_status')}::text[], ${all('primary_route_id')}::bigint[],
      ${all('failover_route_id')}::bigint[], ${all('cnam_id')}::bigint[], ${all('e911_id')}::bigint[]) as n (${inserted})
    on conflict (value) do nothing
    returning ${sql.join(columns.map((c) => sql.ref(c)))}`.execute(tx)
  return rows
}

/** How many numbers use the voice route as primary or failover. */
export async function countNumbersByVoiceRoute(
  db: Executor,
  { account_id, id }: { account_id: string; id: string },
): Promise<number> {
  const row = await db
    .selectFrom('number')
    .select(({ fn }) => fn.countAll<string>().as('numbers'))
    .where('account_id', '=', account_id)
    .where((eb) => eb.or([eb('primary_route_id', '=', id), eb('failover_route_id', '=', id)]))
    .executeTakeFirstOrThrow()
  return Number(row.numbers)
}

/** Numbers that use the caller ID name, ascending, at most `limit`, and the total count. */
export async function numbersOfCnam(
  db: Executor,
  { account_id, id }: { account_id: string; id: string },
  limit: number,
): Promise<{ values: string[]; count: number }> {
  const { rows } = await sql<{ value: string; count: string }>`
    select value, count(*) over () as count from number
    where account_id = ${account_id} and cnam_id = ${id} order by value limit ${limit}`.execute(db)
  return { values: rows.map((r) => r.value), count: Number(rows[0]?.count ?? 0) }
}

/** Clears the caller ID name from every number that uses it, and returns those numbers. */
export async function clearCnamFromNumbers(
  tx: Executor,
  { account_id, id }: { account_id: string; id: string },
): Promise<string[]> {
  // lock in ascending order, as changes of many numbers do
  const { rows } = await sql<{ value: string }>`
    with locked as (
      select value from number where account_id = ${account_id} and cnam_id = ${id} order by value for no key update
    )
    update number set cnam_id = null from locked where number.value = locked.value returning number.value`.execute(tx)
  return rows.map((r) => r.value).toSorted()
}
