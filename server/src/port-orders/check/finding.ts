import type { Calendar, CivilDate, portOrders } from '@demarc/client'
import type { KnownNumbers } from '../portability.ts'

/** What the doctor is shown of an order: its details as they were given, right or wrong. */
export interface Patient {
  readonly numbers: readonly string[]
  readonly billing_name: string
  readonly billing_number: string
  readonly company: string
  readonly usage_type: string
  readonly street: string
  readonly street2: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
  readonly provider: string
  readonly provider_account: string
  readonly pin: string
  readonly last_4_ssn: string
  readonly desired_completion_date: CivilDate | null
  readonly documents: readonly { readonly filename: string; readonly status: string }[]
  readonly loa_signed_at: Date | null
}

/** What else counts. `known.on_order` are the open orders of others: not the one that is examined. */
export interface Surroundings {
  readonly now: Date
  readonly zone: string
  readonly calendar: Calendar
  readonly known: KnownNumbers
}

/** One thing that would, or may, bring the order back. */
export interface Finding {
  /** `error`: it will be rejected. `warning`: it often is. */
  severity: 'error' | 'warning'
  /** The reason under which it would come back. */
  code: portOrders.RejectCode
  /** JSON pointer to the field in a request body. */
  pointer: string
  message: string
  /** The value to put there, where there is one to offer. Never of a PIN or of social security digits. */
  suggestion: string | null
}

export type Rule = (patient: Patient, surroundings: Surroundings) => Finding[]

/** The pointer of an attribute, or of an entry of a list. */
export const at = (field: string, index?: number): string =>
  `/data/attributes/${field}${index === undefined ? '' : `/${index}`}`

type Told = [code: portOrders.RejectCode, pointer: string, message: string, suggestion?: string | null]

export const error = (...told: Told): Finding => finding('error', told)
export const warning = (...told: Told): Finding => finding('warning', told)

const finding = (severity: Finding['severity'], [code, pointer, message, suggestion = null]: Told): Finding => ({
  severity,
  code,
  pointer,
  message,
  suggestion,
})
