/** A record as nearly all senders write it, checked as record.ts checks it and written into columns, without text or objects in between. */

import { CDR_DIRECTIONS, CDR_RESULTS } from '../call-record.ts'
import type { TextColumn } from '../native.ts'
import { digitsOf, isTollfree } from '../normalization.ts'
import { appendAccount, type RecordColumns, type RecordSource } from '../rows.ts'
import { FIELD_NAMES, FIELDS } from './fields.ts'
import type { ByteLine } from './lines.ts'
import { LIMITS } from './limits.ts'
import { ABSENT, AT, LIST, NUMBER, PlainLine, startsWith, TEXT } from './plain-line.ts'
import {
  areTags,
  isAddress,
  isCountry,
  isOneOf,
  isText,
  momentOf,
  moneyOf,
  plainDigits,
  secondsOf,
  sipCodeOf,
} from './plain-values.ts'
import { isAccountId } from './values.ts'

const ALL = FIELD_NAMES.map((name) => ({ ...FIELDS[name], at: AT[name] }))
const TEXTS = ['destination_name', 'line_information', 'call_fail_reason'] as const
const DICTIONARIES = ['direction', 'result', 'number_alias', ...TEXTS] as const
const SECONDS = ['duration', 'billed_duration', 'first_increment', 'subsequent_increment'] as const
const AMOUNTS = ['rate', 'cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'] as const

const wordsOf = (words: readonly string[]) => words.map((word) => Buffer.from(`${word}"`))
const DIRECTIONS = wordsOf(CDR_DIRECTIONS)
const RESULTS = wordsOf(CDR_RESULTS)

/** Every whole number of so many digits is exact. */
const EXACT_DIGITS = 15
const EIGHT = 0x38

export type KnownAccounts = {
  /** The account of records that do not name one, and of no others. */
  given: string | undefined
  exists: (account_id: string) => boolean
}

/** The record of the last line that was read. */
export class PlainRecord implements RecordSource {
  account_id = ''
  readonly #known: KnownAccounts
  readonly #line = new PlainLine()
  /** Times in epoch milliseconds, seconds, and money in units of its last place. */
  readonly #numbers = new Float64Array(FIELD_NAMES.length)
  /** That of `account_id`. */
  #account = Buffer.alloc(0)
  readonly #day = { bytes: Buffer.alloc(0), first_ms: 0 }
  readonly #upper = Buffer.alloc(LIMITS.text_chars)

  constructor(known: KnownAccounts) {
    this.#known = known
  }

  get id(): string {
    return this.#line.text(AT.id)
  }

  /** False where the line must be read in the general way, which says what is wrong with it, if anything is. */
  read({ bytes, from, to }: Pick<ByteLine, 'bytes' | 'from' | 'to'>): boolean {
    const line = this.#line
    if (!line.scan(bytes, from, to)) return false
    for (const field of ALL) {
      const { at, required } = field
      this.#numbers[at] = 0
      const absent = line.kind[at] === ABSENT || line.from[at] === line.to[at]
      if (!absent && !this.#check(field)) return false
      if (absent && required && !this.#mayBeAbsent(at)) return false
    }
    return this.#number(AT.end_time) >= this.#number(AT.start_time)
  }

  writeTo(columns: RecordColumns): void {
    const { bytes, from, to, tags, tag_from, tag_to } = this.#line
    appendAccount(columns.account_id, this)
    columns.start_time.append(this.#number(AT.start_time))
    columns.end_time.append(this.#number(AT.end_time))
    columns.id.appendAscii(bytes, from[AT.id] ?? 0, to[AT.id] ?? 0)
    for (const name of DICTIONARIES) columns[name].appendAscii(bytes, from[AT[name]] ?? 0, to[AT[name]] ?? 0)
    this.#writeUpper(columns.destination_country, AT.destination_country)
    this.#writeUpper(columns.callerid_country, AT.callerid_country)
    this.#writeUpper(columns.number_alias_folded, AT.number_alias)
    columns.call_fail_sip_code.append(this.#number(AT.call_fail_sip_code) || null)
    for (const name of SECONDS) columns[name].append(this.#number(AT[name]))
    for (const name of AMOUNTS) columns[name].append(this.#number(AT[name]))
    columns.custom_x_tag.appendAscii(bytes, { count: tags, from: tag_from, to: tag_to })
    columns.customer_ip.appendAscii(bytes, from[AT.customer_ip] ?? 0, to[AT.customer_ip] ?? 0)
    const to_tollfree = this.#writeNumber(AT.destination, columns.destination, columns.destination_digits)
    const from_tollfree = this.#writeNumber(AT.callerid, columns.callerid, columns.callerid_digits)
    columns.tollfree.append(to_tollfree || from_tollfree)
    columns.newlines.append(0)
  }

  #number(at: number): number {
    return this.#numbers[at] ?? 0
  }

  #mayBeAbsent(at: number): boolean {
    if (at === AT.callerid) return this.#line.kind[at] === TEXT
    if (at !== AT.account_id || this.#known.given === undefined) return false
    return this.#isAccount(this.#known.given)
  }

  #check({ kind, at }: (typeof ALL)[number]): boolean {
    const line = this.#line
    switch (kind) {
      case 'account':
        return this.#checkAccount()
      case 'id':
        return isText(line, at, LIMITS.id_chars)
      case 'text':
        return isText(line, at, LIMITS.text_chars)
      case 'direction':
        return isOneOf(line, at, DIRECTIONS)
      case 'result':
        return isOneOf(line, at, RESULTS)
      case 'country':
        return isCountry(line, at)
      case 'address':
        return isAddress(line, at)
      case 'tags':
        return line.kind[at] === LIST && areTags(line)
      case 'time':
        return this.#keep(at, momentOf(line, at, this.#day))
      case 'seconds':
        return this.#keep(at, secondsOf(line, at))
      case 'sip_code':
        return this.#keep(at, sipCodeOf(line, at))
      case 'money':
        return this.#keep(at, moneyOf(line, at))
    }
  }

  #keep(at: number, value: number): boolean {
    this.#numbers[at] = value
    return !Number.isNaN(value)
  }

  #checkAccount(): boolean {
    const { bytes, kind, from, to } = this.#line
    const start = from[AT.account_id] ?? 0
    const length = (to[AT.account_id] ?? 0) - start
    if (kind[AT.account_id] === NUMBER && length > EXACT_DIGITS) return false
    if (length === this.#account.length && startsWith(bytes, start, this.#account)) return true
    const account_id = this.#line.text(AT.account_id)
    const { given } = this.#known
    return isAccountId(account_id) && (given === undefined || given === account_id) && this.#isAccount(account_id)
  }

  /** Those that are not known to exist are looked up in the general way. */
  #isAccount(account_id: string): boolean {
    if (account_id === this.account_id) return true
    if (!this.#known.exists(account_id)) return false
    this.account_id = account_id
    this.#account = Buffer.from(account_id)
    return true
  }

  #writeUpper(column: RecordColumns['number_alias'], at: number): void {
    const { bytes, from, to } = this.#line
    const start = from[at] ?? 0
    const length = (to[at] ?? 0) - start
    for (let n = 0; n < length; n += 1) {
      const code = bytes[start + n] ?? 0
      this.#upper[n] = code >= 0x61 && code <= 0x7a ? code - 0x20 : code
    }
    column.appendAscii(this.#upper, 0, length)
  }

  /** Returns whether it is toll-free. */
  #writeNumber(at: number, column: TextColumn, digits: TextColumn): boolean {
    const { bytes, from, to } = this.#line
    const end = to[at] ?? 0
    column.appendAscii(bytes, from[at] ?? 0, end)
    const start = plainDigits(this.#line, at)
    if (start >= 0) digits.appendAscii(bytes, start, end)
    // the code of toll-free numbers begins with 8, and 1 may be before it
    if (start >= 0 && bytes[start] !== EIGHT && bytes[start + 1] !== EIGHT) return false
    const found = digitsOf(this.#line.text(at))
    if (start < 0) digits.append(found)
    return isTollfree(found)
  }
}
