/** Whether a number that the data does not have does not exist (authoritative) or is only unknown (indicative). */
export type Authority = 'authoritative' | 'indicative'

/** A street of an active dataset by its name, which is all that the search for similar ones needs. */
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
  ranges: number[][] | null
  points: number[] | null
  /** Numbers that are more than digits: `12B`, `87-15`; or ranges of one prefix: `N6W23001|N6W23099|1`. */
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
  /** The data has too little of the place to say that anything does not exist there; absent: no. */
  thin?: boolean
}
