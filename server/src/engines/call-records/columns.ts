/** The columns of an export file, in the order of the API, and how each format writes them. */

import type { ClickHouseSettings } from '@clickhouse/client'
import { formulaPattern, telephonePattern } from '../../platform/csv.ts'
import { text } from './literal.ts'
import type { CdrFormat } from './call-record.ts'

/** A customer or a switch supplies `text` cells; the service formats all others. */
const COLUMNS = {
  direction: 'enumerated',
  start_time: 'time',
  end_time: 'time',
  destination: 'text',
  number_alias: 'text',
  callerid: 'text',
  total_cost: 'money',
  destination_name: 'text',
  callerid_country: 'text',
  line_information: 'text',
  result: 'enumerated',
  call_fail_sip_code: 'number',
  call_fail_reason: 'text',
  duration: 'number',
  billed_duration: 'number',
  rate: 'money',
  first_increment: 'number',
  subsequent_increment: 'number',
  cost_subtotal: 'money',
  connect_fee: 'money',
  usf_fee: 'money',
  ccrf: 'money',
  cnam_lookup_fee: 'money',
  custom_x_tag: 'texts',
  customer_ip: 'text',
} as const

export const EXPORT_COLUMNS = Object.keys(COLUMNS)
export const CSV_HEADER = Buffer.from(`${EXPORT_COLUMNS.join(',')}\n`)

/** Joins the tags of a CSV cell, as in ingested CSV. */
export const TAG_SEPARATOR = '|'

type FormatSpec = {
  /** ClickHouse's format name. CSV has no header here; stream.ts writes it. */
  format: 'CSV' | 'JSONEachRow' | 'Parquet'
  select: string
  settings: ClickHouseSettings
}

const NAMES = EXPORT_COLUMNS.join(', ')

export const FORMATS: Record<CdrFormat, FormatSpec> = {
  csv: {
    format: 'CSV',
    select: Object.entries(COLUMNS).map(csvCell).join(', '),
    // RFC 4180: quotes doubled, text always quoted; an absent value is an empty cell.
    settings: {
      date_time_output_format: 'iso',
      format_csv_null_representation: '',
      output_format_csv_crlf_end_of_line: 0,
    },
  },
  ndjson: {
    format: 'JSONEachRow',
    select: NAMES,
    // Money as strings, so that no reader converts it to a binary float.
    settings: {
      date_time_output_format: 'iso',
      output_format_json_quote_decimals: 1,
      output_format_json_escape_forward_slashes: 0,
    },
  },
  parquet: {
    format: 'Parquet',
    select: NAMES,
    settings: { output_format_parquet_compression_method: 'zstd', output_format_parquet_string_as_string: 1 },
  },
}

/** Newlines inside the cells of a record's CSV line, including tags. */
export function newlinesIn(record: Record<TextColumn, string> & Record<'custom_x_tag', readonly string[]>): number {
  let newlines = 0
  for (const column of TEXT_COLUMNS) newlines += count(record[column])
  for (const tag of record.custom_x_tag) newlines += count(tag)
  return newlines
}

type TextColumn = { [C in keyof typeof COLUMNS]: (typeof COLUMNS)[C] extends 'text' ? C : never }[keyof typeof COLUMNS]

const TEXT_COLUMNS = Object.entries(COLUMNS)
  .filter(([, kind]) => kind === 'text')
  .map(([name]) => name) as TextColumn[]

function count(text: string): number {
  let found = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) found += 1
  return found
}

function csvCell([name, kind]: [string, (typeof COLUMNS)[keyof typeof COLUMNS]]): string {
  if (kind === 'text') return neutralized(name)
  if (kind === 'texts') return neutralized(`arrayStringConcat(${name}, '${TAG_SEPARATOR}')`)
  return name
}

/**
 * SQL of a text cell, prefixed with an apostrophe if a spreadsheet would evaluate it as a formula. For telephone numbers, the
 * engine skips the second condition, which is several times as expensive.
 */
function neutralized(cell: string): string {
  return `if(NOT match(${cell}, ${text(telephonePattern)}) AND match(${cell}, ${text(formulaPattern)}), concat('\\'', ${cell}), ${cell})`
}
