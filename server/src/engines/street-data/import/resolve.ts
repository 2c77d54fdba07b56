import { e911 } from '@demarc/client'
import {
  cityKey,
  cityLabel,
  cityOfZip,
  type Country,
  countryOfState,
  fold,
  hiddenUnit,
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
import type { Parity, SkipReason } from './format.ts'

/** Values for columns that a file does not have. */
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
}

export interface ResolvedStreet {
  label: string
  key: string
}

export interface ResolvedNumbers {
  low: number
  high: number
  /** 0 any, 1 odd, 2 even. */
  parity: 0 | 1 | 2
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
  const zip = country === 'US' && postal !== '' ? cityOfZip(postal, data) : undefined
  const provinces = country === 'CA' ? provincesOfCode(postal) : []
  const city = cityLabel(row.city || (defaults.city ?? ''))
  const derived = city === '' && zip !== undefined
  // the state of the post office, as its city is used too: it is sometimes across the border from the street
  const state = derived
    ? zip.state
    : (stateNamed(row.state, country) ??
      defaults.state ??
      zip?.state ??
      (provinces.length === 1 ? provinces[0] : undefined))
  if (state === undefined || countryOfState(state) !== country) return 'no state'
  if (city === '' && !derived && postal === '') return 'no city and no postal code'
  if (city.length > e911.e911Lengths.city) return 'too long'
  const named = derived ? { city: cityLabel(zip.city), city_key: zip.city_key } : { city, city_key: cityKey(city) }
  return { country, state, postal, ...named, derived }
}

function countryOf(row: { country: string; state: string; postal: string }, defaults: PlaceDefaults): Country {
  const named = COUNTRIES[fold(row.country)] ?? defaults.country
  if (named) return named
  const state = row.state.trim().toUpperCase() || (defaults.state ?? '')
  return countryOfState(state) ?? (postalCode(row.postal, 'CA') ? 'CA' : 'US')
}

/**
 * A street as it is stored. Its label must parse to the same street and pass the validation of a request: otherwise a
 * correction could offer what is then refused. A unit at the end is removed.
 */
export function resolveStreet(text: string, place: StreetPlace): ResolvedStreet | SkipReason {
  const rest = withoutUnit(text, place)
  if (mailbox(rest, place) !== undefined) return 'mail only'
  const { label, key, base } = parseStreet(rest, place)
  if (base === '') return 'no street name'
  const again = parseStreet(label, place)
  const normalized = again.key === key ? { label, key } : { label: again.label, key: again.key }
  return normalized.label.length > e911.e911Lengths.street_name ? 'too long' : normalized
}

/** The text up to a unit at its end; the text itself when there is none. */
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
  const low = single ? houseNumber(row.low, country) : rangeEnd(row.low, country)
  const high = single ? low : rangeEnd(row.high, country)
  if (low === undefined || high === undefined) return 'house number not understood'
  const parity = row.parity === 'odd' ? 1 : row.parity === 'even' ? 2 : 0
  const kept = parity === 0 || (low % 2 === parity % 2 && high % 2 === parity % 2)
  return { low: Math.min(low, high), high: Math.max(low, high), parity: kept ? parity : 0 }
}

/** A range may begin at zero, or at P00, although no house has that number. */
function rangeEnd(text: string, country: Country): number | undefined {
  return /^[A-Z]{0,2}0+$/i.test(text) ? 0 : houseNumber(text, country)
}

/** A spreadsheet that reads a code as a number drops its leading zeros (`1001`) or adds a decimal (`27944.0`). */
function withoutSpreadsheetFormat(value: string, digits: number): string {
  const whole = /^(\d+)\.0+$/.exec(value)?.[1] ?? value
  return /^\d{3,}$/.test(whole) ? whole.padStart(digits, '0') : whole
}

function houseNumber(given: string, country: Country): number | undefined {
  const text = withoutSpreadsheetFormat(given, 1)
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  // Canada Post writes the unit before the number
  const civic = country === 'CA' ? text.replace(/^\s*\w+\s*-\s*(?=\d)/, '') : text
  const number = parseHouseNumber(civic, country)
  return typeof number === 'string' ? undefined : number.n
}
