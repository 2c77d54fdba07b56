/** A second, simple implementation of the filters and totals, to compare the store with. */

import { isIPv4 } from 'node:net'
import type { CdrFilter, CdrRecord, CdrTotals } from '../types.ts'

/** The filters, without SQL or code shared with the compiler. */
export function referenceFilter(filter: CdrFilter): (record: CdrRecord) => boolean {
  const tests: ((record: CdrRecord) => boolean)[] = []
  const when = <T>(value: T | undefined, test: (value: T) => (record: CdrRecord) => boolean): void => {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) tests.push(test(value))
  }
  when(filter.start_call_start_time, (from) => (r) => r.start_time.getTime() >= from.getTime())
  when(filter.start_call_end_time, (to) => (r) => r.start_time.getTime() < to.getTime())
  when(filter.number_aliases, (list) => (r) => list.includes(r.number_alias))
  when(
    filter.number_aliases_contains,
    (list) => (r) => list.some((part) => plain(r.number_alias).includes(plain(part))),
  )
  when(filter.destination_numbers, (list) => (r) => list.some((entry) => sameNumber(entry, r.destination)))
  when(filter.callerid_numbers, (list) => (r) => list.some((entry) => sameNumber(entry, r.callerid)))
  when(filter.custom_x_tags, (list) => (r) => r.custom_x_tag.some((tag) => list.includes(tag)))
  when(filter.caller_ip, (block) => (r) => inBlock(r.customer_ip, block))
  when(filter.duration_greater_than, (least) => (r) => compare(String(r.duration), least) > 0)
  when(filter.duration_less_than, (most) => (r) => compare(String(r.duration), most) < 0)
  when(filter.cost_greater_than, (least) => (r) => compare(r.cost_subtotal, least) > 0)
  when(filter.cost_less_than, (most) => (r) => compare(r.cost_subtotal, most) < 0)
  when(
    filter.destination_countries_included,
    (list) => (r) => upper(list).includes(r.destination_country.toUpperCase()),
  )
  when(
    filter.destination_countries_excluded,
    (list) => (r) => !upper(list).includes(r.destination_country.toUpperCase()),
  )
  if (filter.tollfree_only === true) tests.push((r) => isTollfree(r.destination) || isTollfree(r.callerid))
  when(filter.direction, (direction) => (r) => r.direction === direction)
  if (filter.exclude_cancelled === true) tests.push((r) => r.result !== 'cancelled')
  when(filter.destination_prefix, (list) => (r) => list.some((prefix) => begins(r.destination, prefix)))
  when(filter.callerid_prefix, (list) => (r) => list.some((prefix) => begins(r.callerid, prefix)))
  return (record) => tests.every((test) => test(record))
}

function upper(list: readonly string[]): string[] {
  return list.map((code) => code.toUpperCase())
}

const plain = cached((text) => text.normalize('NFC').toUpperCase())

const isNumber = cached((text) => [...text].every((c) => '0123456789+ \t()./-'.includes(c)) && /[0-9]/.test(text))

const digits = cached((text) => [...text].filter((c) => c >= '0' && c <= '9').join(''))

function sameNumber(entry: string, value: string): boolean {
  return isNumber(entry) ? isNumber(value) && digits(value) === digits(entry) : value === entry
}

function begins(value: string, prefix: string): boolean {
  return isNumber(prefix) ? isNumber(value) && digits(value).startsWith(digits(prefix)) : value.startsWith(prefix)
}

function isTollfree(value: string): boolean {
  if (!isNumber(value)) return false
  const all = digits(value)
  const national = all.length === 11 && all.startsWith('1') ? all.slice(1) : all
  const freephone = ['800', '833', '844', '855', '866', '877', '888']
  return (
    (national.length === 10 && freephone.includes(national.slice(0, 3))) || (all.length === 11 && all.startsWith('800'))
  )
}

function compare(a: string, b: string): number {
  return units(a) < units(b) ? -1 : units(a) > units(b) ? 1 : 0
}

/** IPv4 blocks contain IPv4 addresses, and IPv6 blocks IPv6 addresses; an IPv4-mapped address is IPv4. */
function inBlock(address: string, block: string): boolean {
  const [base = '', length] = block.split('/')
  if (address === '' || address === 'unknown') return false
  if (family(base) !== family(address) && !(family(base) === 4 && !isIPv4(base))) return false
  const ignored = BigInt((isIPv4(base) ? 32 : 128) - Number(length ?? (isIPv4(base) ? 32 : 128)))
  return bitsOf(address) >> ignored === bitsOf(base) >> ignored
}

function family(address: string): number {
  return bitsOf(address) >> 32n === 0xffffn ? 4 : 6
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

/** 128 bits, IPv4 as ::ffff:a.b.c.d. */
const bitsOf = cached((address) => {
  const dotted = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/i.exec(address)
  if (dotted !== null) return dotted.slice(1).reduce((bits, part) => (bits << 8n) | BigInt(part), 0xffffn)
  const [left = '', right] = address.split('::')
  const [head, tail] = [groups(left), groups(right ?? '')]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
})

const AMOUNTS = ['cost_subtotal', 'connect_fee', 'cnam_lookup_fee', 'usf_fee', 'ccrf'] as const

/** The totals of the records, computed with bigint. */
export function referenceTotals(records: CdrRecord[]): CdrTotals {
  const [cost = 0n, connect = 0n, cnam = 0n, usf = 0n, ccrf = 0n] = records.reduce(
    (sum, record) => sum.map((amount, index) => amount + (amountsOf(record)[index] ?? 0n)),
    AMOUNTS.map(() => 0n),
  )
  const seconds = BigInt(records.reduce((sum, record) => sum + record.billed_duration, 0))
  return {
    num_calls: records.length,
    total_cost: decimal(cost + connect + cnam + usf + ccrf, PLACES),
    call_subtotal: decimal(cost, PLACES),
    connect_fees: decimal(connect, PLACES),
    cnamlookup_fees: decimal(cnam, PLACES),
    usf_fees: decimal(usf, PLACES),
    ccrf: decimal(ccrf, PLACES),
    billed_seconds: seconds.toString(),
  }
}

const amounts = new WeakMap<CdrRecord, bigint[]>()

function amountsOf(record: CdrRecord): bigint[] {
  let found = amounts.get(record)
  if (found === undefined) amounts.set(record, (found = AMOUNTS.map((name) => units(record[name]))))
  return found
}

/** More decimal places than any amount in these tests. */
const PLACES = 24

const units = cached((text) => {
  const [integer = '', fraction = ''] = text.replace('-', '').split('.')
  const size = BigInt(integer + fraction.padEnd(PLACES, '0'))
  return text.startsWith('-') ? -size : size
})

function decimal(units: bigint, places: number): string {
  const text = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const all = `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, '')
  return units < 0n ? `-${all}` : all
}

/** Cached, because many records share texts. */
function cached<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    let found = results.get(text)
    if (found === undefined) results.set(text, (found = compute(text)))
    return found
  }
}
