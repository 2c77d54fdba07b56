import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { cityKey } from '../normalize/city.ts'
import type { Country } from '../normalize/types.ts'

/** A US ZIP code with state, county (three FIPS digits, empty if unknown), cities, and center. */
export interface Zip {
  code: string
  state: string
  county: string
  cities: readonly City[]
  lat: number
  lon: number
  /** False for post office boxes or a single recipient: the Census Bureau has no area for the code. */
  has_area: boolean
}

export interface City {
  name: string
  key: string
}

/** A named place, or a city of a ZIP code. */
export interface GazetteerEntry extends City {
  lat: number
  lon: number
  /** Null for a place without its own ZIP code, and in Canada. */
  zip: string | null
}

/** The postal data of the service, in memory. `scripts/e911-postal-data.ts` builds it. */
export interface PostalData {
  zip(code: string): Zip | undefined
  /** The center of a Canadian postal area, by the first three characters of a code. */
  canadianArea(code: string): { lat: number; lon: number } | undefined
  /** One entry for each place and ZIP code with that name. */
  named(country: Country, state: string, key: string): GazetteerEntry[]
  /** One entry for each place and ZIP code in the state. */
  inState(country: Country, state: string): GazetteerEntry[]
}

const FOLDER = path.join(import.meta.dirname, 'data')
/** Rows between two pauses of `preparePostalData`: a few milliseconds. */
const ROWS_PER_STEP = 500
let loaded: PostalData | undefined
let loading: Generator<undefined, PostalData> | undefined
let loaded_counties: Map<string, string> | undefined
let loaded_populations: Map<string, number> | undefined

/** Loads on the first call, which takes a few tenths of a second; later calls return the same object. */
export function postalData(): PostalData {
  while (loaded === undefined) step()
  return loaded
}

/** The same, but loads in steps that yield to other work. */
export async function preparePostalData(): Promise<PostalData> {
  while (loaded === undefined) {
    step()
    await setImmediate()
  }
  return loaded
}

function step(): void {
  loading ??= load()
  const { done, value } = loading.next()
  if (done) loaded = value
}

/** All places, stored in columns, which takes a third of the memory of objects. */
class Gazetteer {
  readonly #names: string[] = []
  readonly #keys: string[] = []
  readonly #degrees: number[] = []
  readonly #codes: string[] = []
  readonly #counties: string[] = []
  readonly #states: string[] = []
  readonly #without_area = new Set<string>()
  /** State, or state and key, or ZIP → rows. */
  readonly #index = new Map<string, number | number[]>()
  #last: City = { name: '', key: '' }

  /** Returns the number of the row. */
  add(country: string, state: string, name: string, at: [string, string], code = '', county = ''): number {
    // consecutive rows often have the same city
    if (name !== this.#last.name) this.#last = { name, key: cityKey(name) }
    const row = this.#names.push(this.#last.name) - 1
    this.#keys.push(this.#last.key)
    this.#degrees.push(Number(at[0]), Number(at[1]))
    this.#codes.push(code)
    this.#counties.push(county)
    this.#states.push(state)
    this.#addToIndex(country + state, row)
    this.#addToIndex(country + state + this.#last.key, row)
    if (code !== '') this.#addToIndex(code, row)
    return row
  }

  find(id: string): GazetteerEntry[] {
    return this.rows(id).map((row) => ({ ...this.#city(row), ...this.#center(row), zip: this.#codes[row] || null }))
  }

  zip(code: string): Zip | undefined {
    const rows = this.rows(code)
    const row = rows[0]
    if (row === undefined) return undefined
    const [state = '', county = ''] = [this.#states[row], this.#counties[row]]
    return {
      code,
      state,
      county,
      cities: rows.map((one) => this.#city(one)),
      ...this.#center(row),
      has_area: !this.#without_area.has(code),
    }
  }

  markWithoutArea(code: string): void {
    this.#without_area.add(code)
  }

  rows(id: string): number[] {
    const found = this.#index.get(id)
    return found === undefined ? [] : typeof found === 'number' ? [found] : found
  }

  #city(row: number): City {
    return { name: this.#names[row] ?? '', key: this.#keys[row] ?? '' }
  }

  #center(row: number): { lat: number; lon: number } {
    return { lat: this.#degrees[2 * row] ?? 0, lon: this.#degrees[2 * row + 1] ?? 0 }
  }

  #addToIndex(id: string, row: number): void {
    const found = this.#index.get(id)
    if (found === undefined) this.#index.set(id, row)
    else if (typeof found === 'number') this.#index.set(id, [found, row])
    else found.push(row)
  }
}

function* load(): Generator<undefined, PostalData> {
  const places = new Gazetteer()
  for (const [code = '', state = '', county = '', city = '', lat = '', lon = ''] of postalRows('us-zips.tsv.gz')) {
    if (places.add('US', state, city, [lat, lon], code, county) % ROWS_PER_STEP === 0) yield
  }
  for (const [code = ''] of postalRows('us-box-zips.tsv.gz')) places.markWithoutArea(code)
  for (const [country = '', state = '', name = '', lat = '', lon = ''] of postalRows('places.tsv.gz')) {
    if (places.add(country, state, name, [lat, lon]) % ROWS_PER_STEP === 0) yield
  }
  const areas = new Map<string, { lat: number; lon: number }>()
  for (const [code = '', lat, lon] of postalRows('ca-areas.tsv.gz'))
    areas.set(code, { lat: Number(lat), lon: Number(lon) })
  return {
    zip: (code) => places.zip(code),
    canadianArea: (code) => areas.get(code.slice(0, 3)),
    named: (country, state, key) => places.find(country + state + key),
    inState: (country, state) => places.find(country + state),
  }
}

/** Decodes row by row from the unpacked bytes, because a substring would keep the whole text in memory. */
function* postalRows(file: string): Generator<string[]> {
  const bytes = gunzipSync(readFileSync(path.join(FOLDER, file)))
  for (let start = 0, end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start))
    yield bytes.toString('utf8', start, end).split('\t')
}

/**
 * The name of a US county by its state and the three digits of its FIPS code (`NC`, `143`); undefined if the postal data lacks
 * it. Loaded on the first call, because only the operator's coverage needs it.
 */
export function countyName(state: string, code: string): string | undefined {
  loaded_counties ??= new Map(
    [...postalRows('us-counties.tsv.gz')].map(([its = '', county = '', name = '']) => [its + county, name]),
  )
  return loaded_counties.get(state + code)
}

/**
 * The population of a place by its `cityKey`; undefined below 500, and for a name that is not in the gazetteer. Where a state has
 * several places of one name, that of the smallest. Loaded on the first call, because only imports need it.
 */
export function population(country: Country, state: string, city_key: string): number | undefined {
  loaded_populations ??= loadPopulations()
  return loaded_populations.get(`${country}|${state}|${city_key}`)
}

function loadPopulations(): Map<string, number> {
  const inhabitants = new Map<string, number>()
  for (const [country = '', state = '', name = '', count = ''] of postalRows('populations.tsv.gz')) {
    const id = `${country}|${state}|${cityKey(name)}`
    inhabitants.set(id, Math.min(Number(count), inhabitants.get(id) ?? Number.POSITIVE_INFINITY))
  }
  return inhabitants
}
