import type { Format, Get, ReadOptions } from './format.ts'
import type { Input } from './input.ts'
import { eachCsvRecord, eachDbfRecord, eachFixedRecord, eachJsonRecord, eachLine, type OnRecord } from './records.ts'

/** Our column names → the file's; undefined where they are the same. */
export function columnMapping(format: Format, options: ReadOptions): ((column: string) => string) | undefined {
  const columns = new Map(
    Object.entries({ ...format.columns, ...options.columns }).map(([ours, theirs]) => [ours, theirs.toLowerCase()]),
  )
  return columns.size === 0 ? undefined : (column) => columns.get(column) ?? column
}

/** Calls for each record of an unpacked file. */
export function eachRecord(input: Input, format: Format, options: ReadOptions, on_record: OnRecord): Promise<void> {
  switch (format.container) {
    case 'csv':
      return eachCsvRecord(input.bytes, on_record)
    case 'json':
      return eachJsonRecord(input.bytes, on_record)
    case 'dbf':
      return eachDbfRecord(input.bytes, on_record)
    case 'fixed':
      return eachFixedRecord(input.bytes, options.layout ?? format.layout ?? {}, on_record)
    case 'lines':
      return eachAddressLine(input, on_record)
  }
}

async function eachAddressLine(input: Input, on_record: OnRecord): Promise<void> {
  let text = ''
  const get: Get = (column) => (column === 'line' ? text : '')
  await eachLine(input.bytes, (line) => {
    text = line.trim()
    return text === '' ? undefined : on_record(get)
  })
}
