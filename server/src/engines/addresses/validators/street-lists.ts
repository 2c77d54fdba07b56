import type { Locality } from '../address.ts'
import { StreetIndex } from '../match/street-index.ts'
import type { Streets } from '../match/streets.ts'

type StreetsByPlace = Pick<Streets, 'streetsOfCode' | 'streetsOfCity' | 'communities'>
type Community = Awaited<ReturnType<Streets['communities']>>[number]

/** Under 500 bytes each, mostly for the index of a place that is searched again. */
const STREETS_MAX = 60_000

/**
 * Caches the streets of a code or city, because each search compares all of them. Every call passes the data version of its
 * search, so the first search that sees a new version invalidates the cache, whichever process activated the data.
 */
export class StreetLists {
  readonly #streets: StreetsByPlace
  readonly #lists = new Map<string, StreetIndex>()
  readonly #communities = new Map<string, Promise<Community[]>>()
  /** Reads in progress, shared by concurrent searches. */
  readonly #reading = new Map<string, Promise<StreetIndex>>()
  #cached_streets = 0
  #version = ''

  constructor(streets: StreetsByPlace) {
    this.#streets = streets
  }

  /** Streets of the postal codes of the places. */
  async ofCodes(version: string, places: readonly Locality[]): Promise<StreetIndex[]> {
    this.#refresh(version)
    const codes = new Map(places.map((place) => [`${place.country}|${place.zip}`, place]))
    return Promise.all([...codes].map(([id, place]) => this.#list(id, () => this.#streets.streetsOfCode(place))))
  }

  /** Streets of the cities of the places. */
  async ofCities(version: string, places: readonly Locality[]): Promise<StreetIndex[]> {
    this.#refresh(version)
    const cities = new Map(places.map((place) => [`${place.country}|${place.state}|${place.city_key}`, place]))
    return Promise.all([...cities].map(([id, place]) => this.#list(id, () => this.#streets.streetsOfCity(place))))
  }

  /** Cities of the place's state in datasets without codes. */
  async communities(version: string, { country, state }: Locality): Promise<Community[]> {
    this.#refresh(version)
    const id = `${country}|${state}`
    const cached = this.#communities.get(id)
    if (cached) return cached
    const reading = this.#streets.communities(country, state)
    this.#communities.set(id, reading)
    // a rejection is not cached; the callers get it
    reading.catch(() => this.#communities.delete(id))
    return reading
  }

  #refresh(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#lists.clear()
    this.#communities.clear()
    this.#cached_streets = 0
  }

  async #list(id: string, read: () => Promise<string>): Promise<StreetIndex> {
    const cached = this.#lists.get(id)
    if (cached) {
      // least recently used first
      this.#lists.delete(id)
      this.#lists.set(id, cached)
      return cached
    }
    const of_version = `${this.#version}|${id}`
    const started = this.#reading.get(of_version)
    if (started) return started
    const reading = this.#read(id, this.#version, read).finally(() => this.#reading.delete(of_version))
    this.#reading.set(of_version, reading)
    return reading
  }

  async #read(id: string, version: string, read: () => Promise<string>): Promise<StreetIndex> {
    const list = new StreetIndex(await read())
    if (version === this.#version && !this.#lists.has(id) && list.size <= STREETS_MAX) this.#cache(id, list)
    return list
  }

  #cache(id: string, list: StreetIndex): void {
    this.#lists.set(id, list)
    this.#cached_streets += list.size + 1
    for (const [oldest, streets] of this.#lists) {
      if (this.#cached_streets <= STREETS_MAX) return
      this.#lists.delete(oldest)
      this.#cached_streets -= streets.size + 1
    }
  }
}
