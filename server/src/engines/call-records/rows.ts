/** Call records as rows of an INSERT. */

import { newlinesIn } from './columns.ts'
import { countryOf, digitsOf, foldCase, isTollfree, wellFormed } from './normalization.ts'
import { accountNumber } from './filter.ts'
import { MONEY, TIME, UINT16_MAX, UINT32_MAX } from './limits.ts'
import type { InsertedColumn } from './schema.ts'
import type { CdrRecord } from './types.ts'

type Row = Record<InsertedColumn, string | number | boolean | null | readonly string[]> &
  Record<'account_id' | 'start_time' | 'id', string>

/** How JSON writes half of a surrogate pair, which UTF-8 cannot encode. Also in a text that has these characters themselves. */
const LONE_SURROGATE = /\\ud[89a-f]/

/**
 * The record as one line of JSONCompactEachRow, columns in the order of INSERTED_COLUMNS, and its key as it is stored. Throws RangeError
 * for a value that its column cannot store exactly: the engine would silently round or wrap some of them.
 */
export function insertRow(record: CdrRecord): { account_id: string; start_time: string; id: string; line: string } {
  const row = rowOf(record)
  const line = JSON.stringify(Object.values(row))
  if (LONE_SURROGATE.test(line) && !isWellFormed(record)) return insertRow(wellFormedRecord(record))
  const { account_id, start_time, id } = row
  return { account_id, start_time, id, line }
}

const DAY_MS = 86_400_000
/** The records of a batch are mostly of one day. */
let day = { first_ms: Number.NaN, text: '' }

/** Numbers with leading zeros, which take most of the time of writing a time. */
const PAIRS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'))
const TRIPLES = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'))

/** `YYYY-MM-DD HH:MM:SS.mmm`, as the engine reads and prints times. */
function engineTime(ms: number): string {
  const first_ms = Math.floor(ms / DAY_MS) * DAY_MS
  if (first_ms !== day.first_ms) day = { first_ms, text: new Date(first_ms).toISOString().slice(0, 10) }
  const in_day = ms - first_ms
  const s = Math.floor(in_day / 1000)
  const minutes = Math.floor(s / 60)
  return `${day.text} ${PAIRS[Math.floor(minutes / 60)]}:${PAIRS[minutes % 60]}:${PAIRS[s % 60]}.${TRIPLES[in_day % 1000]}`
}

/** The records of a batch are mostly of few accounts, one after the other. */
let account = { id: '', number: '' }

function accountOf({ account_id }: CdrRecord): string {
  if (account_id !== account.id) account = { id: account_id, number: accountNumber(account_id) }
  return account.number
}

/** In the order of INSERTED_COLUMNS. Every column by its name: copying records is half of the time of an ingest. */
function rowOf(record: CdrRecord): Row {
  const destination_digits = digitsOf(record.destination)
  const callerid_digits = digitsOf(record.callerid)
  const { call_fail_sip_code } = record
  return {
    account_id: accountOf(record),
    start_time: checkedTime(record, 'start_time'),
    id: record.id,
    direction: record.direction,
    end_time: checkedTime(record, 'end_time'),
    destination: record.destination,
    number_alias: record.number_alias,
    callerid: record.callerid,
    destination_name: record.destination_name,
    destination_country: countryOf(record.destination_country),
    callerid_country: record.callerid_country,
    line_information: record.line_information,
    result: record.result,
    call_fail_sip_code:
      call_fail_sip_code === null ? null : checkedInteger(record, 'call_fail_sip_code', call_fail_sip_code, UINT16_MAX),
    call_fail_reason: record.call_fail_reason,
    duration: checkedInteger(record, 'duration', record.duration, UINT32_MAX),
    billed_duration: checkedInteger(record, 'billed_duration', record.billed_duration, UINT32_MAX),
    rate: checkedMoney(record, 'rate'),
    first_increment: checkedInteger(record, 'first_increment', record.first_increment, UINT32_MAX),
    subsequent_increment: checkedInteger(record, 'subsequent_increment', record.subsequent_increment, UINT32_MAX),
    cost_subtotal: checkedMoney(record, 'cost_subtotal'),
    connect_fee: checkedMoney(record, 'connect_fee'),
    usf_fee: checkedMoney(record, 'usf_fee'),
    ccrf: checkedMoney(record, 'ccrf'),
    cnam_lookup_fee: checkedMoney(record, 'cnam_lookup_fee'),
    custom_x_tag: record.custom_x_tag,
    customer_ip: record.customer_ip,
    destination_digits,
    callerid_digits,
    number_alias_folded: foldCase(record.number_alias),
    tollfree: isTollfree(destination_digits) || isTollfree(callerid_digits),
    newlines: newlinesIn(record),
  }
}

function wellFormedRecord(record: CdrRecord): CdrRecord {
  return {
    ...record,
    id: wellFormed(record.id),
    destination: wellFormed(record.destination),
    number_alias: wellFormed(record.number_alias),
    callerid: wellFormed(record.callerid),
    destination_name: wellFormed(record.destination_name),
    destination_country: wellFormed(record.destination_country),
    callerid_country: wellFormed(record.callerid_country),
    line_information: wellFormed(record.line_information),
    call_fail_reason: wellFormed(record.call_fail_reason),
    custom_x_tag: record.custom_x_tag.map(wellFormed),
    customer_ip: wellFormed(record.customer_ip),
  }
}

const isWellFormed = (record: CdrRecord): boolean =>
  Object.values(record)
    .flat()
    .every((value) => typeof value !== 'string' || value.isWellFormed())

type MoneyColumn = 'rate' | 'cost_subtotal' | 'connect_fee' | 'usf_fee' | 'ccrf' | 'cnam_lookup_fee'

function checkedMoney(record: CdrRecord, column: MoneyColumn): string {
  const value = record[column]
  if (!MONEY.pattern.test(value))
    throw invalidField(record, column, `${JSON.stringify(value)} is not a decimal of 9 and ${MONEY.places} digits`)
  return value
}

function checkedInteger(record: CdrRecord, column: InsertedColumn, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw invalidField(record, column, `${value} is not an integer from 0 to ${most}`)
  return value
}

function checkedTime(record: CdrRecord, column: 'start_time' | 'end_time'): string {
  const ms = record[column].getTime()
  if (!(ms >= TIME.first && ms <= TIME.last)) throw invalidField(record, column, 'not a time from 1900 to 2299')
  return engineTime(ms)
}

function invalidField(record: CdrRecord, column: string, reason: string): RangeError {
  return new RangeError(`record ${JSON.stringify(record.id)} of account ${record.account_id}: ${column}: ${reason}`)
}
