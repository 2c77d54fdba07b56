import type { Locality } from '../address.ts'
import type { Country } from '../normalize/types.ts'
import type { AreaFact, StreetRow } from './rows.ts'

/** One street name to look up in one locality. */
export interface Probe extends Locality {
  base: string
}

/** The data of some places and names in one snapshot. */
export interface Found {
  /** Of the active data; different whenever other data is active. */
  version: string
  facts: AreaFact[]
  rows: StreetRow[]
}

/** The streets that addresses are matched against, whatever stores them. */
export interface Streets {
  /**
   * The places of the probes: by code, and by city where the data has no codes. And every street of one of the names,
   * whatever its type and direction, that has the probe's code or its city. With `numbered`, also those of the streets of
   * `ids` that have one of `numbers`, a range around it whatever its parity, or numbers that are more than digits. All of one
   * snapshot.
   */
  lookUp(probes: readonly Probe[], numbered?: { ids: readonly string[]; numbers: readonly number[] }): Promise<Found>
  /** The names of all streets of the place's code, as lines (`linesOf`). */
  streetsOfCode(place: Locality): Promise<string>
  /** The names of all streets of the place's city, as lines. */
  streetsOfCity(place: Locality): Promise<string>
  /** Codes that datasets have for a city and that are one edit away from the given one. At most 50. */
  codesLike(place: Locality): Promise<string[]>
  /** Cities of a state in datasets without codes. */
  communities(country: Country, state: string): Promise<{ city: string; city_key: string }[]>
  /** Changes whenever the active datasets do. */
  dataVersion(): Promise<string>
}
