/** Encodes call records as rows of an INSERT. */

import { hash } from 'node:crypto'
import { newlinesIn } from './columns.ts'
import { countryOf, digitsOf, foldCase, isTollfree } from './normalization.ts'
import { accountNumber } from './filter.ts'
import { LIMITS, MONEY, TIME, UINT16_MAX, UINT32_MAX } from './limits.ts'
import { RowWriter } from './row-binary.ts'
import { AMOUNTS } from './schema.ts'
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
  /** What the ledger sums up: account, cost in the smallest unit, billed seconds. */
  readonly #accounts: string[] = []
  readonly #costs: (number | bigint)[] = []
  readonly #billed: number[] = []
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
   * them. The block must not be used afterward.
   */
  append(record: CdrRecord): void {
    const cost = appendRow(this.#encoded, record)
    const key = keyOf(record)
    this.#keys.push(key)
    this.#hashes.push(hashOf(key))
    this.#starts.push(record.start_time.getTime())
    this.#accounts.push(accountOf(record).text)
    this.#costs.push(cost)
    this.#billed.push(record.billed_duration)
    this.#ends.push(this.#encoded.length)
    this.rows += 1
  }

  /** Appends a record of another block. */
  appendFrom(other: RecordBlock, row: number): void {
    this.#encoded.addBytes(other.#encoded.bytes(other.#ends[row - 1] ?? 0, other.#ends[row]))
    this.#keys.push(other.keyAt(row))
    this.#hashes.push(other.hashAt(row))
    this.#starts.push(other.startAt(row))
    this.#accounts.push(other.accountAt(row))
    this.#costs.push(other.costAt(row))
    this.#billed.push(other.billedAt(row))
    this.#ends.push(this.#encoded.length)
    this.rows += 1
  }

  keyAt(row: number): string {
    return this.#keys[row] ?? ''
  }

  /** Epoch milliseconds. */
  startAt(row: number): number {
    return this.#starts[row] ?? Number.NaN
  }

  accountAt(row: number): string {
    return this.#accounts[row] ?? ''
  }

  /** The total cost in units of the last decimal place. A number is an exact integer below 5e15. */
  costAt(row: number): number | bigint {
    return this.#costs[row] ?? 0
  }

  billedAt(row: number): number {
    return this.#billed[row] ?? 0
  }

  hashAt(row: number): string {
    return this.#hashes[row] ?? ''
  }

  hashes(): readonly string[] {
    return this.#hashes
  }

  /** The accounts of the records. */
  accounts(): Set<string> {
    return new Set(this.#accounts)
  }

  /** Rows of the columns INSERTED. The buffer is the block's own. */
  encode(arrival_us: number): Buffer {
    for (const end of this.#ends) this.#encoded.setInt64(end - ARRIVAL_BYTES, arrival_us)
    return this.#encoded.bytes()
  }

  /** Rows of the columns CLAIMED, for the records from `from` to before `to`. */
  encodeClaims(claimed_us: number, from = 0, to = this.rows): Buffer {
    const claims = new RowWriter()
    for (let row = from; row < to; row += 1) {
      claims.addUInt64(BigInt(`0x${this.hashAt(row)}`))
      claims.addInt64(this.startAt(row))
      claims.addUInt64(accountOf({ account_id: this.accountAt(row) }).number)
      claims.addInt64(claimed_us)
    }
    return claims.bytes()
  }
}

/** The last column, which is known only when the row is inserted. */
const ARRIVAL_BYTES = 8

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

/** In the order of INSERTED. Returns the record's total cost in units of the last decimal place. */
function appendRow(row: RowWriter, record: CdrRecord): number | bigint {
  const destination_digits = digitsOf(record.destination)
  const callerid_digits = digitsOf(record.callerid)
  row.addUInt64(accountOf(record).number)
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
  const costs = AMOUNTS.map((column) => addMoney(row, record, column))
  row.addTexts(record.custom_x_tag)
  row.addText(record.customer_ip)
  row.addText(destination_digits)
  row.addText(callerid_digits)
  row.addText(foldCase(record.number_alias))
  row.addUInt8(isTollfree(destination_digits) || isTollfree(callerid_digits) ? 1 : 0)
  row.addUInt32(newlinesIn(record))
  row.addInt64(0)
  return sumUnits(costs)
}

/** Consecutive records usually belong to the same account. */
let account = { id: '0', text: '0', number: 0n }

function accountOf({ account_id }: Pick<RecordKey, 'account_id'>): { text: string; number: bigint } {
  if (account_id !== account.id) {
    const text = accountNumber(account_id)
    account = { id: account_id, text, number: BigInt(text) }
  }
  return account
}

type MoneyColumn = 'rate' | 'cost_subtotal' | 'connect_fee' | 'usf_fee' | 'ccrf' | 'cnam_lookup_fee'
type SecondsColumn = 'duration' | 'billed_duration' | 'first_increment' | 'subsequent_increment'

/** Returns the amount in units of the last decimal place. */
function addMoney(row: RowWriter, record: CdrRecord, column: MoneyColumn): number | bigint {
  const value = record[column]
  if (value === '0') {
    row.addInt64(0)
    return 0
  }
  if (!MONEY.pattern.test(value))
    throw invalidField(
      record,
      column,
      `${JSON.stringify(value)} is not a decimal with at most 9 digits and ${MONEY.places} decimal places`,
    )
  const [integer = '', fraction = ''] = value.split('.')
  const digits = integer + fraction.padEnd(MONEY.places, '0')
  const units = digits.length <= EXACT_DIGITS ? Number(digits) : BigInt(digits)
  row.addInt64(units)
  return units
}

/** Exact: five numbers of that many digits add up to a safe integer. */
function sumUnits(amounts: readonly (number | bigint)[]): number | bigint {
  let small = 0
  let large: bigint | undefined
  for (const amount of amounts)
    if (typeof amount === 'number') small += amount
    else large = (large ?? 0n) + amount
  return large === undefined ? small : large + BigInt(small)
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
