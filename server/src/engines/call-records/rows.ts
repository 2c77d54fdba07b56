/** Call records as rows of an INSERT. */

import { hash } from 'node:crypto'
import type { Memory } from './bytes.ts'
import { newlinesIn } from './columns.ts'
import { DictionaryColumn } from './dictionary.ts'
import { countryOf, digitsOf, foldCase, isTollfree } from './normalization.ts'
import { accountNumber } from './filter.ts'
import { LIMITS, MONEY, TIME, UINT16_MAX, UINT32_MAX } from './limits.ts'
import {
  BoolColumn,
  encodeBlock,
  Int64Column,
  NullableUInt16Column,
  TextColumn,
  TextsColumn,
  UInt32Column,
  type Column,
  type NamedColumn,
} from './native.ts'
import { CLAIMED, INSERTED, typeOf, type InsertedColumn } from './schema.ts'
import type { CdrRecord } from './call-record.ts'

/** Of the key: an account may have the id of another's record. */
export type RecordKey = { account_id: string; id: string }

/** In the order of the statement. */
function makeColumns() {
  return {
    account_id: new Int64Column(),
    start_time: new Int64Column(),
    id: new TextColumn(),
    direction: new DictionaryColumn(),
    end_time: new Int64Column(),
    destination: new TextColumn(),
    number_alias: new DictionaryColumn(),
    callerid: new TextColumn(),
    destination_name: new DictionaryColumn(),
    destination_country: new DictionaryColumn(),
    callerid_country: new DictionaryColumn(),
    line_information: new DictionaryColumn(),
    result: new DictionaryColumn(),
    call_fail_sip_code: new NullableUInt16Column(),
    call_fail_reason: new DictionaryColumn(),
    duration: new UInt32Column(),
    billed_duration: new UInt32Column(),
    rate: new Int64Column(),
    first_increment: new UInt32Column(),
    subsequent_increment: new UInt32Column(),
    cost_subtotal: new Int64Column(),
    connect_fee: new Int64Column(),
    usf_fee: new Int64Column(),
    ccrf: new Int64Column(),
    cnam_lookup_fee: new Int64Column(),
    custom_x_tag: new TextsColumn(),
    customer_ip: new TextColumn(),
    destination_digits: new TextColumn(),
    callerid_digits: new TextColumn(),
    number_alias_folded: new DictionaryColumn(),
    tollfree: new BoolColumn(),
    newlines: new UInt32Column(),
  } satisfies Record<InsertedColumn, Column>
}

export type RecordColumns = ReturnType<typeof makeColumns>

/** A record that writes itself as one row of each column. */
export interface RecordSource extends RecordKey {
  writeTo: (columns: RecordColumns) => void
}

/** Records as the columns of a block: a fifth of the memory that they take as objects. */
export class RecordBlock {
  /** Records in it. */
  rows = 0
  readonly #columns = makeColumns()
  readonly #all: readonly Column[] = Object.values(this.#columns)
  /** By which the keys are claimed. */
  readonly #hashes = new Int64Column()

  /** Approximate bytes of memory. */
  get size(): number {
    let size = this.#hashes.size
    for (const column of this.#all) size += column.size
    return size
  }

  /** Whether it is as large as one INSERT may be. */
  get full(): boolean {
    return this.rows >= LIMITS.insert_rows || this.size >= LIMITS.insert_bytes
  }

  /**
   * Throws RangeError for a value that its column cannot store exactly: the engine would silently round or wrap some of them. The block must
   * not be used then.
   */
  append(record: CdrRecord): void {
    const columns = this.#columns
    appendAccount(columns.account_id, record)
    columns.start_time.append(checkedTime(record, 'start_time'))
    columns.id.append(record.id)
    columns.direction.append(record.direction)
    columns.end_time.append(checkedTime(record, 'end_time'))
    columns.number_alias.append(record.number_alias)
    columns.destination_name.append(record.destination_name)
    columns.destination_country.append(countryOf(record.destination_country))
    columns.callerid_country.append(record.callerid_country)
    columns.line_information.append(record.line_information)
    columns.result.append(record.result)
    columns.call_fail_sip_code.append(checkedSipCode(record))
    columns.call_fail_reason.append(record.call_fail_reason)
    for (const column of DURATIONS) columns[column].append(checkedInteger(record, column, record[column], UINT32_MAX))
    for (const column of MONEY_COLUMNS) appendMoney(columns[column], record, column)
    columns.custom_x_tag.append(record.custom_x_tag)
    columns.customer_ip.append(record.customer_ip)
    columns.number_alias_folded.append(foldCase(record.number_alias))
    columns.newlines.append(newlinesIn(record))
    this.#appendNumbers(record)
    this.#appended(record)
  }

  /** A record that has no value which its column cannot store. */
  appendFrom(source: RecordSource): void {
    source.writeTo(this.#columns)
    this.#appended(source)
  }

  #appended(key: RecordKey): void {
    const [high, low] = hashOf(key)
    this.#hashes.appendHalves(high, low)
    this.rows += 1
  }

  #appendNumbers({ destination, callerid }: CdrRecord): void {
    const columns = this.#columns
    const destination_digits = digitsOf(destination)
    const callerid_digits = digitsOf(callerid)
    columns.destination.append(destination)
    columns.callerid.append(callerid)
    columns.destination_digits.append(destination_digits)
    columns.callerid_digits.append(callerid_digits)
    columns.tollfree.append(isTollfree(destination_digits) || isTollfree(callerid_digits))
  }

  /** Removes all records. Not before what it encoded has been sent. */
  clear(memory: Memory): void {
    for (const column of this.#all) column.clear(memory)
    this.#hashes.clear(memory)
    this.rows = 0
  }

  /** The records of these rows. */
  pick(rows: readonly number[]): RecordBlock {
    const picked = new RecordBlock()
    for (const row of rows) {
      for (const [at, column] of this.#all.entries()) picked.#all[at]?.appendFrom(column, row)
      picked.#hashes.appendFrom(this.#hashes, row)
    }
    picked.rows = rows.length
    return picked
  }

  keyAt(row: number): RecordKey {
    return { account_id: BigInt.asUintN(64, this.#columns.account_id.at(row)).toString(), id: this.#columns.id.at(row) }
  }

  /** Epoch milliseconds. */
  startAt(row: number): number {
    return Number(this.#columns.start_time.at(row))
  }

  /** The hash by which the key is claimed, decimal. */
  hashAt(row: number): string {
    return BigInt.asUintN(64, this.#hashes.at(row)).toString()
  }

  /** 32 bits of it. */
  shortHashAt(row: number): number {
    return this.#hashes.low(row)
  }

  /** Little-endian. */
  hashes(): Buffer[] {
    return this.#hashes.bytes()
  }

  /** The block of an INSERT of INSERTED_COLUMNS, and of `more`. */
  encode(more: readonly NamedColumn[] = []): Buffer[] {
    const columns = Object.entries(this.#columns).map(([name, column]) => named(INSERTED, name, column))
    return encodeBlock([...columns, ...more], this.rows)
  }

  /** The block of an INSERT of CLAIMED_COLUMNS. */
  encodeClaims(more: readonly NamedColumn[] = []): Buffer[] {
    const { start_time } = this.#columns
    const columns = [named(CLAIMED, 'id_hash', this.#hashes), named(CLAIMED, 'start_time', start_time)]
    return encodeBlock([...columns, ...more], this.rows)
  }
}

/** A record as the only one of a block. */
export function blockOf(...records: readonly CdrRecord[]): RecordBlock {
  const block = new RecordBlock()
  for (const record of records) block.append(record)
  return block
}

function named(definitions: Readonly<Record<string, string>>, name: string, column: Column): NamedColumn {
  return { name, type: typeOf(definitions[name] ?? ''), column }
}

const DURATIONS = ['duration', 'billed_duration', 'first_increment', 'subsequent_increment'] as const
const MONEY_COLUMNS = ['rate', 'cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'] as const

/**
 * The hash by which a key is claimed, its halves. 64 bits are enough, as a match is verified against the record itself. As text, which takes
 * half of the time of a Buffer.
 */
function hashOf({ account_id, id }: RecordKey): [high: number, low: number] {
  const digest = hash('sha256', `${account_id}\0${id}`, 'hex')
  return [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)]
}

/** The records of a batch are mostly of few accounts, one after the other. */
let account = { id: '', high: 0, low: 0 }

/** Writes the number of an account. */
export function appendAccount(column: Int64Column, { account_id }: Pick<RecordKey, 'account_id'>): void {
  if (account_id !== account.id) {
    const number = BigInt(accountNumber(account_id))
    account = { id: account_id, high: Number(number >> 32n), low: Number(BigInt.asUintN(32, number)) }
  }
  column.appendHalves(account.high, account.low)
}

/** Up to here a sum of whole and fraction is a safe integer. */
const SAFE_WHOLE = 90_000_000
const SCALE = 10 ** MONEY.places

function appendMoney(column: Int64Column, record: CdrRecord, name: (typeof MONEY_COLUMNS)[number]): void {
  const value = record[name]
  if (value === '0') return column.append(0)
  if (!MONEY.pattern.test(value))
    throw invalidField(record, name, `${JSON.stringify(value)} is not a decimal of 9 and ${MONEY.places} digits`)
  const negative = value.startsWith('-')
  const point = value.indexOf('.')
  const whole = Number(value.slice(negative ? 1 : 0, point < 0 ? undefined : point))
  const fraction = point < 0 ? 0 : digitsOfFraction(value, point + 1)
  if (whole < SAFE_WHOLE) return column.append(negative ? -(whole * SCALE + fraction) : whole * SCALE + fraction)
  const units = BigInt(whole) * BigInt(SCALE) + BigInt(fraction)
  column.appendExact(negative ? -units : units)
}

/** In units of the last place. */
function digitsOfFraction(text: string, from: number): number {
  let value = 0
  for (let at = from; at < from + MONEY.places; at += 1)
    value = value * 10 + (at < text.length ? text.charCodeAt(at) - 48 : 0)
  return value
}

function checkedSipCode(record: CdrRecord): number | null {
  const { call_fail_sip_code } = record
  if (call_fail_sip_code === null) return null
  return checkedInteger(record, 'call_fail_sip_code', call_fail_sip_code, UINT16_MAX)
}

function checkedInteger(record: CdrRecord, column: InsertedColumn, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw invalidField(record, column, `${value} is not an integer from 0 to ${most}`)
  return value
}

function checkedTime(record: CdrRecord, column: 'start_time' | 'end_time'): number {
  const ms = record[column].getTime()
  if (!(ms >= TIME.first && ms <= TIME.last)) throw invalidField(record, column, 'not a time from 1900 to 2299')
  return ms
}

function invalidField(record: CdrRecord, column: string, reason: string): RangeError {
  return new RangeError(`record ${JSON.stringify(record.id)} of account ${record.account_id}: ${column}: ${reason}`)
}
