import type { ColumnType, Generated, Selectable } from 'kysely'
import type { inventoryOperator, numberOrders, numbers } from '@demarc/client'

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
  /** Dollars, exact. */
  monthly_cost: string
  setup_cost: string
  /** Separated by spaces, in order. */
  capabilities: string
}

export type Profile = Selectable<InventoryProfileTable>

export interface InventoryNumberTable {
  /** 11 digits, country code 1. */
  number: string
  profile_id: number
  supplier: string
  resporg: string | null
  status: InventoryStatus
  account_id: string | null
  reservation_id: string | null
  aging_until: Date | null
  status_reason: string | null
  callback_url: string | null
  changed_at: Date
}

export interface InventoryChangeTable {
  xid: Generated<string>
  number: string
  changed_at: Generated<Date>
}

/** Most numbers; null is the default. */
export interface NumberPolicyTable {
  account_id: string
  numbers_max: number | null
  reserved_max: number | null
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

/** The outcome of one number of an order. */
export interface OrderLine {
  value: string
  outcome: 'ordered' | 'refused'
  reason: string | null
  warnings: string[]
}

export interface OrderPresets {
  cnam_id: string | null
  e911_id: string | null
  primary_route_id: string | null
  failover_route_id: string | null
  alias: string | null
}

export interface NumberOrderTable {
  account_id: string
  id: Generated<string>
  status: (typeof numberOrders.numberOrderStatuses)[number]
  lines: ColumnType<OrderLine[], string, never>
  presets: ColumnType<OrderPresets, string, never>
  ordered_count: number
  missing_count: number
  setup_cost: string
  monthly_cost: string
  callback_url: string | null
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    inventory_profile: InventoryProfileTable
    inventory_number: InventoryNumberTable
    inventory_change: InventoryChangeTable
    number_policy: NumberPolicyTable
    number_reservation: NumberReservationTable
    number_order: NumberOrderTable
  }
}
