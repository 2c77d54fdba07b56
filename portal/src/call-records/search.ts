import type { CdrFilterInput } from '@demarc/client'
import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** The filters of calls, by their names in the API, in the order of the form. */
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

/** Periods that move with the calendar; without one, and without times, it is 30 days. */
export const periods = ['today', '7d', '30d', 'month', 'last_month'] as const
export type Period = (typeof periods)[number]

/** Kinds of files that an export can be. */
export const formats = ['csv', 'csv.zst', 'ndjson', 'parquet'] as const
export type Format = (typeof formats)[number]

/** What the charts divide the calls by. */
export const divisions = ['day', 'direction', 'country', 'fee'] as const
export type Division = (typeof divisions)[number]

/** What of the page of call records is in its URL: filters as texts, lists with commas, or with line ends where a name may have one. */
export interface CallRecordsSearch extends Partial<Record<FilterName, string>> {
  period?: Period
  /** The kind of file. */
  file?: Format
  by?: Division
  /** Of the list of exports. */
  offset?: number
}

export const callRecordsSearch = (raw: Record<string, unknown>): CallRecordsSearch => {
  const [period, file, offset] = [
    oneOfIn(raw, 'period', periods),
    oneOfIn(raw, 'file', formats),
    wholeIn(raw, 'offset'),
  ]
  const by = oneOfIn(raw, 'by', divisions)
  const filters = filterNames.flatMap((name) => {
    const text = textIn(raw, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  return {
    ...Object.fromEntries(filters),
    ...(period && { period }),
    ...(file && { file }),
    ...(by && { by }),
    ...(offset && { offset }),
  }
}
