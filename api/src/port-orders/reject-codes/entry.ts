/** One reason for a rejection, in words that the customer can act on. */
export interface RejectEntry {
  readonly title: string
  /** Why the carrier rejects. */
  readonly cause: string
  /** Who acts next: the customer, our operator, or the losing carrier. */
  readonly who: 'account' | 'operator' | 'carrier'
  /** The field of the order to correct, if any. */
  readonly field: RejectField | null
  readonly fix: string
  /** Minimum and maximum usual time from the fix to the carrier's next response, in business days. */
  readonly business_days: readonly [number, number]
  /** Codes that carriers send: numeric ones of wholesale porting APIs, then those in responses to a local service request (LSR). */
  readonly codes: readonly string[]
}

/** Attributes of a port order as an edit names them, and the two kinds of documents. */
export type RejectField =
  | 'numbers'
  | 'billing_name'
  | 'billing_number'
  | 'company'
  | 'street'
  | 'zip'
  | 'provider'
  | 'provider_account'
  | 'pin'
  | 'last_4_ssn'
  | 'desired_completion_date'
  | 'business_documents'
  | 'loa'
