import type { CdrFilterInput } from '@demarc/client'
import { oneOf, searchOf, text, integer } from '../search.ts'

/** The call filters by API name, in form order. The route map imports this file, so their labels are in another. */
export const filterNames = [
  'start_call_start_time',
  'start_call_end_time',
  'direction',
  'destination_numbers',
  'destination_prefix',
  'callerid_numbers',
  'callerid_prefix',
  'number_aliases',
  'number_aliases_contains',
  'destination_countries_included',
  'destination_countries_excluded',
  'duration_greater_than',
  'duration_less_than',
  'cost_greater_than',
  'cost_less_than',
  'custom_x_tags',
  'caller_ip',
  'tollfree_only',
  'exclude_cancelled',
] as const satisfies readonly (keyof CdrFilterInput)[]
export type FilterName = (typeof filterNames)[number]

/** Periods relative to today; the default is 30 days. */
export const periods = ['today', '7d', '30d', 'month', 'last_month'] as const
export type Period = (typeof periods)[number]

/** Export file formats. */
export const formats = ['csv', 'csv.zst', 'ndjson', 'parquet'] as const
export type Format = (typeof formats)[number]

/** Dimensions of the charts. */
export const divisions = ['day', 'direction', 'country', 'fee'] as const
export type Division = (typeof divisions)[number]

/** URL parameters of the call-records page. Lists are comma-separated, or one value per line where values may contain commas. */
export interface CallRecordsSearch extends Partial<Record<FilterName, string>> {
  period?: Period
  /** The file format. */
  file?: Format
  by?: Division
  /** Offset in the list of exports. */
  offset?: number
}

export const callRecordsSearch: (raw: Record<string, unknown>) => CallRecordsSearch = searchOf({
  ...Object.fromEntries(filterNames.map((name) => [name, text])),
  period: oneOf(periods),
  file: oneOf(formats),
  by: oneOf(divisions),
  offset: integer,
})
