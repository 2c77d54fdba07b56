import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import type { Dataset } from '../engines/street-data/index.ts'
import { visibleTo, type Actor } from '../platform/actor.ts'
import { readRows, type Executor } from '../platform/db.ts'
import {
  containsText,
  hasValue,
  lockRowForKeyShare,
  isRow,
  lockById,
  readById,
  namesById,
  type RowKey,
} from '../platform/rows.ts'
import { FIELD_NAMES } from './rules.ts'
import type { E911AddressTable } from './tables.ts'

/** All SQL of the accounts' emergency addresses. */

export type AddressRow = Selectable<E911AddressTable>

const columns = [
  'account_id',
  'id',
  ...FIELD_NAMES,
  'typed_key',
  'canonical_key',
  'level',
  'source',
  'vintage',
  'elements',
  'community',
  'esn',
  'psap',
  'validated_at',
  'created_at',
] as const

export async function insertAddress(tx: Executor, row: Insertable<E911AddressTable>): Promise<AddressRow> {
  return await tx.insertInto('e911_address').values(row).returning(columns).executeTakeFirstOrThrow()
}

export async function updateAddress(
  tx: Executor,
  row: RowKey,
  change: Partial<Omit<Insertable<E911AddressTable>, 'account_id' | 'id'>>,
): Promise<AddressRow> {
  return await tx.updateTable('e911_address').set(change).where(isRow(row)).returning(columns).executeTakeFirstOrThrow()
}

export const findAddress = readById<AddressRow>('e911_address', columns)

/** The address, locked against change until the transaction ends. */
export const lockAddressForUpdate = lockById<AddressRow>('e911_address', columns)

/** Whether an account has the address; locks it against deletion until the transaction ends. */
export async function lockAddressForKeyShare(tx: Executor, account_id: string, id: string): Promise<boolean> {
  return await lockRowForKeyShare(tx, 'e911_address', { account_id, id })
}

export interface AddressFilter {
  label?: string | undefined
  street_name?: string | undefined
  city?: string | undefined
  state?: string | undefined
  level?: AddressRow['level'] | undefined
  recheck_due?: boolean | undefined
}

/** Active street data. */
export type ActiveData = Pick<Dataset, 'name' | 'vintage' | 'activated_at'>

/** Sources of accepted addresses other than datasets: the postal data and the remote validators. */
const NO_DATASET = ['postal', 'lost', 'census']

/** Whether the data changed after an address was validated, or the data it was validated with is no longer active. Columns are unqualified. */
export function recheckDue(active: readonly ActiveData[]): RawBuilder<boolean> {
  const newest = active.map(({ activated_at }) => activated_at?.getTime() ?? 0)
  return sql<boolean>`(validated_at < ${new Date(Math.max(0, ...newest))}
    or (source <> all(${NO_DATASET}::text[]) and not exists (
      select from unnest(${active.map(({ name }) => name)}::text[], ${active.map((each) => each.vintage)}::text[])
        as counts (counted_name, counted_vintage) where counted_name = source and counted_vintage = vintage)))`
}

/** Label, street, and city match substrings in any case, other filters exactly. `active` decides which rechecks are due. */
/** How many addresses of all accounts were last checked against a dataset. */
export async function countCheckedAgainst(
  db: Executor,
  { name, vintage }: Pick<Dataset, 'name' | 'vintage'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from e911_address where source = ${name} and vintage = ${vintage}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function listAddresses(
  db: Executor,
  actor: Actor,
  filter: AddressFilter,
  { limit, offset }: { limit: number; offset: number },
  active: readonly ActiveData[] = [],
): Promise<AddressRow[]> {
  const { label, street_name, city, state, level, recheck_due } = filter
  return await db
    .selectFrom('e911_address')
    .select(columns)
    .where(visibleTo(actor))
    .where(containsText('label', label))
    .where(containsText('street_name', street_name))
    .where(containsText('city', city))
    .where(hasValue('state', state?.toUpperCase()))
    .where(hasValue('level', level))
    .where(recheck_due === undefined ? sql<boolean>`true` : sql<boolean>`${recheckDue(active)} = ${recheck_due}`)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

const CONFLICTS = `
  select bool_or(canonical_key = any($2::text[]) or typed_key = any($2::text[])) as place, bool_or(label = $3) as label
  from e911_address
  where account_id = $1 and id is distinct from $4::bigint
    and (canonical_key = any($2::text[]) or typed_key = any($2::text[]) or label = $3)`

/** Whether another address of the account has the same place, by either key, or the same label. `except` is the address itself. */
export async function findConflicts(
  db: Executor,
  account_id: string,
  wanted: { label: string; keys: readonly string[]; except: string | null },
): Promise<{ place: boolean; label: boolean }> {
  const [found] = await readRows<{ place: boolean | null; label: boolean | null }>(db, CONFLICTS, [
    account_id,
    wanted.keys,
    wanted.label,
    wanted.except,
  ])
  return { place: found?.place ?? false, label: found?.label ?? false }
}

/** Deletes an address; the database refuses while numbers use it. */
export async function deleteAddress(tx: Executor, row: RowKey): Promise<void> {
  await tx.deleteFrom('e911_address').where(isRow(row)).execute()
}

/** Addresses of all accounts with a higher id, in order of id, so that a caller can page through all of them. */
export async function addressesAfter(db: Executor, id: string, limit: number): Promise<AddressRow[]> {
  return await db.selectFrom('e911_address').select(columns).where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** Addresses with the text in the label, the names, or the place, by label. */
export async function searchAddresses(
  db: Executor,
  actor: Actor,
  text: string,
  limit: number,
): Promise<
  Pick<AddressRow, 'account_id' | 'id' | 'label' | 'street_number' | 'street_name' | 'city' | 'state' | 'zip'>[]
> {
  const written = sql`concat_ws(' ', label, first_name, last_name, street_number, street_name, city, state, zip)`
  return await db
    .selectFrom('e911_address')
    .select(['account_id', 'id', 'label', 'street_number', 'street_name', 'city', 'state', 'zip'])
    .where(visibleTo(actor))
    .where(sql<boolean>`position(lower(${text}) in lower(${written})) > 0`)
    .orderBy('label')
    .limit(limit)
    .execute()
}

export const addressNames = (db: Executor, account_id: string, ids: readonly string[]) =>
  namesById(db, 'e911_address', sql<string>`label`, account_id, ids)

/** How many stored addresses are in each state of the United States. */
export async function countAddressesByState(db: Executor): Promise<{ state: string; addresses: number }[]> {
  const { rows } = await sql<{ state: string; addresses: number }>`
    select state, count(*)::int as addresses from e911_address where country = 'US' group by state order by state`.execute(
    db,
  )
  return rows
}
