/** Whether a number missing from the data doesn't exist (authoritative) or is unknown (indicative). */
export type Authority = 'authoritative' | 'indicative'

/** The name of a street in an active dataset, enough for the search for similar streets. */
export interface ListedStreet {
  id: string
  postal: string
  label: string
  key: string
}

/** A street of an active dataset, without its numbers. */
export interface StreetName extends ListedStreet {
  dataset_id: number
  authority: Authority
  state: string
  city: string
  city_key: string
  city_derived: boolean
}

/** The same with its numbers. */
export interface StreetRow extends StreetName {
  dataset: string
  vintage: string
  /** The dataset's own spellings of suffixes, as in `Reading.learned`. */
  suffixes?: readonly string[]
  ranges: number[][] | null
  points: number[] | null
  /** Numbers that aren't digits only (`12B`, `87-15`), and ranges with a prefix (`N6W23001|N6W23099|1`). */
  others: string[] | null
  esn: string
  psap: string
}

/** One place of an active dataset. */
export interface AreaFact {
  authority: Authority
  /** Whether the data has ranges of numbers or single ones. */
  kind: 'range' | 'point'
  state: string
  postal: string
  city: string
  city_key: string
  city_derived: boolean
  streets: number
  complete: boolean
  /** True if the data has too little of the place to prove that an address doesn't exist there. */
  thin?: boolean
}
