import type { Generated, Selectable } from 'kysely'
import type { portouts } from '@demarc/client'

export interface PortoutTable {
  account_id: string
  id: Generated<string>
  status: portouts.PortoutStatus
  /** bigint[], ascending */
  numbers: string[]
  gaining_carrier: string
  gaining_spid: string
  reference: string
  /** Dates are YYYY-MM-DD. */
  requested_due_date: string
  complete_by: string
  foc_date: string | null
  is_simple: boolean
  passcode_result: (typeof portouts.passcodeResults)[number]
  reason_code: portouts.PortoutReason | null
  reason: string | null
  customer_response: (typeof portouts.portoutResponses)[number] | null
  customer_comment: string | null
  responded_at: Date | null
  created_at: Date
  changed_at: Date
}

export type PortoutRow = Selectable<PortoutTable>

/** The numbers of open and confirmed port-outs. */
export interface PortoutNumberTable {
  account_id: string
  value: string
  portout_id: string
}

declare module '../../platform/db.ts' {
  interface Database {
    portout: PortoutTable
    portout_number: PortoutNumberTable
  }
}
