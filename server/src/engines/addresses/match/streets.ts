import type { Locality } from '../address.ts'
import type { Country } from '../normalize/types.ts'
import type { AreaFact, StreetRow } from './rows.ts'

/** One street name to look up in one locality. */
export interface Probe extends Locality {
  base: string
}

/** Data of some places and names from one snapshot. */
export interface Found {
  /** Version of the active data; changes whenever other data becomes active. */
  version: string
  facts: AreaFact[]
  rows: StreetRow[]
}

/** The streets that addresses are matched against, independent of storage. */
export interface Streets {
  /**
   * Finds the places of the probes by code, or by city in data without codes, and every street with one of the names, of any
   * type and direction, that has the probe's code or city. With `numbered`, also finds the streets of `ids` that have one of
   * `numbers`, a range around it of any parity, or numbers that aren't digits only. All from one snapshot.
   */
  lookUp(probes: readonly Probe[], numbered?: { ids: readonly string[]; numbers: readonly number[] }): Promise<Found>
  /** The names of all streets of the place's code, as lines (`linesOf`). */
  streetsOfCode(place: Locality): Promise<string>
  /** The names of all streets of the place's city, as lines. */
  streetsOfCity(place: Locality): Promise<string>
  /** Up to 50 codes that datasets have for the city and that are one edit away from the given code. */
  codesLike(place: Locality): Promise<string[]>
  /** Cities of a state in datasets without codes. */
  communities(country: Country, state: string): Promise<{ city: string; city_key: string }[]>
  /** Changes whenever the active datasets do. */
  dataVersion(): Promise<string>
}
