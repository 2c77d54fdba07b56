import type { Locality } from '../address.ts'
import { StreetIndex } from '../match/street-index.ts'
import type { StreetName } from '../match/rows.ts'
import type { Streets } from '../match/streets.ts'

/** About 500 bytes each. */
const MOST_STREETS = 60_000

/**
 * The streets of a code or city, remembered between searches: a search for what was meant reads all of them. Lists of
 * data that is active no longer are forgotten, whichever process changed it.
 */
export class StreetLists {
  readonly #streets: Pick<Streets, 'streetsOfCodes' | 'streetsOfCities' | 'dataVersion'>
  readonly #most: number
  readonly #lists = new Map<string, StreetIndex>()
  /** Being read, for whoever else wants the same meanwhile. */
  readonly #reading = new Map<string, Promise<StreetIndex>>()
  #held = 0
  #version = ''

  constructor(
    streets: Pick<Streets, 'streetsOfCodes' | 'streetsOfCities' | 'dataVersion'>,
    most: number = MOST_STREETS,
  ) {
    this.#streets = streets
    this.#most = most
  }

  /** Of the postal codes of the places. */
  async ofCodes(places: readonly Locality[]): Promise<StreetIndex[]> {
    await this.#refresh()
    const codes = new Map(places.map((place) => [`${place.country}|${place.zip}`, place]))
    return Promise.all(
      [...codes].map(([id, { country, zip }]) => this.#list(id, () => this.#streets.streetsOfCodes(country, [zip]))),
    )
  }

  /** Of the cities of the places. */
  async ofCities(places: readonly Locality[]): Promise<StreetIndex[]> {
    await this.#refresh()
    const cities = new Map(places.map((place) => [`${place.country}|${place.state}|${place.city_key}`, place]))
    return Promise.all(
      [...cities].map(([id, place]) => this.#list(id, () => this.#streets.streetsOfCities(place.country, [place]))),
    )
  }

  async #refresh(): Promise<void> {
    const version = await this.#streets.dataVersion()
    if (version === this.#version) return
    this.#version = version
    this.#lists.clear()
    this.#held = 0
  }

  async #list(id: string, read: () => Promise<StreetName[]>): Promise<StreetIndex> {
    const known = this.#lists.get(id)
    if (known) {
      // the last used are at the end
      this.#lists.delete(id)
      this.#lists.set(id, known)
      return known
    }
    const of_version = `${this.#version}|${id}`
    const started = this.#reading.get(of_version)
    if (started) return started
    const reading = this.#read(id, this.#version, read).finally(() => this.#reading.delete(of_version))
    this.#reading.set(of_version, reading)
    return reading
  }

  async #read(id: string, version: string, read: () => Promise<StreetName[]>): Promise<StreetIndex> {
    const list = new StreetIndex(await read())
    if (version === this.#version && !this.#lists.has(id) && list.size <= this.#most) this.#keep(id, list)
    return list
  }

  #keep(id: string, list: StreetIndex): void {
    this.#lists.set(id, list)
    this.#held += list.size + 1
    for (const [oldest, streets] of this.#lists) {
      if (this.#held <= this.#most) return
      this.#lists.delete(oldest)
      this.#held -= streets.size + 1
    }
  }
}
