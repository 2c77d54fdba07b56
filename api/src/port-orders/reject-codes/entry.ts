/** One reason for a rejection, in words that the account holder can act on. */
export interface RejectEntry {
  readonly title: string
  /** Why the carrier rejects. */
  readonly cause: string
  /** Who acts next: the account holder, our operator, or the losing carrier. */
  readonly who: 'account' | 'operator' | 'carrier'
  /** The field of the order to correct; null when it is none of them. */
  readonly field: RejectField | null
  readonly fix: string
  /** Usual time from the fix to the carrier's next response, in business days: least and most. */
  readonly business_days: readonly [number, number]
  /** Numeric codes of wholesale porting interfaces. */
  readonly numeric: readonly string[]
  /** Codes in responses to a local service request (LSR). */
  readonly lsr: readonly string[]
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
