import type { Format, Get, ReadOptions } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { openInputs, type Input } from './input.ts'
import { eachCsvRecord, eachDbfRecord, eachFixedRecord, eachJsonRecord, eachLine, type OnRecord } from './records.ts'
import type { Source } from './source.ts'

/** Calls for each record of a file, without loading anything. Throws FileRefused. */
export async function readRecords(
  options: ReadOptions & { file: string | Source; format: FormatName },
  on_record: OnRecord,
): Promise<void> {
  const format: Format = FORMATS[options.format]
  const mapped = columnMapping(format, options)
  for (const input of await openInputs(options.file, format))
    await eachRecord(input, format, options, (get) => on_record(mapped ? (column) => get(mapped(column)) : get))
}

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
