import type { Generated } from 'kysely'
import type { portOrders } from '@demarc/client'
import type { LoaEvidence } from './loa/verify.ts'

export interface PortOrderTable {
  account_id: string
  id: Generated<string>
  group_id: string
  status: portOrders.PortOrderStatus
  alias: string
  billing_name: string
  billing_number: string
  company: string
  street: string
  street2: string
  city: string
  state: string
  zip: string
  country: 'US' | 'CA'
  provider: string
  provider_account: string
  usage_type: 'Business' | 'Residential'
  /** `YYYY-MM-DD`. */
  desired_completion_date: string | null
  enable_cnam_lookups: boolean
  loa_cc: string
  loa_email: string
  status_url: string
  /** Encrypted. */
  pin: string | null
  pin_mask: string
  /** Encrypted. */
  last_4_ssn: string | null
  /** Dollars per number. */
  price: string
  numbers_count: number
  cnam_id: string | null
  e911_id: string | null
  primary_route_id: string | null
  failover_route_id: string | null
  number_alias: string | null
  /** Scheduled presets whose failure is already on the timeline. */
  presets_failed: Generated<string[]>
  created_at: Date
  updated_at: Date
  modified_at: Date
  entered_at: Date
  due_at: Date | null
  completion_date: string | null
  date_ever_given: Generated<boolean>
  rejections: Generated<number>
  reschedules: Generated<number>
  rejection_raw: string | null
  rejection_reason: string | null
  rejected_at: Date | null
}

export interface PortOrderNumberTable {
  account_id: string
  port_order_id: string
  /** 11 digits. */
  value: string
  active: Generated<boolean>
  outcome: 'ported' | 'left_behind' | 'taken' | null
  activated_at: Date | null
}

export interface PortOrderCommentTable {
  account_id: string
  port_order_id: string
  id: Generated<string>
  text: string
  author: 'account' | 'operator' | 'carrier'
  is_private: boolean
  created_at: Date
}

export interface PortOrderLoaTable {
  account_id: string
  port_order_id: string
  signed_at: Date
  evidence: LoaEvidence
  facts_sha256: string
}

declare module '../platform/db.ts' {
  interface Database {
    port_order: PortOrderTable
    port_order_number: PortOrderNumberTable
    port_order_comment: PortOrderCommentTable
    port_order_loa: PortOrderLoaTable
  }
}
