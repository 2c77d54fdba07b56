/** One reason for which a port order comes back, in words that the account holder can act on. */
export interface RejectEntry {
  readonly title: string
  /** What is behind it. */
  readonly cause: string
  /** Whose move it is: the account holder, our operator, or the losing carrier. */
  readonly who: 'account' | 'operator' | 'carrier'
  /** The field of the order to mend; null when it is none of them. */
  readonly field: RejectField | null
  readonly fix: string
  /** Usual time from the fix to the carrier's next answer, in business days: least and most. */
  readonly business_days: readonly [number, number]
  /** Numeric codes of wholesale porting interfaces. */
  readonly numeric: readonly string[]
  /** Codes as they stand in answers to a local service request (LSR). */
  readonly lsr: readonly string[]
}

/** Attributes of a port order as an edit names them, and the two kinds of papers. */
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
