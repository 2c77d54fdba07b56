/** Call records as rows of an INSERT. */

import { newlinesIn } from './columns.ts'
import { countryOf, digitsOf, foldCase, isTollfree, wellFormed } from './normalization.ts'
import { accountNumber } from './filter.ts'
import { MONEY, TIME, UINT16_MAX, UINT32_MAX } from './limits.ts'
import { INSERTED_COLUMNS, type InsertedColumn } from './schema.ts'
import type { CdrRecord } from './types.ts'

type Row = Record<InsertedColumn, string | number | boolean | null | readonly string[]>

/**
 * The record as one line of JSONCompactEachRow, columns in the order of INSERTED_COLUMNS. Throws RangeError for a value that its column
 * cannot store exactly: the engine would silently round or wrap some of them.
 */
export function insertLine(record: CdrRecord): string {
  const row: Record<string, unknown> = rowOf(wellFormedRecord(record))
  return JSON.stringify(INSERTED_COLUMNS.map((column) => row[column]))
}

/** `YYYY-MM-DD HH:MM:SS.mmm`, as the engine reads and prints times. */
export function engineTime(time: Date): string {
  const iso = time.toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}`
}

function rowOf(record: CdrRecord): Row {
  const destination_digits = digitsOf(record.destination)
  const callerid_digits = digitsOf(record.callerid)
  return {
    ...record,
    account_id: accountNumber(record.account_id),
    start_time: checkedTime(record, 'start_time'),
    end_time: checkedTime(record, 'end_time'),
    destination_country: countryOf(record.destination_country),
    call_fail_sip_code:
      record.call_fail_sip_code === null
        ? null
        : checkedInteger(record, 'call_fail_sip_code', record.call_fail_sip_code, UINT16_MAX),
    duration: checkedInteger(record, 'duration', record.duration, UINT32_MAX),
    billed_duration: checkedInteger(record, 'billed_duration', record.billed_duration, UINT32_MAX),
    first_increment: checkedInteger(record, 'first_increment', record.first_increment, UINT32_MAX),
    subsequent_increment: checkedInteger(record, 'subsequent_increment', record.subsequent_increment, UINT32_MAX),
    rate: checkedMoney(record, 'rate'),
    cost_subtotal: checkedMoney(record, 'cost_subtotal'),
    connect_fee: checkedMoney(record, 'connect_fee'),
    usf_fee: checkedMoney(record, 'usf_fee'),
    ccrf: checkedMoney(record, 'ccrf'),
    cnam_lookup_fee: checkedMoney(record, 'cnam_lookup_fee'),
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
  return engineTime(record[column])
}

function invalidField(record: CdrRecord, column: string, reason: string): RangeError {
  return new RangeError(`record ${JSON.stringify(record.id)} of account ${record.account_id}: ${column}: ${reason}`)
}
