/** Encodes call records as rows of an INSERT. */

import { hash } from 'node:crypto'
import { newlinesIn } from './columns.ts'
import { countryOf, digitsOf, foldCase, isTollfree } from './normalization.ts'
import { accountNumber } from './filter.ts'
import { LIMITS, MONEY, TIME, UINT16_MAX, UINT32_MAX } from './limits.ts'
import { RowWriter } from './row-binary.ts'
import type { CdrRecord } from './call-record.ts'

/** Identifies a record: two accounts may use the same id. */
export type RecordKey = { account_id: string; id: string }

/** Encoded records, in a fifth of the memory that the objects take. */
export class RecordBlock {
  rows = 0
  /** `keyOf` of each record. */
  readonly #keys: string[] = []
  /** Hashes for claiming the keys, 16 hexadecimal digits each. */
  readonly #hashes: string[] = []
  /** Start times in epoch milliseconds. */
  readonly #starts: number[] = []
  readonly #encoded = new RowWriter()
  /** Where each row ends. */
  readonly #ends: number[] = []

  /** Approximate memory in bytes. */
  get size(): number {
    return this.#encoded.length + this.rows * ROW_OVERHEAD_BYTES
  }

  /** Whether it has reached the maximum size of one INSERT. */
  get full(): boolean {
    return this.rows >= LIMITS.insert_rows || this.size >= LIMITS.insert_bytes
  }

  /**
   * Throws RangeError for a value that its column cannot store exactly, because the engine would silently round or wrap some of
   * them. The block must not be used afterwards.
   */
  append(record: CdrRecord): void {
    appendRow(this.#encoded, record)
    const key = keyOf(record)
    this.#keys.push(key)
    this.#hashes.push(hashOf(key))
    this.#starts.push(record.start_time.getTime())
    this.#ends.push(this.#encoded.length)
    this.rows += 1
  }

  /** The records of these rows. */
  pick(rows: readonly number[]): RecordBlock {
    const picked = new RecordBlock()
    for (const row of rows) {
      picked.#encoded.addBytes(this.#encoded.bytes(this.#ends[row - 1] ?? 0, this.#ends[row]))
      picked.#keys.push(this.keyAt(row))
      picked.#hashes.push(this.hashAt(row))
      picked.#starts.push(this.startAt(row))
      picked.#ends.push(picked.#encoded.length)
    }
    picked.rows = rows.length
    return picked
  }

  keyAt(row: number): string {
    return this.#keys[row] ?? ''
  }

  /** Epoch milliseconds. */
  startAt(row: number): number {
    return this.#starts[row] ?? Number.NaN
  }

  hashAt(row: number): string {
    return this.#hashes[row] ?? ''
  }

  hashes(): readonly string[] {
    return this.#hashes
  }

  /** Rows of the columns INSERTED. */
  encode(): Buffer {
    return this.#encoded.bytes()
  }

  /** Rows of the columns CLAIMED. */
  encodeClaims(): Buffer {
    const claims = new RowWriter()
    for (let row = 0; row < this.rows; row += 1) {
      claims.addUInt64(BigInt(`0x${this.hashAt(row)}`))
      claims.addInt64(this.startAt(row))
    }
    return claims.bytes()
  }
}

/** Approximate memory of a row's key, hash, and positions. */
const ROW_OVERHEAD_BYTES = 200

export function blockOf(...records: readonly CdrRecord[]): RecordBlock {
  const block = new RecordBlock()
  for (const record of records) block.append(record)
  return block
}

/** Well-formed like the stored text, so two ids that are stored alike have the same key. */
export function keyOf({ account_id, id }: RecordKey): string {
  return `${account_id}\0${id}`.toWellFormed()
}

export function readKey(key: string): RecordKey {
  const end = key.indexOf('\0')
  return { account_id: key.slice(0, end), id: key.slice(end + 1) }
}

/** 64 bits suffice, because a match is verified against the record itself. */
function hashOf(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 16)
}

/** In the order of INSERTED. */
function appendRow(row: RowWriter, record: CdrRecord): void {
  const destination_digits = digitsOf(record.destination)
  const callerid_digits = digitsOf(record.callerid)
  row.addUInt64(accountOf(record))
  row.addInt64(checkedTime(record, 'start_time'))
  row.addText(record.id)
  row.addText(record.direction)
  row.addInt64(checkedTime(record, 'end_time'))
  row.addText(record.destination)
  row.addText(record.number_alias)
  row.addText(record.callerid)
  row.addText(record.destination_name)
  row.addText(countryOf(record.destination_country))
  row.addText(record.callerid_country)
  row.addText(record.line_information)
  row.addText(record.result)
  addSipCode(row, record)
  row.addText(record.call_fail_reason)
  addSeconds(row, record, 'duration')
  addSeconds(row, record, 'billed_duration')
  addMoney(row, record, 'rate')
  addSeconds(row, record, 'first_increment')
  addSeconds(row, record, 'subsequent_increment')
  addMoney(row, record, 'cost_subtotal')
  addMoney(row, record, 'connect_fee')
  addMoney(row, record, 'usf_fee')
  addMoney(row, record, 'ccrf')
  addMoney(row, record, 'cnam_lookup_fee')
  row.addTexts(record.custom_x_tag)
  row.addText(record.customer_ip)
  row.addText(destination_digits)
  row.addText(callerid_digits)
  row.addText(foldCase(record.number_alias))
  row.addUInt8(isTollfree(destination_digits) || isTollfree(callerid_digits) ? 1 : 0)
  row.addUInt32(newlinesIn(record))
}

/** Consecutive records usually belong to the same account. */
let account = { id: '0', number: 0n }

function accountOf({ account_id }: RecordKey): bigint {
  if (account_id !== account.id) account = { id: account_id, number: BigInt(accountNumber(account_id)) }
  return account.number
}

type MoneyColumn = 'rate' | 'cost_subtotal' | 'connect_fee' | 'usf_fee' | 'ccrf' | 'cnam_lookup_fee'
type SecondsColumn = 'duration' | 'billed_duration' | 'first_increment' | 'subsequent_increment'

function addMoney(row: RowWriter, record: CdrRecord, column: MoneyColumn): void {
  const value = record[column]
  if (value === '0') return row.addInt64(0)
  if (!MONEY.pattern.test(value))
    throw invalidField(
      record,
      column,
      `${JSON.stringify(value)} is not a decimal with at most 9 digits and ${MONEY.places} decimal places`,
    )
  const [whole = '', fraction = ''] = value.split('.')
  const units = whole + fraction.padEnd(MONEY.places, '0')
  row.addInt64(units.length <= EXACT_DIGITS ? Number(units) : BigInt(units))
}

/** Every integer of this many digits is a safe integer. */
const EXACT_DIGITS = 15

function addSeconds(row: RowWriter, record: CdrRecord, column: SecondsColumn): void {
  row.addUInt32(checkedInteger(record, column, record[column], UINT32_MAX))
}

/** A nullable column: 1 for null, or 0 and the value. */
function addSipCode(row: RowWriter, record: CdrRecord): void {
  const { call_fail_sip_code: code } = record
  row.addUInt8(code === null ? 1 : 0)
  if (code !== null) row.addUInt16(checkedInteger(record, 'call_fail_sip_code', code, UINT16_MAX))
}

function checkedInteger(record: CdrRecord, column: string, value: number, most: number): number {
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
