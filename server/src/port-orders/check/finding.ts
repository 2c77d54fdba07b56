import type { Calendar, CivilDate, portOrders } from '@demarc/client'
import type { NumberFacts } from '../portability.ts'

/** The data of an order that the preflight check needs. Details are as entered, valid or not. */
export interface CheckedOrder {
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

/** Data besides the order. `facts.on_order` excludes the order that is checked. */
export interface CheckContext {
  readonly now: Date
  readonly zone: string
  readonly calendar: Calendar
  readonly facts: NumberFacts
  /** The format of the losing carrier's PINs; null when it accepts any text. */
  readonly pin_form: RegExp | null
}

/** A reason why the order will or may be rejected. */
export interface Finding {
  /** `error`: it will be rejected. `warning`: it may be. */
  severity: 'error' | 'warning'
  /** The reason in the catalog. */
  code: portOrders.RejectCode
  /** JSON pointer to the field in a request body. */
  pointer: string
  message: string
  /** A suggested value, if any. Never for a PIN or Social Security digits. */
  suggestion: string | null
}

export type Rule = (order: CheckedOrder, context: CheckContext) => Finding[]

/** The pointer of an attribute, or of an entry of a list. */
export const at = (field: string, index?: number): string =>
  `/data/attributes/${field}${index === undefined ? '' : `/${index}`}`

/** The field of a pointer, in the notation of field errors: `numbers.3`. */
export const fieldOf = (pointer: string): string => pointer.replace('/data/attributes/', '').replaceAll('/', '.')

type FindingArguments = [code: portOrders.RejectCode, pointer: string, message: string, suggestion?: string | null]

export const error = (...args: FindingArguments): Finding => finding('error', args)
export const warning = (...args: FindingArguments): Finding => finding('warning', args)

const finding = (
  severity: Finding['severity'],
  [code, pointer, message, suggestion = null]: FindingArguments,
): Finding => ({
  severity,
  code,
  pointer,
  message,
  suggestion,
})
