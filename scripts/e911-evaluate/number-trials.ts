import type { Random } from './random.ts'
import { type Address, contains, endsOf, type Source, type SourceRow, type TrueAddress } from './source.ts'
import { numberKey, townKey } from './street-text.ts'

/** Alters house numbers. Each change returns undefined if it does not apply. */

const isWholeNumber = (number: string) => /^[1-9]\d*$/.test(number)

/** Returns an altered number for an address of the source. */
export type NumberChange = (address: TrueAddress, source: Source, random: Random) => string | undefined

/** `1420` as `14-20`. */
const hyphenated: NumberChange = ({ number }) =>
  isWholeNumber(number) && number.length >= 3 ? `${number.slice(0, -2)}-${number.slice(-2)}` : undefined

/** `2101` as `2101-07`, the range of a landmark. */
const asRange: NumberChange = ({ number }) => {
  const end = Number(number.slice(-2)) + 6
  if (!isWholeNumber(number) || number.length < 3 || end > 99) return undefined
  return `${number}-${String(end).padStart(2, '0')}`
}

/** `16521` as `N88W16521`. */
const withPrefix: NumberChange = ({ number }, _, random) =>
  isWholeNumber(number) ? `${random.pick(['N88W', 'S12W', 'W2N', 'E4W'])}${number}` : undefined

const withoutPrefix: NumberChange = ({ number }) => /^[NSEW][NSEW\d]*[A-Z](\d{3,})$/i.exec(number)?.[1]

const withLetter: NumberChange = ({ number }, _, random) =>
  isWholeNumber(number) ? `${number}${random.pick([...'ABCD'])}` : undefined

const withFraction: NumberChange = ({ number }) => (isWholeNumber(number) ? `${number} 1/2` : undefined)

/** `123` for `123 1/2` or `123A`. */
const withoutEnd: NumberChange = ({ number }) => /^(\d+)(?: ?[A-Z]| \d\/\d)$/i.exec(numberKey(number))?.[1]

/** A whole number between two of the same street that is not in the source, if the source has points. */
const between: NumberChange = (address, source, random) => {
  if (!isWholeNumber(address.number)) return undefined
  const rows = rowsBeside(address, source)
  if (rows.some(({ high }) => high !== null)) return undefined
  const known = new Set(rows.map((row) => Number(numberKey(row.number))).filter(Number.isInteger))
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const own = Number(address.number)
  const free: number[] = []
  for (let n = Math.max(low, own - 50); n <= Math.min(high, own + 50); n += 1)
    if (!known.has(n) && n % 2 === own % 2) free.push(n)
  const chosen = random.pick(free)
  return chosen === undefined ? undefined : String(chosen)
}

/** Slightly past the last number of the street. */
const pastEnd: NumberChange = (address, source, random) => beyond(address, source, 2 + 2 * random.below(40))

const farPastEnd: NumberChange = (address, source, random) => beyond(address, source, 20_000 + 2 * random.below(10_000))

/** The next number, on the other side of a street whose side is known. */
const otherParity: NumberChange = ({ number, row }) => {
  if (!isWholeNumber(number) || row.high === null || row.parity === null) return undefined
  return String(Number(number) + 1)
}

/** Changes that `withNumber` filters: a changed number that is in the source is not an error. */
export const NUMBER_CHANGES = {
  hyphenated,
  asRange,
  withPrefix,
  withoutPrefix,
  withLetter,
  withFraction,
  withoutEnd,
  between,
  pastEnd,
  farPastEnd,
  otherParity,
} as const satisfies Record<string, NumberChange>

function beyond(address: TrueAddress, source: Source, by: number): string | undefined {
  const ends = rowsBeside(address, source).map((row) => endsOf(row)?.high ?? 0)
  const last = Math.max(...ends)
  return last > 0 ? String(last + by) : undefined
}

/** Rows of the street in the locality of the address. */
function rowsBeside(address: Address, source: Source): readonly SourceRow[] {
  return source.on(address.street).filter((row) => source.isNear(row, address))
}

/** Whether the street has hyphenated numbers, so that any hyphenated number may be valid there. */
export function usesHyphens(address: Address, source: Source): boolean {
  return source.on(address.street).some(({ number }) => number.includes('-'))
}

/** Another town of the county nearby; undefined if none is certainly different. */
export function otherTown(address: TrueAddress, source: Source, random: Random): string | undefined {
  const own = new Set(source.townsOf(address.row).map(townKey))
  own.add(townKey(address.city))
  const names = townsAround(address, source).filter((name) => !own.has(townKey(name)))
  return random.pick([...new Set(names)])
}

const NEAR_KM = 25
/** Places nearer to a Canadian town may be its neighborhoods; the gazetteer doesn't say which are towns. */
const QUARTERS_KM = 12

function townsAround(address: TrueAddress, { gazetteer }: Source): string[] {
  if (address.country === 'CA') {
    const [town] = gazetteer.canadianTowns(address.state, address.city)
    return town
      ? gazetteer.within(town, gazetteer.canadianTowns(address.state), QUARTERS_KM, NEAR_KM).map(({ name }) => name)
      : []
  }
  const zip = gazetteer.zip(address.zip)
  return zip ? gazetteer.within(zip, gazetteer.countyOf(zip), 0, NEAR_KM).flatMap(({ towns }) => towns) : []
}

/** Another ZIP code of the county under which the source has streets. */
export function otherZip(address: TrueAddress, source: Source, random: Random): string | undefined {
  return random.pick(countyZips(address, source).filter((code) => source.hasZip(code)))
}

/** A ZIP code of the same town without streets in the source, such as one for post office boxes. */
export function boxZip(address: TrueAddress, source: Source, random: Random): string | undefined {
  const codes = source.gazetteer.zipsOf(address.state, address.city).map(({ code }) => code)
  const county = new Set(countyZips(address, source))
  return random.pick(codes.filter((code) => county.has(code) && !source.hasZip(code)))
}

function countyZips({ row, zip }: TrueAddress, { gazetteer }: Source): string[] {
  const known = row.zip === '' ? undefined : gazetteer.zip(row.zip)
  return known ? gazetteer.countyOf(known).flatMap(({ code }) => (code === zip ? [] : [code])) : []
}

/** Whether a row of the source has exactly this number. */
export const isKnownNumber = (address: Address, number: string, source: Source): boolean =>
  source.on(address.street).some((row) => source.isNear(row, address) && contains(row, number))
