import { e911Lengths } from '@demarc/client'
import {
  cityKey,
  cityLabel,
  cityOfZip,
  contradictionIn,
  type Contradiction,
  type Country,
  countryOfState,
  fold,
  hiddenUnit,
  type HouseNumber,
  isHyphenated,
  isPlain,
  mailbox,
  parseHouseNumber,
  parseStreet,
  postalCode,
  type PostalData,
  provincesOfCode,
  stateNamed,
  streetEnd,
  type StreetPlace,
} from '../../addresses/index.ts'
import type { Parity, SkipReason, ValueReason } from './format.ts'

/** Values for columns that the file lacks. */
export interface PlaceDefaults {
  country?: Country | undefined
  state?: string | undefined
  city?: string | undefined
}

export interface ResolvedPlace {
  country: Country
  state: string
  postal: string
  city: string
  city_key: string
  /** The city was taken from the ZIP code. */
  derived: boolean
  /** Values of the row that were not used. */
  dropped: readonly ValueReason[]
  /** What the postal data says otherwise. */
  contradiction: Contradiction | undefined
}

export interface ResolvedStreet {
  label: string
  key: string
  /** A unit was removed from its end. */
  has_unit: boolean
}

export interface ResolvedNumbers {
  low: number
  high: number
  /** 0 any, 1 odd, 2 even. */
  parity: 0 | 1 | 2
  /**
   * Numbers that aren't digits only (`12B`, `12 1/2`, `87-15`), or ranges with a prefix (`N6W23001|N6W23099|1`). Null for digits
   * only, which are in `low` and `high`.
   */
  others: readonly string[] | null
}

const COUNTRIES: Record<string, Country> = {
  US: 'US',
  USA: 'US',
  'UNITED STATES': 'US',
  CA: 'CA',
  CAN: 'CA',
  CANADA: 'CA',
}

export function resolvePlace(
  row: { country: string; state: string; postal: string; city: string },
  defaults: PlaceDefaults,
  data: PostalData,
): ResolvedPlace | SkipReason {
  const country = countryOf(row, defaults)
  const postal = postalCode(withoutSpreadsheetFormat(row.postal, 5), country) ?? ''
  const named_state = stateNamed(row.state, country)
  const zip = country === 'US' && postal !== '' ? cityOfZip(postal, data) : undefined
  const provinces = country === 'CA' ? provincesOfCode(postal) : []
  const city = cityLabel(row.city || (defaults.city ?? ''))
  const derived = city === '' && zip !== undefined
  // use the state of the post office with its city, even if it is across the state line from the street
  const state = derived
    ? zip.state
    : (named_state ?? defaults.state ?? zip?.state ?? (provinces.length === 1 ? provinces[0] : undefined))
  if (state === undefined || countryOfState(state) !== country) return 'no state'
  if (city === '' && !derived && postal === '') return 'no city and no postal code'
  if (city.length > e911Lengths.city) return 'too long'
  const named = derived ? { city: cityLabel(zip.city), city_key: zip.city_key } : { city, city_key: cityKey(city) }
  const written = withoutSpreadsheetFormat(row.postal, 5)
  const contradiction = contradictionIn(
    { country, state: named_state ?? defaults.state ?? state, city: row.city, city_key: named.city_key, zip: written },
    data,
  )
  const dropped: ValueReason[] = []
  if (row.country !== '' && COUNTRIES[fold(row.country)] === undefined) dropped.push('country not understood')
  if (row.state !== '' && named_state === undefined) dropped.push('state not understood')
  if (row.postal !== '' && postal === '') dropped.push('postal code not understood')
  return { country, state, postal, ...named, derived, dropped, contradiction }
}

function countryOf(row: { country: string; state: string; postal: string }, defaults: PlaceDefaults): Country {
  const named = COUNTRIES[fold(row.country)] ?? defaults.country
  if (named) return named
  const state = row.state.trim().toUpperCase() || (defaults.state ?? '')
  return countryOfState(state) ?? (postalCode(row.postal, 'CA') ? 'CA' : 'US')
}

/**
 * A street as stored. Its label must parse to the same street and pass the validation of a request; otherwise a correction could
 * be refused when resubmitted. Removes a unit at the end.
 */
export function resolveStreet(text: string, place: StreetPlace): ResolvedStreet | SkipReason {
  const rest = withoutUnit(text, place)
  if (mailbox(rest, place) !== undefined) return 'mail only'
  const { label, key, base } = parseStreet(rest, place)
  if (base === '') return 'no street name'
  const again = parseStreet(label, place)
  const normalized = again.key === key ? { label, key } : { label: again.label, key: again.key }
  return normalized.label.length > e911Lengths.street_name ? 'too long' : { ...normalized, has_unit: rest !== text }
}

/** The text without a unit at its end. */
export function withoutUnit(text: string, place: StreetPlace): string {
  const ends = (before: string) => streetEnd(before, place)
  let rest = text
  for (let unit = hiddenUnit(rest, ends); unit; unit = hiddenUnit(rest, ends)) rest = unit.street
  return rest
}

export function resolveNumbers(
  row: { low: string; high: string; parity: Parity },
  country: Country,
): ResolvedNumbers | SkipReason {
  const single = row.high === '' || row.high === row.low
  const from = single ? houseNumber(row.low, country) : rangeEnd(row.low, country)
  const to = single ? from : rangeEnd(row.high, country)
  if (from === undefined || to === undefined) return 'house number not understood'
  const [low, high] = from.n <= to.n || from.prefix !== to.prefix ? [from, to] : [to, from]
  const ends = { low: low.n, high: high.n, parity: parityOf(row.parity, low.n, high.n) }
  const exact = row.high === '' || low.suffix !== '' || low.fraction !== ''
  if (single && exact && !isPlain(low)) return { ...ends, others: [low.text] }
  if (low.prefix === high.prefix || low.text === '0')
    return { ...ends, others: high.prefix === '' ? null : [rangeText(high.prefix, ends)] }
  const others = acrossBlocks(low, high, ends.parity)
  return others === undefined ? 'house number not understood' : { ...ends, others }
}

/** The parity of the range, unless one of its ends differs. No house has number 0, so it is on neither side. */
function parityOf(parity: Parity, low: number, high: number): 0 | 1 | 2 {
  const wanted = parity === 'odd' ? 1 : parity === 'even' ? 2 : 0
  return [low, high].every((end) => end === 0 || end % 2 === wanted % 2) ? wanted : 0
}

function rangeText(prefix: string, { low, high, parity }: { low: number; high: number; parity: number }): string {
  return `${prefix}${low}|${prefix}${high}|${parity}`
}

/** Splits a range of hyphenated numbers over several blocks (87-01 to 89-99) by block; undefined for other ranges. */
function acrossBlocks(low: HouseNumber, high: HouseNumber, parity: number): string[] | undefined {
  const [first, last] = [low, high].map(({ prefix }) => Number.parseInt(prefix, 10))
  if (!isHyphenated(low) || !isHyphenated(high) || first === undefined || last === undefined) return undefined
  if (first > last || last - first >= BLOCKS_MAX) return undefined
  return Array.from({ length: last - first + 1 }, (_, i) =>
    rangeText(`${first + i}-`, { low: i === 0 ? low.n : 0, high: first + i === last ? high.n : BLOCK_HIGHEST, parity }),
  )
}

/** A street segment has a few blocks; more are an error in the data. */
const BLOCKS_MAX = 20
/** Blocks of hyphenated numbers have two digits after the hyphen. */
const BLOCK_HIGHEST = 99

/** A range may begin at zero, or at P00, although no house has that number. */
function rangeEnd(value: string, country: Country): HouseNumber | undefined {
  const text = withoutSpreadsheetFormat(value, 1)
  const zero = /^([A-Z]{0,2})0+$/i.exec(text)
  if (!zero) return houseNumber(text, country)
  const prefix = (zero[1] ?? '').toUpperCase()
  return { text: `${prefix}0`, prefix, n: 0, suffix: '', fraction: '', key: `${prefix}0` }
}

/** A spreadsheet that reads a code as a number drops its leading zeros (`1001`) or adds a decimal (`27944.0`). */
function withoutSpreadsheetFormat(value: string, digits: number): string {
  const integer = /^(\d+)\.0+$/.exec(value)?.[1] ?? value
  return /^\d{3,}$/.test(integer) ? integer.padStart(digits, '0') : integer
}

function houseNumber(value: string, country: Country): HouseNumber | undefined {
  const text = withoutSpreadsheetFormat(value, 1)
  // fast path for nearly every number
  if (/^[1-9]\d{0,7}$/.test(text)) return { text, prefix: '', n: Number(text), suffix: '', fraction: '', key: text }
  // Canada Post writes the unit before the number
  const civic = country === 'CA' ? text.replace(/^\s*\w+\s*-\s*(?=\d)/, '') : text
  const number = parseHouseNumber(civic, country)
  return typeof number === 'string' ? undefined : number
}
