import { sql, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import { constraintOf, type Executor } from '../platform/db.ts'
import {
  containsText,
  countRows,
  hasValue,
  isRow,
  lockById,
  readById,
  namesById,
  type RowKey,
} from '../platform/rows.ts'
import type { CnamTable } from './tables.ts'

export type CnamRow = Selectable<CnamTable>

const columns = ['account_id', 'id', 'value', 'is_approved', 'approved_at', 'created_at', 'rejection_reason'] as const

export interface CnamFilter {
  is_approved?: boolean | undefined
  /** Rejected with a reason. A name that is neither approved nor rejected is pending. */
  is_rejected?: boolean | undefined
  /** Part of the value, ignoring case. */
  value?: string | undefined
}

interface CnamListValues extends CnamFilter {
  after: string | null
  limit: number
  offset: number
}

/** Records by ascending id, starting after `after`; null starts at the beginning. */
export async function listCnams(
  db: Executor,
  actor: Pick<Actor, 'account_id'>,
  { after, is_approved, is_rejected, value, limit, offset }: CnamListValues,
): Promise<CnamRow[]> {
  return await db
    .selectFrom('cnam')
    .select(columns)
    .where(visibleTo(actor))
    .where(after === null ? sql<boolean>`true` : sql<boolean>`id > ${after}`)
    .where(hasValue('is_approved', is_approved))
    .where(
      is_rejected === undefined ? sql<boolean>`true` : sql<boolean>`(rejection_reason is not null) = ${is_rejected}`,
    )
    .where(containsText('value', value))
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export const findCnam = readById<CnamRow>('cnam', columns)

export const lockCnamForUpdate = lockById<CnamRow>('cnam', columns)

/** The account's record, locked for share until the transaction ends. */
export async function lockCnamForShare(tx: Executor, account_id: string, id: string): Promise<CnamRow | undefined> {
  return await tx.selectFrom('cnam').select(columns).where(isRow({ account_id, id })).forShare().executeTakeFirst()
}

/** Whether the account has a record of the value. */
export async function hasCnam(db: Executor, account_id: string, value: string): Promise<boolean> {
  return (await countRows(db, 'cnam', sql<boolean>`account_id = ${account_id} and value = ${value}`)) > 0
}

/** Undefined when the account has a record of the value. */
export async function insertCnam(
  tx: Executor,
  record: Pick<CnamRow, 'account_id' | 'value' | 'created_at'>,
): Promise<CnamRow | undefined> {
  return await tx
    .insertInto('cnam')
    .values(record)
    .onConflict((oc) => oc.columns(['account_id', 'value']).doNothing())
    .returning(columns)
    .executeTakeFirst()
}

/** Undefined when the account has another record of the value; the transaction is aborted then. */
export async function updateCnam(
  tx: Executor,
  row: RowKey,
  change: Partial<Pick<CnamRow, 'value' | 'is_approved' | 'approved_at' | 'rejection_reason'>>,
): Promise<CnamRow | undefined> {
  try {
    return await tx.updateTable('cnam').set(change).where(isRow(row)).returning(columns).executeTakeFirst()
  } catch (error) {
    if (constraintOf(error) === 'cnam_value_once') return undefined
    throw error
  }
}

export async function deleteCnam(tx: Executor, row: RowKey): Promise<void> {
  await tx.deleteFrom('cnam').where(isRow(row)).execute()
}

/** Names that contain the text, ascending. */
export async function searchCnams(
  db: Executor,
  actor: Actor,
  text: string,
  limit: number,
): Promise<Pick<CnamRow, 'account_id' | 'id' | 'value'>[]> {
  return await db
    .selectFrom('cnam')
    .select(['account_id', 'id', 'value'])
    .where(visibleTo(actor))
    .where(containsText('value', text))
    .orderBy('value')
    .limit(limit)
    .execute()
}

/** The values of an account's caller ID names, by id. */
export const cnamNames = (db: Executor, account_id: string, ids: readonly string[]) =>
  namesById(db, 'cnam', sql<string>`value`, account_id, ids)
