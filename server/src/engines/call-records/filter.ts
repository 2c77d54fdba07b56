/**
 * Compiles filters to SQL from a closed set of predicates. Customer input appears only as a literal from literal.ts or as a number that was
 * parsed and formatted again. Pure: the same query always compiles to the same text.
 */

import { isIP } from 'node:net'
import { countryOf, digitsOf, foldCase, wellFormed } from './normalization.ts'
import { ceilUnits, floorUnits, formatUnits } from './decimal.ts'
import { MONEY, TIME, UINT32_MAX, UINT64_MAX } from './limits.ts'
import { text, texts, textSet } from './literal.ts'
import type { CdrFilter, CdrQuery } from './call-record.ts'
import { CDR_DIRECTIONS } from './call-record.ts'

const ALWAYS = '1'
const NEVER = '0'

/** The predicate of each filter. The type requires one for every API filter. */
const PREDICATES: { [K in keyof Required<CdrFilter>]: (value: Required<CdrFilter>[K]) => string } = {
  start_call_start_time: (time) => (time.getTime() > TIME.last ? NEVER : `start_time >= ${moment(time)}`),
  start_call_end_time: (time) => (time.getTime() > TIME.last ? ALWAYS : `start_time < ${moment(time)}`),
  number_aliases: anyOf((entries) => `number_alias IN ${textSet(entries)}`),
  number_aliases_contains: anyOf((entries) =>
    containsAny('number_alias_folded', entries.map(wellFormed).map(foldCase)),
  ),
  destination_numbers: anyOf((entries) => sameNumber('destination', entries)),
  callerid_numbers: anyOf((entries) => sameNumber('callerid', entries)),
  custom_x_tags: anyOf((entries) => `hasAny(custom_x_tag, ${texts(entries)})`),
  caller_ip: address,
  duration_greater_than: (decimal) => above('duration', decimal, DURATION),
  duration_less_than: (decimal) => below('duration', decimal, DURATION),
  cost_greater_than: (decimal) => above('cost_subtotal', decimal, COST),
  cost_less_than: (decimal) => below('cost_subtotal', decimal, COST),
  destination_countries_included: anyOf((codes) => `destination_country IN ${textSet(codes.map(countryOf))}`),
  destination_countries_excluded: anyOf((codes) => `destination_country NOT IN ${textSet(codes.map(countryOf))}`),
  tollfree_only: (only) => (only ? 'tollfree' : ALWAYS),
  direction: (direction) => `direction = '${member(direction, CDR_DIRECTIONS)}'`,
  exclude_cancelled: (exclude) => (exclude ? "result != 'cancelled'" : ALWAYS),
  destination_prefix: anyOf((entries) => prefixed('destination', entries)),
  callerid_prefix: anyOf((entries) => prefixed('callerid', entries)),
}

/**
 * The WHERE condition of a query on `cdr`. Throws RangeError for values that validation should have rejected (an invalid account id, decimal
 * or address).
 */
export function compileFilter(query: CdrQuery): string {
  const conditions = Object.entries(PREDICATES).map(([name, predicate]) => condition(query.filter, name, predicate))
  const wanted = conditions.filter((sql) => sql !== ALWAYS)
  return [`account_id = ${accountNumber(query.account_id)}`, ...wanted].join('\n  AND ')
}

/** An account id as an SQL number. */
export function accountNumber(id: string): string {
  if (!/^\d{1,20}$/.test(id) || BigInt(id) > UINT64_MAX)
    throw new RangeError(`${JSON.stringify(id)} is not an account ID`)
  return BigInt(id).toString()
}

/** Iterating over the table loses the type that pairs each name with its predicate. */
function condition(filter: CdrFilter, name: string, predicate: unknown): string {
  const value = filter[name as keyof CdrFilter]
  return value === undefined ? ALWAYS : (predicate as (value: unknown) => string)(value)
}

function anyOf(compile: (entries: readonly string[]) => string): (entries: readonly string[]) => string {
  return (entries) => (entries.length === 0 ? ALWAYS : `(${compile(entries)})`)
}

function member<T extends string>(value: T, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value)
  if (found === undefined) throw new RangeError(`${JSON.stringify(value)} is not one of ${allowed.join(', ')}`)
  return found
}

/** A time as an SQL value, clamped to the column's range. */
export function moment(time: Date): string {
  const ms = time.getTime()
  if (Number.isNaN(ms)) throw new RangeError('an invalid date')
  const iso = new Date(Math.min(Math.max(ms, TIME.first), TIME.last)).toISOString()
  return `toDateTime64('${iso.slice(0, 10)} ${iso.slice(11, 23)}', 3, 'UTC')`
}

function containsAny(column: string, substrings: readonly string[]): string {
  return `arrayExists(part -> position(${column}, part) > 0, ${texts(substrings)})`
}

type NumberColumn = 'destination' | 'callerid'

/** Compares digits. An entry that is not a number (`anonymous`) matches only the same text. */
function sameNumber(column: NumberColumn, entries: readonly string[]): string {
  const [numbers, words] = partition(entries)
  return either([
    numbers.length > 0 && `${column}_digits IN ${textSet(numbers)}`,
    words.length > 0 && `${column} IN ${textSet(words)}`,
  ])
}

/** One set per prefix length: thousands of prefixes are as fast as a few. */
function prefixed(column: NumberColumn, entries: readonly string[]): string {
  const [numbers, words] = partition(entries)
  const byLength = Map.groupBy(numbers, (prefix) => prefix.length)
  return either([
    ...Array.from(byLength, ([length, set]) => `substring(${column}_digits, 1, ${length}) IN ${textSet(set)}`),
    ...words.map((word) => `startsWith(${column}, ${text(wellFormed(word))})`),
  ])
}

function partition(entries: readonly string[]): [numbers: string[], words: string[]] {
  const numbers = entries.map(digitsOf).filter((digits) => digits !== '')
  const words = entries.filter((entry) => digitsOf(entry) === '')
  return [numbers, words]
}

function either(conditions: (string | false)[]): string {
  return conditions.filter((sql) => sql !== false).join(' OR ')
}

/**
 * Matches an address or a block. IPv4 is compared as IPv4-mapped IPv6 (::ffff:0:0/96), which makes the prefix of an IPv4 block 96 bits
 * longer. A short IPv6 block covers that range too, so IPv4 callers are excluded from it.
 */
function address(entry: string): string {
  const [host = '', length, ...rest] = entry.split('/')
  const family = isIP(host)
  const bits = family === 4 ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '0') || prefix > bits || host.includes('%')) {
    throw new RangeError(`${JSON.stringify(entry)} is not an address or CIDR block`)
  }
  const block = `IPv6CIDRToRange(toIPv6(${text(host)}), ${prefix + 128 - bits})`
  const mapped = `customer_ip_key BETWEEN toIPv6('::ffff:0.0.0.0') AND toIPv6('::ffff:255.255.255.255')`
  const conditions = [
    `customer_ip_key >= tupleElement(${block}, 1)`,
    `customer_ip_key <= tupleElement(${block}, 2)`,
    // a record without an address also has `::`
    `toIPv6OrNull(customer_ip) IS NOT NULL`,
    ...(family === 6 && prefix < 96 ? [`NOT (${mapped})`] : []),
  ]
  return `(${conditions.join(' AND ')})`
}

type Measure = { places: number; least: bigint; most: bigint; literal: (units: bigint) => string }

const DURATION: Measure = { places: 0, least: -1n, most: BigInt(UINT32_MAX) + 1n, literal: (units) => units.toString() }
const COST: Measure = {
  places: MONEY.places,
  least: -(10n ** 18n) + 1n,
  most: 10n ** 18n - 1n,
  literal: (units) => `toDecimal64('${formatUnits(units, MONEY.places)}', ${MONEY.places})`,
}

/** Exact for decimals of any length: for a column with two places, x > 1.005 is x > 1.00. */
function above(column: string, decimal: string, measure: Measure): string {
  const units = floorUnits(decimal, measure.places)
  if (units < measure.least) return ALWAYS
  return units > measure.most ? NEVER : `${column} > ${measure.literal(units)}`
}

function below(column: string, decimal: string, measure: Measure): string {
  const units = ceilUnits(decimal, measure.places)
  if (units > measure.most) return ALWAYS
  return units < measure.least ? NEVER : `${column} < ${measure.literal(units)}`
}
