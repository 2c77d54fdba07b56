/** A call record and its filters. */

/** How a call ended, as the switch reported it. */
export const CDR_RESULTS = ['completed', 'cancelled', 'failed', 'busy', 'no_answer'] as const
export type CdrResult = (typeof CDR_RESULTS)[number]

export const CDR_DIRECTIONS = ['inbound', 'outbound'] as const
export type CdrDirection = (typeof CDR_DIRECTIONS)[number]

/**
 * One call record, validated. `account_id` and `id` together identify it.
 *
 * - Money: decimal strings, up to 8 places, below 1e9 in size, a leading `-` for credits (`MONEY` in limits.ts).
 * - Durations and increments: whole seconds, 0 to 4294967295.
 * - Times: to the millisecond, from 1900 to 2299.
 * - Missing text is the empty string. Any text is allowed, including quotes, newlines and NUL.
 */
export type CdrRecord = {
  /** Decimal string, 0 to 2^64-1. */
  account_id: string
  /** Unique within the account, compared byte by byte. */
  id: string
  direction: CdrDirection
  start_time: Date
  end_time: Date
  destination: string
  number_alias: string
  callerid: string
  destination_name: string
  /** ISO 3166 alpha-2 in any case, or empty. */
  destination_country: string
  callerid_country: string
  line_information: string
  result: CdrResult
  /** 0 to 65535; null if the call did not fail. */
  call_fail_sip_code: number | null
  call_fail_reason: string
  duration: number
  billed_duration: number
  rate: string
  first_increment: number
  subsequent_increment: number
  cost_subtotal: string
  connect_fee: string
  usf_fee: string
  ccrf: string
  cnam_lookup_fee: string
  custom_x_tag: readonly string[]
  /** IPv4 or IPv6 address, or empty. Other text is stored and matches no address filter. */
  customer_ip: string
}

/**
 * The validated filters of an export, named as in the API. OR within a list, AND between filters. A missing key or an empty
 * list does not filter. Decimals are plain decimal strings of any length (`-12.5`), compared exactly.
 */
export type CdrFilter = {
  /** Inclusive. */
  start_call_start_time: Date
  /** Exclusive. */
  start_call_end_time: Date
  number_aliases?: readonly string[]
  number_aliases_contains?: readonly string[]
  destination_numbers?: readonly string[]
  callerid_numbers?: readonly string[]
  custom_x_tags?: readonly string[]
  /** IPv4 or IPv6 address, or CIDR block. */
  caller_ip?: string
  duration_greater_than?: string
  duration_less_than?: string
  cost_greater_than?: string
  cost_less_than?: string
  destination_countries_included?: readonly string[]
  destination_countries_excluded?: readonly string[]
  tollfree_only?: boolean
  direction?: CdrDirection
  exclude_cancelled?: boolean
  destination_prefix?: readonly string[]
  callerid_prefix?: readonly string[]
}

/** Selects one account's records that match a filter. */
export type CdrQuery = { account_id: string; filter: CdrFilter }

export const CDR_FORMATS = ['csv', 'ndjson', 'parquet'] as const
export type CdrFormat = (typeof CDR_FORMATS)[number]

/** Compression of a CSV or NDJSON file. Parquet compresses its own columns. */
export type CdrCompression = 'none' | 'gzip' | 'zstd'
