import type { Country, PostalData } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'

/** Measures how much of each place a dataset has. See docs/decisions/0010-coverage-is-measured.md for the rule and its reasons. */

/** Counts for a place: a ZIP code, or a city in Canada and in data without ZIP codes. */
export interface PlaceCount {
  country: Country
  state: string
  /** Empty for a city. */
  postal: string
  /** Empty for a ZIP code. */
  city_key: string
  streets: number
  /** Points or ranges. */
  numbers: number
}

export interface MeasuredPlace extends PlaceCount {
  /** Share of the minimum streets and numbers for a place of its size, 0 to 1; null if its size is unknown. */
  share: number | null
  /** The data has too little to prove that an address doesn't exist there. */
  thin: boolean
  /** The place is in a county that the dataset doesn't cover and extends beyond the data, so a missing street may exist. */
  beyond: boolean
}

export interface Gazetteer {
  data: PostalData
  population(country: Country, state: string, city_key: string): number | undefined
}

export const COVERAGE = {
  /** A place with a smaller share is thin. */
  share_min: 0.03,
  /** Where apartments prevail; elsewhere there are far fewer inhabitants per street and number. */
  people_per_street: 200,
  people_per_number: { point: 20, range: 50 },
  /** A place with this share of all streets is never thin. */
  main_share: 0.2,
  /** Outside the dataset's counties, this many streets can't be typos. */
  streets_beyond_min: 10,
  /** There, a place at least this dense relative to the dataset's own places is complete. */
  part_min: 0.5,
  /** A county belongs to the dataset if it has this share of the county's ZIP codes, of the dataset's streets, or this many ZIP codes. */
  county_places_share: 0.4,
  county_streets_share: 0.1,
  county_places: 15,
  /** With fewer streets, a place of unknown size is thin and doesn't count toward its county. */
  streets_min: 4,
} as const

/**
 * Measures every place against its known size and the dataset's territory. `counties` are those that the file says it covers
 * (`NC143`); if there are none, they are derived from its streets.
 */
export function measurePlaces(
  counts: readonly PlaceCount[],
  kind: DatasetKind,
  counties: ReadonlySet<string>,
  gazetteer: Gazetteer,
): MeasuredPlace[] {
  const all = counts.reduce((sum, { streets }) => sum + streets, 0)
  const sized = counts.map((count): Sized => {
    const density = densityOf(count, kind, gazetteer)
    const share = density === null ? null : Math.min(1, density)
    return { ...count, density, share, counties: countiesOf(count, gazetteer.data) }
  })
  const own = counties.size > 0 ? counties : ownCounties(sized, all, gazetteer.data)
  const isForeign = (place: Sized) => place.counties.length > 0 && !place.counties.some((county) => own.has(county))
  const partOf = comparedWith(sized.filter((place) => !isForeign(place)))
  return sized.map((place) => {
    const foreign = isForeign(place)
    const small = place.share === null ? place.streets < COVERAGE.streets_min : place.share < COVERAGE.share_min
    const stray = foreign && place.streets < COVERAGE.streets_beyond_min
    // a file that names its county was cut from a map at the county line, so foreign places aren't typos
    const cut = foreign && counties.size > 0
    const thin = !cut && place.streets < COVERAGE.main_share * all && (small || stray)
    const { counties: _counties, density: _density, ...measured } = place
    return { ...measured, thin, beyond: cut || (foreign && partOf(place) < COVERAGE.part_min) }
  })
}

interface Sized extends PlaceCount {
  share: number | null
  /** The share before it is capped at 1. */
  density: number | null
  counties: readonly string[]
}

/** Coverage of a place relative to the dataset's own places: by density, or by streets if the density is unknown. */
function comparedWith(own: readonly Sized[]): (place: Sized) => number {
  const density = median(own.flatMap((place) => (place.density === null ? [] : [place.density])))
  const streets = median(own.map((place) => place.streets))
  return (place) => (place.density === null || density === 0 ? place.streets / streets : place.density / density)
}

/** 0 for an empty list. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function densityOf(count: PlaceCount, kind: DatasetKind, { data, population }: Gazetteer): number | null {
  const { country, state, postal, city_key, streets, numbers } = count
  const people = postal === '' ? population(country, state, city_key) : peopleOfZip(postal, data, population)
  if (people === undefined) return null
  const of_streets = (streets * COVERAGE.people_per_street) / people
  const of_numbers = (numbers * COVERAGE.people_per_number[kind]) / people
  return Math.min(of_streets, of_numbers)
}

/** The population of its first city divided by the number of that city's ZIP codes. */
function peopleOfZip(code: string, data: PostalData, population: Gazetteer['population']): number | undefined {
  const zip = data.zip(code)
  const [city] = zip?.cities ?? []
  if (!zip || !city) return undefined
  const people = population('US', zip.state, city.key)
  if (people === undefined) return undefined
  const codes = data.named('US', zip.state, city.key).filter((one) => one.zip !== null)
  return people / Math.max(1, codes.length)
}

/** `NC143`. A city is in the counties of its ZIP codes; without ZIP codes, and in Canada, in none. */
function countiesOf({ country, state, postal, city_key }: PlaceCount, data: PostalData): string[] {
  if (country !== 'US') return []
  const codes = postal === '' ? data.named('US', state, city_key).map(({ zip }) => zip) : [postal]
  return [...new Set(codes.flatMap((code) => countyOf(code, data)))]
}

/** Empty if the postal data lacks the code or its county. */
function countyOf(code: string | null, data: PostalData): string[] {
  const zip = code === null ? undefined : data.zip(code)
  return zip === undefined || zip.county === '' ? [] : [zip.state + zip.county]
}

function ownCounties(places: readonly Sized[], all_streets: number, data: PostalData): Set<string> {
  const found = new Map<string, { places: number; streets: number }>()
  for (const { counties, streets, share } of places) {
    const solid = (share === null || share >= COVERAGE.share_min) && streets >= COVERAGE.streets_min
    for (const county of counties) {
      const sum = found.get(county) ?? { places: 0, streets: 0 }
      found.set(county, { places: sum.places + (solid ? 1 : 0), streets: sum.streets + streets })
    }
  }
  const by_city = places.some(({ country, postal }) => country === 'US' && postal === '')
  const sizes = countySizes(new Set([...found.keys()].map((county) => county.slice(0, 2))), data, by_city)
  const own = [...found].filter(
    ([county, sum]) =>
      sum.streets >= COVERAGE.county_streets_share * all_streets ||
      sum.places >= COVERAGE.county_places ||
      sum.places >= COVERAGE.county_places_share * (sizes.get(county) ?? Number.POSITIVE_INFINITY),
  )
  return new Set(own.map(([county]) => county))
}

/** Number of ZIP codes, or of cities with a ZIP code, by county. */
function countySizes(states: ReadonlySet<string>, data: PostalData, by_city: boolean): Map<string, number> {
  const sizes = new Map<string, Set<string>>()
  for (const state of states)
    for (const { zip, key } of data.inState('US', state))
      for (const county of countyOf(zip, data)) {
        const places = sizes.get(county) ?? new Set()
        sizes.set(county, places.add(by_city ? key : (zip ?? '')))
      }
  return new Map([...sizes].map(([county, places]) => [county, places.size]))
}
