import {
  cityKey,
  cityOfZip,
  type Country,
  areConsistent,
  kilometres,
  type PostalData,
  provincesOfCode,
} from '../../server/src/engines/addresses/index.ts'
import {
  type Format,
  type PlaceDefaults,
  resolveNumbers,
  resolvePlace,
  resolveStreet,
  type Sink,
  type SkipReason,
  type SourceRow,
  withoutUnit,
} from '../../server/src/engines/street-data/index.ts'
import type { Random } from './random.ts'

/** An address of the data, as written there. */
export interface TrueAddress {
  country: Country
  state: string
  zip: string
  city: string
  street: string
  number: number
  /** Whether the code is that of the data, and not a plausible one for the city. */
  own_zip: boolean
}

/** Draws a uniform sample of the addresses of a file in one pass (reservoir sampling). */
export class Sampler implements Sink {
  readonly #sample: TrueAddress[] = []
  readonly #codes = new Map<string, string | undefined>()
  #seen = 0
  readonly #size: number
  readonly #random: Random
  readonly #defaults: PlaceDefaults
  readonly #data: PostalData

  constructor(size: number, random: Random, defaults: PlaceDefaults, data: PostalData) {
    this.#size = size
    this.#random = random
    this.#defaults = defaults
    this.#data = data
  }

  /** The sample; smaller than `size` when the file has fewer addresses. */
  addresses(): readonly TrueAddress[] {
    return this.#sample
  }

  take(format: Format, get: (column: string) => string): void {
    format.read(get, this)
  }

  skip(_reason: SkipReason): void {
    // the import reports them
  }

  county(_fips: string): void {
    // the county is not part of an address
  }

  row(given: Partial<SourceRow> & { street: string; low: string }): void {
    const at = this.#seen < this.#size ? this.#seen : this.#random.below(this.#seen + 1)
    if (at >= this.#size) {
      this.#seen++
      return
    }
    const address = this.#address(given)
    if (!address) return
    this.#seen++
    this.#sample[at] = address
  }

  #address(given: Partial<SourceRow> & { street: string; low: string }): TrueAddress | undefined {
    const { street, low, high = '', parity = 'any', country = '', state = '', postal = '', city = '' } = given
    const place = resolvePlace({ country, state, postal, city }, this.#defaults, this.#data)
    if (typeof place === 'string' || low === '') return undefined
    if (typeof resolveStreet(street, place) === 'string') return undefined
    const numbers = resolveNumbers({ low, high, parity }, place.country)
    if (typeof numbers === 'string') return undefined
    const zip = place.postal || this.#codeOf(place.country, place.state, place.city)
    const city_name = place.city || (cityOfZip(place.postal, this.#data)?.city ?? '')
    if (zip === undefined || city_name === '') return undefined
    return {
      country: place.country,
      state: place.state,
      zip,
      city: city_name,
      street: withoutUnit(street, place),
      number: this.#within(numbers),
      own_zip: place.postal !== '',
    }
  }

  /** A random number of the range, which may begin at zero although no house has that number. */
  #within({ low, high, parity }: { low: number; high: number; parity: number }): number {
    const step = parity === 0 ? 1 : 2
    const lowest = low === 0 ? step : low
    return lowest > high ? high : lowest + step * this.#random.below(Math.floor((high - lowest) / step) + 1)
  }

  /** A plausible postal code for the city, where the data has none. */
  #codeOf(country: Country, state: string, city: string): string | undefined {
    const id = country + state + city
    if (!this.#codes.has(id)) this.#codes.set(id, codeNear(country, state, city, this.#data))
    return this.#codes.get(id)
  }
}

/**
 * The nearest of the codes that are plausible for the city. For a community without coordinates, any code of the state
 * is.
 */
function codeNear(country: Country, state: string, city: string, data: PostalData): string | undefined {
  const key = cityKey(city)
  const [middle] = data.named(country, state, key)
  const codes = country === 'US' ? zipsOf(state, data) : areasOf(state, data)
  const near = middle
    ? codes.toSorted((a, b) => kilometres(a, middle) - kilometres(b, middle)).slice(0, NEAREST_CODES)
    : codes.slice(0, 1)
  const own = data.named(country, state, key).flatMap(({ zip }) => (zip === null ? [] : [zip]))
  const community = { authority: 'indicative', state, postal: '', city, city_key: key, city_derived: false } as const
  const facts = [{ ...community, streets: 1, complete: true }]
  return [...own, ...near.map(({ code }) => code)].find((zip) =>
    areConsistent({ country, state, zip, city, city_key: key }, facts, data),
  )
}

interface Code {
  code: string
  lat: number
  lon: number
}

/** Enough to include the rural code of a village that has urban ones nearer. */
const NEAREST_CODES = 40

function zipsOf(state: string, data: PostalData): Code[] {
  return data.inState('US', state).flatMap(({ zip, lat, lon }) => (zip === null ? [] : [{ code: zip, lat, lon }]))
}

function areasOf(state: string, data: PostalData): Code[] {
  return allAreas().flatMap((area) => {
    const at = provincesOfCode(area).includes(state) ? data.canadianArea(area) : undefined
    return at ? [{ code: `${area} 1A1`, ...at }] : []
  })
}

function allAreas(): string[] {
  const letters = [...'ABCEGHJKLMNPRSTVWXYZ']
  return letters.flatMap((a) => [...'0123456789'].flatMap((b) => letters.map((c) => a + b + c)))
}
