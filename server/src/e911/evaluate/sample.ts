import { cityKey } from '../normalise/city.ts'
import type { Country } from '../normalise/types.ts'
import { provincesOfCode } from '../places.ts'
import { cityOfZip } from '../postal/check.ts'
import { kilometres } from '../postal/distance.ts'
import type { PostalData } from '../postal/data.ts'
import type { Format, Sink, SkipReason, SourceRow } from '../import/format.ts'
import { resolveNumbers, resolvePlace, resolveStreet, withoutUnit, type PlaceDefaults } from '../import/resolve.ts'
import type { Random } from './random.ts'

/** A true address of the data, in the data's own words. */
export interface TrueAddress {
  country: Country
  state: string
  zip: string
  city: string
  street: string
  number: number
  /** Whether the code is the data's own, and not one that somebody in the city may have. */
  own_zip: boolean
}

/** Keeps a fair sample of the addresses of a file, in one pass. */
export class Sampler implements Sink {
  readonly #kept: TrueAddress[] = []
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

  /** All that were kept; fewer than asked for when the file has no more. */
  addresses(): readonly TrueAddress[] {
    return this.#kept
  }

  take(format: Format, get: (column: string) => string): void {
    format.read(get, this)
  }

  skip(_reason: SkipReason): void {
    // the import reports them
  }

  county(_fips: string): void {
    // no part of an address
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
    this.#kept[at] = address
  }

  #address(given: Partial<SourceRow> & { street: string; low: string }): TrueAddress | undefined {
    const { street, low, high = '', parity = 'any', country = '', state = '', postal = '', city = '' } = given
    const place = resolvePlace({ country, state, postal, city }, this.#defaults, this.#data)
    if (typeof place === 'string' || low === '') return undefined
    if (typeof resolveStreet(street, place) === 'string') return undefined
    const numbers = resolveNumbers({ low, high, parity }, place.country)
    if (typeof numbers === 'string') return undefined
    const { country: land, state: region } = place
    const zip = place.postal || this.#codeOf(land, region, place.city)
    const named = place.city || (cityOfZip(place.postal, this.#data)?.city ?? '')
    if (zip === undefined || named === '') return undefined
    return {
      country: land,
      state: region,
      zip,
      city: named,
      street: withoutUnit(street, place),
      number: this.#within(numbers),
      own_zip: place.postal !== '',
    }
  }

  #within({ low, high, parity }: { low: number; high: number; parity: number }): number {
    const step = parity === 0 ? 1 : 2
    return low + step * this.#random.below(Math.floor((high - low) / step) + 1)
  }

  /** A code that somebody in the city may have, where the data has none. */
  #codeOf(country: Country, state: string, city: string): string | undefined {
    const id = country + state + city
    if (!this.#codes.has(id)) this.#codes.set(id, codeNear(country, state, cityKey(city), this.#data))
    return this.#codes.get(id)
  }
}

function codeNear(country: Country, state: string, key: string, data: PostalData): string | undefined {
  const places = data.named(country, state, key)
  const own = places.find(({ zip }) => zip !== null)?.zip
  if (own) return own
  const middle = places[0]
  if (!middle) return undefined
  if (country === 'US') {
    const near = data.inState('US', state).filter(({ zip }) => zip !== null)
    return near.toSorted((a, b) => kilometres(a, middle) - kilometres(b, middle))[0]?.zip ?? undefined
  }
  const areas = allAreas().filter((area) => provincesOfCode(area).includes(state) && area[1] !== '0')
  const known = areas.flatMap((area) => {
    const at = data.canadianArea(area)
    return at ? [{ area, km: kilometres(at, middle) }] : []
  })
  const nearest = known.toSorted((a, b) => a.km - b.km)[0]
  return nearest ? `${nearest.area} 1A1` : undefined
}

function allAreas(): string[] {
  const letters = [...'ABCEGHJKLMNPRSTVWXYZ']
  return letters.flatMap((a) => [...'123456789'].flatMap((b) => letters.map((c) => a + b + c)))
}
