import type { ColumnType, Generated, Selectable } from 'kysely'
import type { inventoryOperator, numberOrders, numberPolicy, numbers } from '@demarc/client'

type NumberType = (typeof numbers.numberTypes)[number]
export type InventoryStatus = (typeof inventoryOperator.inventoryStatuses)[number]

/** What numbers have in common. Rows never change. Empty text stands for an absent value. */
export interface InventoryProfileTable {
  id: Generated<number>
  number_type: NumberType
  rate_center: string
  lata: string
  state: string
  zip: string
  /** Dollars, exact; null with a price class. */
  monthly_cost: string | null
  setup_cost: string | null
  price_class: string | null
  /** Separated by spaces, in order. */
  capabilities: string
}

export type Profile = Selectable<InventoryProfileTable>

/** All columns but the id. */
export const profileColumns = [
  'number_type',
  'rate_center',
  'lata',
  'state',
  'zip',
  'monthly_cost',
  'setup_cost',
  'price_class',
  'capabilities',
] as const satisfies readonly (keyof Profile)[]

/** Dollars, exact. */
export interface Price {
  monthly_cost: string
  setup_cost: string
}

/** A profile with the price that an account pays. */
export type PricedProfile = Profile & Price

export interface PriceClassTable extends Price {
  name: string
  changed_at: Date
}

export interface AccountPriceTable extends Price {
  account_id: string
  price_class: string
  changed_at: Date
}

export interface InventoryNumberTable {
  /** 11 digits, country code 1. */
  number: string
  profile_id: number
  supplier: string
  resporg: string | null
  status: InventoryStatus
  account_id: string | null
  /** What a reserved number is reserved for; the other is null. */
  reservation_id: string | null
  order_id: string | null
  aging_until: Date | null
  status_reason: string | null
  callback_url: string | null
  changed_at: Date
  ordered_at: Date | null
}

/** Rate centers with few available numbers. */
export interface InventoryLowTable {
  number_type: NumberType
  state: string
  rate_center: string
  low_since: Date
}

export interface InventoryChangeTable {
  xid: Generated<string>
  number: string
  changed_at: Generated<Date>
}

/** Most numbers, null is the default; and which orders need approval. */
export interface NumberPolicyTable {
  account_id: string
  numbers_max: number | null
  reserved_max: number | null
  approval: (typeof numberPolicy.approvalKinds)[number]
  approval_quantity_max: number | null
  approval_monthly_cost_max: string | null
}

export interface NumberReservationTable {
  account_id: string
  id: Generated<string>
  status: (typeof numberOrders.numberReservationStatuses)[number]
  /** bigint[] */
  numbers: string[]
  extended: Generated<boolean>
  callback_url: string | null
  created_at: Date
  expires_at: Date
}

/** The outcome of one number of an order, and its price at the time of the order. */
export interface OrderLine {
  value: string
  outcome: 'ordered' | 'pending' | 'refused'
  reason: string | null
  monthly_cost: string | null
  setup_cost: string | null
  warnings: string[]
}

export interface OrderPresets {
  cnam_id: string | null
  e911_id: string | null
  primary_route_id: string | null
  failover_route_id: string | null
  alias: string | null
  cnam_lookups_enabled: boolean
}

export interface NumberOrderTable {
  account_id: string
  id: Generated<string>
  status: (typeof numberOrders.numberOrderStatuses)[number]
  lines: ColumnType<OrderLine[], string, string>
  presets: ColumnType<OrderPresets, string, never>
  ordered_count: number
  missing_count: number
  setup_cost: string
  monthly_cost: string
  callback_url: string | null
  all_or_none: boolean
  /** Until when it can be approved; null if it needs no approval. */
  expires_at: Date | null
  rejection_reason: string | null
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    price_class: PriceClassTable
    account_price: AccountPriceTable
    inventory_profile: InventoryProfileTable
    inventory_number: InventoryNumberTable
    inventory_change: InventoryChangeTable
    inventory_low: InventoryLowTable
    number_policy: NumberPolicyTable
    number_reservation: NumberReservationTable
    number_order: NumberOrderTable
  }
}
