import { type Columns, valueOf } from './columns.ts'
import { type Gazetteer, listed } from './gazetteer.ts'
import type { Random } from './random.ts'
import type { Fields } from './records.ts'
import { numberKey, streetKey, townKey } from './street-text.ts'

/** A record of the source, with its own spelling: a house number, or a range of numbers on one side of a street. */
export interface SourceRow {
  street: string
  number: string
  /** Null for a single number. */
  high: string | null
  /** Parity of the range, from both ends or a column: 0 even, 1 odd, null both. */
  parity: 0 | 1 | null
  /** Names of the town; empty if the source has none. */
  towns: readonly string[]
  state: string
  /** Empty if the source has none. */
  zip: string
}

/** An address to send. */
export interface Address {
  number: string
  street: string
  city: string
  state: string
  country: 'US' | 'CA'
  zip: string
}

/** An address in the source. */
export interface TrueAddress extends Address {
  row: SourceRow
}

/** Values that the source lacks. */
export interface Defaults {
  city?: string | undefined
  state?: string | undefined
  country?: string | undefined
}

/** A source by street. Only whole numbers of ranges are parsed. */
export class Source {
  readonly rows: readonly SourceRow[]
  readonly gazetteer: Gazetteer
  readonly country: 'US' | 'CA'
  /** Whether it has single numbers, so numbers between two of them are unknown. */
  readonly has_points: boolean
  readonly #byStreet = new Map<string, SourceRow[]>()
  readonly #codes = new Map<string, string | undefined>()
  readonly #zips: ReadonlySet<string>
  /** State and county of most rows. */
  readonly #home: string

  constructor(records: readonly Fields[], sides: readonly Columns[], defaults: Defaults, gazetteer: Gazetteer) {
    this.gazetteer = gazetteer
    this.country = defaults.country === 'CA' ? 'CA' : 'US'
    this.rows = records.flatMap((fields) => sides.flatMap((side) => rowOf(fields, side, defaults) ?? []))
    this.has_points = this.rows.some(({ high }) => high === null)
    this.#zips = new Set(this.rows.map(({ zip }) => zip))
    this.#home = mostFrequent(this.rows.map(({ zip }) => this.#county(zip)))
    for (const row of this.rows) listed(this.#byStreet, streetKey(row.street)).push(row)
  }

  /** All streets by their key. */
  get streets(): ReadonlyMap<string, readonly SourceRow[]> {
    return this.#byStreet
  }

  on(street: string): readonly SourceRow[] {
    return this.#byStreet.get(streetKey(street)) ?? []
  }

  hasZip(code: string): boolean {
    return this.#zips.has(code)
  }

  /** Whether the source covers the county of a ZIP code. For a neighboring county, it only has streets that cross the county line. */
  speaksFor(zip: string): boolean {
    return this.#county(zip) === this.#home
  }

  #county(zip: string): string {
    const known = this.gazetteer.zip(zip)
    return known ? known.state + known.county : ''
  }

  hasInTown({ number, street, city, state }: Address): boolean {
    return this.on(street).some((row) => contains(row, number) && this.#isIn(row, city, state))
  }

  hasUnderCode({ number, street, zip }: Address): boolean {
    return this.on(street).some((row) => contains(row, number) && this.#isUnder(row, zip))
  }

  /** Whether a row has the same code or town. */
  isNear(row: SourceRow, { city, state, zip }: Address): boolean {
    return this.#isIn(row, city, state) || this.#isUnder(row, zip)
  }

  /** All names of a row's town, from the source and from its code. */
  townsOf({ towns, zip }: SourceRow): string[] {
    return [...towns, ...(this.gazetteer.zip(zip)?.towns ?? [])]
  }

  /** Up to `size` distinct addresses. */
  sample(size: number, random: Random): TrueAddress[] {
    const order = [...this.rows]
    const found = new Map<string, TrueAddress>()
    for (let left = order.length; left > 0 && found.size < size; left--) {
      const at = random.below(left)
      const row = order[at]
      order[at] = order[left - 1] ?? order[at] ?? fail()
      const address = row && this.#addressIn(row, random)
      if (address) found.set(`${numberKey(address.number)}|${streetKey(address.street)}|${address.zip}`, address)
    }
    return [...found.values()]
  }

  #isIn(row: SourceRow, city: string, state: string): boolean {
    const names = row.towns.length > 0 ? row.towns : (this.gazetteer.zip(row.zip)?.towns ?? [])
    const wanted = townKey(city)
    return (row.state === '' || row.state === state) && names.some((name) => townKey(name) === wanted)
  }

  #isUnder(row: SourceRow, zip: string): boolean {
    return row.zip !== '' && row.zip === zip
  }

  #addressIn(row: SourceRow, random: Random): TrueAddress | undefined {
    const number = row.high === null ? row.number : within(row, random)
    const known = this.gazetteer.zip(row.zip)
    const city = row.towns[0] ?? known?.towns[0]
    const state = row.state || known?.state
    if (city === undefined || state === undefined || number === undefined) return undefined
    const zip = row.zip || this.#codeOf(state, city)
    return zip === undefined ? undefined : { number, street: row.street, city, state, zip, country: this.country, row }
  }

  /** A code of the town, if the source has none. */
  #codeOf(state: string, city: string): string | undefined {
    const id = state + townKey(city)
    if (!this.#codes.has(id)) {
      const [town] = this.gazetteer.canadianTowns(state, city)
      const canadian = town && this.gazetteer.canadianCode(town)
      this.#codes.set(id, this.country === 'CA' ? canadian : this.gazetteer.zipsOf(state, city)[0]?.code)
    }
    return this.#codes.get(id)
  }
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

function fail(): never {
  throw new Error('an index outside of the list')
}

/** `99999` stands for an unknown ZIP code in TIGER. */
const NO_ZIP = '99999'

/** A unit after the street, which is not part of its name. */
const UNIT = /\s+(?:unit|apt|apartment|suite|ste|#)\s*[\w-]+$/i

function rowOf(fields: Fields, side: Columns, defaults: Defaults): SourceRow | null {
  const get = (name: keyof Columns) => valueOf(fields, side[name])
  const [street, low, high] = [get('street'), get('number') || get('low'), get('high')]
  // ranges use zero for none
  if (street === '' || !/[1-9]/.test(low) || (side.high !== undefined && high === '')) return null
  const zip = get('zip')
  const state = get('state').toUpperCase()
  const code = /^\d{5}/.test(zip) && !zip.startsWith(NO_ZIP) ? zip.slice(0, 5) : canadianCode(zip)
  return {
    street: street.replace(UNIT, '').replace(/\s+/g, ' '),
    number: low,
    high: side.high === undefined || high === low ? null : high,
    parity: parityOf(get('parity'), low, high),
    towns: [...new Set([get('city'), get('also')].filter((name) => /\p{L}/u.test(name)))].concat(
      get('city') === '' && defaults.city !== undefined ? [defaults.city] : [],
    ),
    state: /^[A-Z]{2}$/.test(state) ? state : (defaults.state ?? ''),
    zip: code,
  }
}

function canadianCode(text: string): string {
  const [, a = '', b = ''] = /^([A-Z]\d[A-Z]) ?(\d[A-Z]\d)$/i.exec(text) ?? []
  return a === '' ? '' : `${a} ${b}`.toUpperCase()
}

function parityOf(text: string, low: string, high: string): 0 | 1 | null {
  if (/^e/i.test(text)) return 0
  if (/^o/i.test(text)) return 1
  if (text !== '') return null
  const [a, b] = [Number(low), Number(high)]
  return Number.isInteger(a) && Number.isInteger(b) && a % 2 === b % 2 ? (a % 2 === 0 ? 0 : 1) : null
}

/** Both ends of a range of whole numbers, lower first, and their common prefix. */
export function endsOf(row: SourceRow): { prefix: string; low: number; high: number } | null {
  const [, prefix = '', from = ''] = /^(\D*)(\d+)$/.exec(numberKey(row.number)) ?? []
  const [, other = '', to = ''] = /^(\D*)(\d+)$/.exec(numberKey(row.high ?? row.number)) ?? []
  if (from === '' || to === '' || prefix !== other) return null
  return { prefix, low: Math.min(Number(from), Number(to)), high: Math.max(Number(from), Number(to)) }
}

/** Whether a row has a number, as equal text or within its range. */
export function contains(row: SourceRow, number: string): boolean {
  const text = numberKey(number)
  if (text === numberKey(row.number) || (row.high !== null && text === numberKey(row.high))) return true
  const ends = row.high === null ? null : endsOf(row)
  const [, prefix = '', digits = ''] = /^(\D*)(\d+)$/.exec(text) ?? []
  if (!ends || digits === '' || prefix !== ends.prefix) return false
  const n = Number(digits)
  return n >= ends.low && n <= ends.high && (row.parity === null || n % 2 === row.parity)
}

function within(row: SourceRow, random: Random): string | undefined {
  const ends = endsOf(row)
  if (!ends) return row.number
  const step = row.parity === null ? 1 : 2
  const low = Math.max(ends.low, 1)
  const first = row.parity === null || low % 2 === row.parity ? low : low + 1
  if (first > ends.high) return undefined
  return ends.prefix + String(first + step * random.below(Math.floor((ends.high - first) / step) + 1))
}
