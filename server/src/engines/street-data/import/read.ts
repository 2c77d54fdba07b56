import type { Format, Get, ReadOptions } from './format.ts'
import type { Input } from './input.ts'
import { eachDbfRecord } from './dbf.ts'
import { eachFixedRecord, eachLine, type OnColumns, type OnRecord } from './records.ts'
import { openTable } from './table.ts'

/** Our column names → the file's; undefined if they are equal. */
export function columnMapping(format: Format, options: ReadOptions): ((column: string) => string) | undefined {
  const named = Object.entries({ ...format.columns, ...options.columns })
  const columns = new Map(named.map(([ours, theirs]) => [ours, theirs.trim().toLowerCase()]))
  const same = [...columns].every(([ours, theirs]) => ours === theirs)
  return same ? undefined : (column) => columns.get(column) ?? column
}

/** Calls `on_record` for each record of an unpacked file. */
export async function eachRecord(
  input: Input,
  format: Format,
  options: ReadOptions,
  on_record: OnRecord,
  on_columns?: OnColumns,
): Promise<void> {
  switch (format.container) {
    case 'table': {
      const { bytes, read } = await openTable(input)
      return await read(bytes, on_record, on_columns)
    }
    case 'dbf':
      return await eachDbfRecord(input.bytes, on_record, on_columns)
    case 'fixed':
      return await eachFixedRecord(input.bytes, options.layout ?? format.layout ?? {}, on_record)
    case 'lines':
      return await eachAddressLine(input, on_record)
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
