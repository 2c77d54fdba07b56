import { instantAt, parseMoment } from '@demarc/client'
import { usage } from '../../../failure.ts'
import type { CallFile } from '../call-file.ts'
import { unitsOf } from '../decimal.ts'

/** A call on either side, for comparison, and as a line of text for sorting. */

export interface Call {
  /** Both numbers; calls match only if these are equal. */
  key: string
  start_ms: number
  /** Seconds. */
  duration: number
  /** Units of 10^-8 dollars; null where the file has no costs. */
  cost: bigint | null
  /** The call's position in its file, from 1. */
  nth: number
}

const names = ['start_time', 'callerid', 'destination', 'duration', 'cost'] as const
type Name = (typeof names)[number]
export type Columns = Readonly<Record<Name, string>>

export const exportColumns: Columns = {
  start_time: 'start_time',
  callerid: 'callerid',
  destination: 'destination',
  duration: 'duration',
  cost: 'total_cost',
}

/**
 * `start_time=calldate,duration=billsec`: maps an export's column names to the file's. Columns not listed have the export's
 * names.
 */
export function columnsOf(option: string, text: string | undefined): Columns {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '')
  const entries = pairs.map((pair) => {
    const [name = '', column = ''] = pair.split('=').map((each) => each.trim())
    if (names.some((each) => each === name) && column !== '') return [name, column] as const
    throw usage(option, `Must be name=column pairs separated by commas, not ${pair}.`, `Names: ${names.join(', ')}.`)
  })
  return { ...exportColumns, ...Object.fromEntries(entries) }
}

export interface ReadOptions {
  file: string
  columns: Columns
  /** IANA zone of times without an offset; undefined: UTC. */
  zone: string | undefined
}

/** Reads a file's calls as sortable lines. */
export async function* callLines(
  { header, rows }: CallFile,
  { file, columns, zone }: ReadOptions,
): AsyncGenerator<string> {
  const at = Object.fromEntries(names.map((name) => [name, header.indexOf(columns[name])])) as Record<Name, number> // one for each name
  // a file without costs is compared without them, but not one in which their column has another name
  const costs = costColumn(header, columns)
  const missing = names.filter((name) => (name !== 'cost' || costs !== null) && at[name] < 0)
  if (missing.length > 0)
    throw usage(
      'file',
      `${file} has no column ${missing.map((name) => columns[name]).join(', ')}.`,
      `It has: ${header.join(', ')}. Map the columns, for example --columns ${missing[0]}=${missing[0] === 'cost' ? (costs ?? '') : header[0]}.`,
    )
  const timeOf = timeReader(zone)
  let nth = 0
  for await (const row of rows) {
    nth++
    const wrong = (name: Name) =>
      usage('file', `${file}, call ${nth}: ${columns[name]} is ${JSON.stringify((row[at[name]] ?? '').slice(0, 50))}.`)
    const start_ms = timeOf(row[at.start_time] ?? '')
    if (start_ms === null) throw wrong('start_time')
    const duration = Number(row[at.duration] || Number.NaN)
    if (!(duration >= 0)) throw wrong('duration')
    const cost = at.cost < 0 ? null : unitsOf(row[at.cost] ?? '')
    if (at.cost >= 0 && cost === null) throw wrong('cost')
    yield lineOf({ key: keyOf(row[at.callerid] ?? '', row[at.destination] ?? ''), start_ms, duration, cost, nth })
  }
}

/** The column of costs that was asked for, or one with a likely name; null if the file has neither. */
export function costColumn(header: readonly string[], columns: Columns): string | null {
  const likely = /^(total_?)?(cost|price|charge|amount|rate)s?$/i
  if (header.includes(columns.cost) || columns.cost !== exportColumns.cost) return columns.cost
  return header.find((name) => likely.test(name.trim())) ?? null
}

const time_digits = 15

/** A call as text: in the order of these lines, calls are in the order of key and time. */
const lineOf = ({ key, start_ms, duration, cost, nth }: Call): string =>
  `${key}\t${String(start_ms).padStart(time_digits, '0')}\t${duration}\t${cost ?? ''}\t${nth}`

export function callOf(line: string): Call {
  const [key = '', start = '', duration = '', cost = '', nth = ''] = line.split('\t')
  return {
    key,
    start_ms: Number(start),
    duration: Number(duration),
    cost: cost === '' ? null : BigInt(cost),
    nth: Number(nth),
  }
}

const keyOf = (callerid: string, destination: string): string => `${numberOf(callerid)}|${numberOf(destination)}`

/** A number as digits with the country code. Other text is kept, except characters that separate fields or begin a formula. */
function numberOf(text: string): string {
  const digits = text.replace(/[^\d]/g, '')
  if (digits === '') return text.replace(/[\s|]+/g, ' ').replace(/^['=+\-@ ]+/, '')
  return /^[2-9]\d{9}$/.test(digits) ? `1${digits}` : digits
}

/** Date and minute, then seconds, then the offset. */
const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i

/** Reads times; calls of the same minute follow each other, and looking up a zone takes long. */
function timeReader(zone: string | undefined): (text: string) => number | null {
  let [minute, minute_ms]: [string, number | null] = ['', null]
  return (text) => {
    if (/^\d{10}$/.test(text)) return Number(text) * 1000
    const [, date = '', hour = '', of_hour = '', second = '0', fraction = '', offset = ''] =
      time.exec(text.trim()) ?? []
    if (date === '' || Number(second) > 59) return null
    const key = `${date} ${hour}:${of_hour}${offset}`
    if (key !== minute) [minute, minute_ms] = [key, startOfMinute(date, hour, of_hour, offset, zone)]
    return minute_ms === null ? null : minute_ms + Number(second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  }
}

function startOfMinute(date: string, hour: string, minute: string, offset: string, zone: string | undefined) {
  const utc = parseMoment(`${date}T${hour}:${minute}${offset.toUpperCase() || 'Z'}`)
  if (utc === null || offset !== '' || zone === undefined) return utc
  return instantAt(date, Number(hour) * 60 + Number(minute), zone).getTime()
}
