import { sql, type Selectable } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { bigints, hasValue } from '../platform/rows.ts'
import type { InventoryNumberTable, InventoryStatus, PricedProfile } from './tables.ts'

export type InventoryRow = Omit<Selectable<InventoryNumberTable>, 'ordered_at'>
/** A number with its profile; at the price of its class, whatever the account pays. */
export type InventoryNumber = InventoryRow & Omit<PricedProfile, 'id'>

const numberColumns = sql`i.number, i.profile_id, i.supplier, i.resporg, i.status, i.account_id, i.reservation_id, i.order_id, i.aging_until,
  i.status_reason, i.callback_url, i.changed_at`
const profileColumns = sql`p.number_type, p.rate_center, p.lata, p.state, p.zip, p.price_class, p.capabilities,
  coalesce(k.monthly_cost, p.monthly_cost) as monthly_cost, coalesce(k.setup_cost, p.setup_cost) as setup_cost`
const joined = sql`inventory_number i join inventory_profile p on p.id = i.profile_id
  left join price_class k on k.name = p.price_class`

/**
 * Those of the numbers that are in the inventory, locked for update until the transaction ends; in ascending order, so that two
 * requests cannot deadlock.
 */
export async function lockNumbersForUpdate(tx: Executor, numbers: readonly string[]): Promise<InventoryNumber[]> {
  const { rows } = await sql<InventoryNumber>`
    select ${numberColumns}, ${profileColumns} from ${joined}
    where i.number = any(${bigints(numbers)}) order by i.number for no key update of i`.execute(tx)
  return rows
}

/** Those of the numbers that are available and that no other transaction has locked, locked for update, at most `limit`. */
export async function lockAvailable(
  tx: Executor,
  numbers: readonly string[],
  limit: number,
): Promise<InventoryNumber[]> {
  const { rows } = await sql<InventoryNumber>`
    select ${numberColumns}, ${profileColumns} from ${joined}
    where i.number = any(${bigints(numbers)}) and i.status = 'available'
    order by i.number limit ${limit} for no key update of i skip locked`.execute(tx)
  return rows
}

export async function findNumber(db: Executor, number: string): Promise<InventoryNumber | undefined> {
  const { rows } = await sql<InventoryNumber>`
    select ${numberColumns}, ${profileColumns} from ${joined}
    where i.number = ${number}`.execute(db)
  return rows[0]
}

export type StatusChange = Pick<InventoryRow, 'status' | 'changed_at'> &
  Partial<
    Pick<InventoryRow, 'account_id' | 'reservation_id' | 'order_id' | 'aging_until' | 'status_reason' | 'callback_url'>
  >

/** Sets the status of numbers. What a status does not need is cleared. */
export async function setStatus(tx: Executor, numbers: readonly string[], change: StatusChange): Promise<void> {
  const {
    account_id = null,
    reservation_id = null,
    order_id = null,
    aging_until = null,
    status_reason = null,
    callback_url = null,
  } = change
  await tx
    .updateTable('inventory_number')
    .set({ ...change, account_id, reservation_id, order_id, aging_until, status_reason, callback_url })
    .where(sql<boolean>`number = any(${bigints(numbers)})`)
    .execute()
}

/** The numbers that a reservation still has. */
export async function reservedNumbers(db: Executor, reservation_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('inventory_number')
    .select('number')
    .where('reservation_id', '=', reservation_id)
    .execute()
  return rows.map(({ number }) => number)
}

export interface InventoryFilter {
  range?: { from: string; below: string } | undefined
  /** In any case. */
  rate_center?: string | undefined
  state?: string | undefined
  number_type?: PricedProfile['number_type'] | undefined
  status?: InventoryStatus | undefined
  account_id?: string | undefined
}

export async function listNumbers(
  db: Executor,
  { range, rate_center, state, number_type, status, account_id }: InventoryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<InventoryNumber[]> {
  const inRange = range ? sql`i.number >= ${range.from} and i.number < ${range.below}` : sql`true`
  const { rows } = await sql<InventoryNumber>`
    select ${numberColumns}, ${profileColumns} from ${joined}
    where ${inRange} and ${hasValue('i.status', status)} and ${hasValue('i.account_id', account_id)}
      and ${hasValue('p.state', state?.toUpperCase())} and ${hasValue('p.number_type', number_type)}
      and ${rate_center === undefined ? sql`true` : sql`lower(p.rate_center) = ${rate_center.toLowerCase()}`}
    order by ${status === 'aging' ? sql`i.aging_until, ` : sql``}i.number limit ${limit} offset ${offset}`.execute(db)
  return rows
}
