import type { Locality } from '../address.ts'
import { edits } from '../match/edits.ts'
import type { AreaFact } from '../match/rows.ts'
import { cityKey, cityLabel } from '../normalize/city.ts'
import { provincesOfCode } from '../states.ts'
import { isBeyondBorder } from './contradictions.ts'
import { population, type GazetteerEntry, type PostalData, type Zip } from './data.ts'
import { kilometers, nearestKilometers } from './distance.ts'

/** A city without its own ZIP code may use one whose center is this near. */
const US_REACH_KM = 25
const CANADA_REACH_KM = 40
/** Rural areas (second character 0) are very large. */
const CANADA_RURAL_REACH_KM = 400
/** A city without its own code may use any within a few kilometers, or one this many times as far as the nearest. */
const NEAREST_TIMES = 2
const ANY_WITHIN_KM = 8
/** Inhabitants of the largest ZIP codes, rounded down. */
const PEOPLE_PER_CODE_MAX = 80_000
/** Cities offered for a code and codes offered for a city. */
const OPTIONS_PER_KIND = 3
const ALIKE = 0.75

/** A city of the given code comes before another code. */
const COST = { city: 0.05, other_city: 0.07, state: 0.03, zip: 0.08, other_zip: 0.09 } as const

/** Whether city, state, and code are consistent according to the postal data and the loaded datasets. */
export function areConsistent(place: Locality, facts: readonly AreaFact[], data: PostalData): boolean {
  if (isBoxesOnly(place, facts, data)) return false
  const zip = place.country === 'US' ? data.zip(place.zip) : undefined
  // a mistyped state in a dataset doesn't move a ZIP code
  if (zip && isBeyondBorder(zip, place.state, data)) return false
  const named = facts.some(
    (fact) =>
      fact.postal === place.zip && fact.city_key === place.city_key && fact.state === place.state && !fact.city_derived,
  )
  if (place.country === 'CA' && !provincesOfCode(place.zip).includes(place.state)) return false
  return named || (place.country === 'US' ? inUnitedStates(place, facts, data) : inCanada(place, facts, data))
}

function inUnitedStates(place: Locality, facts: readonly AreaFact[], data: PostalData): boolean {
  const zip = data.zip(place.zip)
  if (!zip || zip.state !== place.state) return false
  if (isPostalCity(place, data)) return true
  const places = data.named('US', place.state, place.city_key)
  if (places.length === 0) return isCommunity(place, facts)
  const own = places.filter((one) => one.zip !== null && data.zip(one.zip)?.has_area === true)
  if (own.length > 0) return isAmongItsCodes(zip, places, own)
  return places.some((one) => {
    const km = kilometers(one, zip)
    return km <= ANY_WITHIN_KM || isAmongNearest(one, zip, km, data)
  })
}

/**
 * The postal data has one city for each code, but a code may have several: 33024 is Hollywood and Pembroke Pines. A city with
 * more inhabitants than its own codes can have also uses others, those nearer to its center than its own.
 */
function isAmongItsCodes(zip: Zip, places: readonly GazetteerEntry[], own: readonly GazetteerEntry[]): boolean {
  const [{ key } = { key: '' }] = places
  if ((population('US', zip.state, key) ?? 0) < PEOPLE_PER_CODE_MAX * own.length) return false
  return places.some((center) => {
    const km = kilometers(center, zip)
    return center.zip === null && km <= ANY_WITHIN_KM && km <= nearestKilometers(center, own)
  })
}

/** A city may use the nearest code at any distance, and another one only within reach. */
function isAmongNearest(one: GazetteerEntry, { code, state }: Zip, km: number, data: PostalData): boolean {
  let nearest = Number.POSITIVE_INFINITY
  for (const other of data.inState('US', state))
    if (other.zip !== null && other.zip !== code) nearest = Math.min(nearest, kilometers(one, other))
  return km <= nearest || (km <= US_REACH_KM && km <= NEAREST_TIMES * nearest)
}

/**
 * Whether no house has the code: the Census Bureau has no area for it, so it is for post office boxes or a single recipient,
 * and no street data has it.
 */
export function isBoxesOnly({ country, zip }: Locality, facts: readonly AreaFact[], data: PostalData): boolean {
  return (
    country === 'US' &&
    data.zip(zip)?.has_area === false &&
    !facts.some(({ postal, streets }) => postal === zip && streets > 0)
  )
}

/** Whether the city is that of the code's post office. */
export function isPostalCity({ country, zip, city_key }: Locality, data: PostalData): boolean {
  return country === 'US' && data.zip(zip)?.cities.some(({ key }) => key === city_key) === true
}

/** The cities that the postal data has for the codes of the places, as aliases. */
export function postalNames(places: readonly Locality[], data: PostalData): AreaFact[] {
  const codes = new Set(places.flatMap(({ country, zip }) => (country === 'US' ? [zip] : [])))
  const name = { authority: 'indicative', kind: 'range', city_derived: false, streets: 0, complete: false } as const
  return [...codes].flatMap((postal) => {
    const zip = data.zip(postal)
    return zip
      ? zip.cities.map((city) => ({ ...name, state: zip.state, postal, city: city.name, city_key: city.key }))
      : []
  })
}

function inCanada(place: Locality, facts: readonly AreaFact[], data: PostalData): boolean {
  const places = data.named('CA', place.state, place.city_key)
  if (places.length === 0) return isCommunity(place, facts)
  return places.some((one) => reaches(one, place, data))
}

/** Whether the city is from a dataset without codes; then any code of the state is accepted. */
function isCommunity(place: Locality, facts: readonly AreaFact[]): boolean {
  return facts.some(
    (fact) => fact.postal === '' && fact.city_key === place.city_key && fact.state === place.state && fact.streets > 0,
  )
}

function reaches(one: GazetteerEntry, { country, zip }: Locality, data: PostalData): boolean {
  const center = country === 'US' ? data.zip(zip) : data.canadianArea(zip)
  // areas newer than the data are accepted
  if (!center) return country === 'CA'
  const reach = country === 'US' ? US_REACH_KM : zip[1] === '0' ? CANADA_RURAL_REACH_KM : CANADA_REACH_KM
  return kilometers(one, center) <= reach
}

export interface PlaceOption extends Locality {
  /** Score difference to the given locality; 0 for the given one itself. */
  cost: number
}

/** More options from the datasets, fetched only for an inconsistent locality. */
export interface PlaceHints {
  /** Codes that datasets have for the given city. */
  codes: readonly string[]
  /** Cities of datasets without codes in the given state. */
  communities: readonly { city: string; city_key: string }[]
}

/** Corrections of an inconsistent locality, most likely first. Each is consistent. */
export function likelyPlaces(
  place: Locality,
  facts: readonly AreaFact[],
  hints: PlaceHints,
  data: PostalData,
): PlaceOption[] {
  const options = [
    ...otherCities(place, facts, hints, data),
    ...otherStates(place, data),
    ...otherCodes(place, hints, data),
  ].filter((option) => !isBoxesOnly(option, facts, data))
  const known = new Set<string>()
  return options
    .toSorted((a, b) => a.cost - b.cost)
    .filter((option) => {
      const id = `${option.state}|${option.zip}|${option.city_key}`
      return !known.has(id) && known.add(id)
    })
}

function otherCities(place: Locality, facts: readonly AreaFact[], hints: PlaceHints, data: PostalData): PlaceOption[] {
  const { country, state, zip, city_key } = place
  const ofCode = facts.filter((fact) => fact.postal === zip && fact.state === state && fact.city !== '')
  const known = data.zip(zip)
  const named = [
    ...(country === 'US' && known?.state === state
      ? known.cities.map(({ name, key }) => ({ city: name, city_key: key }))
      : []),
    ...ofCode,
  ]
  const mine = letters(place.city)
  // errors in a word that the key abbreviates (VALLEY) are found only by comparing the full word
  const alike = (other: { city: string; city_key: string }) =>
    similar(city_key, other.city_key) || similar(mine, letters(other.city))
  // an existing city is rarely a misspelling of another
  const known_city = data.named(country, state, city_key).length > 0
  const around = (known_city ? [] : data.inState(country, state)).filter(
    (one) => reaches(one, place, data) && alike({ city: one.name, city_key: one.key }),
  )
  const near = [
    ...around.map(({ name, key }) => ({ city: name, city_key: key })),
    ...hints.communities.filter((one) => alike(one)),
  ]
  return [...named, ...near]
    .map((one) => ({
      ...place,
      city: cityLabel(one.city),
      city_key: one.city_key,
      cost: alike(one) ? COST.city - (1 - likeness(city_key, one.city_key)) / 100 : COST.other_city,
    }))
    .filter((option) => areConsistent(option, [...facts, ...asFacts(hints, place)], data))
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, OPTIONS_PER_KIND)
}

/** Code and city are consistent with each other, but not with the state. */
function otherStates(place: Locality, data: PostalData): PlaceOption[] {
  if (place.country === 'CA')
    return provincesOfCode(place.zip)
      .map((state) => ({ ...place, state, cost: COST.state }))
      .filter((option) => option.state !== place.state && areConsistent(option, [], data))
  const zip = data.zip(place.zip)
  if (!zip || zip.state === place.state) return []
  return zip.cities
    .filter(({ key }) => key === place.city_key || similar(key, place.city_key))
    .map(({ name, key }) => ({
      ...place,
      state: zip.state,
      city: cityLabel(name),
      city_key: key,
      cost: COST.state + (key === place.city_key ? 0 : COST.city),
    }))
}

/** The city exists, and the code is similar to one of its codes. */
function otherCodes(place: Locality, hints: PlaceHints, data: PostalData): PlaceOption[] {
  const own = data.named(place.country, place.state, place.city_key).flatMap(({ zip }) => (zip === null ? [] : [zip]))
  const codes = [...new Set([...own.filter((code) => data.zip(code)?.has_area !== false), ...hints.codes])]
  const near = codes.filter((code) => edits(code, place.zip, 1) === 1)
  const offered = near.length > 0 ? near.slice(0, OPTIONS_PER_KIND) : codes.length <= OPTIONS_PER_KIND ? codes : []
  const cost = near.length > 0 ? COST.zip : COST.other_zip
  return offered.map((zip) => ({ ...place, zip, cost }))
}

/**
 * The cities that are nearer to the code than the given one, nearest first. In Canada, a code alone doesn't identify its city.
 */
export function nearerTowns(
  place: Locality,
  cities: readonly { city: string; city_key: string }[],
  data: PostalData,
): PlaceOption[] {
  const { country, state, zip, city_key } = place
  const center = country === 'US' ? data.zip(zip) : data.canadianArea(zip)
  if (!center || cities.length === 0) return []
  const distance = (key: string) => Math.min(...data.named(country, state, key).map((one) => kilometers(one, center)))
  const limit_km = distance(city_key)
  return cities
    .map((one) => ({ one, km: one.city_key === city_key ? Number.POSITIVE_INFINITY : distance(one.city_key) }))
    .filter(({ km }) => km < limit_km)
    .toSorted((a, b) => a.km - b.km)
    .slice(0, OPTIONS_PER_KIND)
    .map(({ one }) => ({ ...place, city: cityLabel(one.city), city_key: one.city_key, cost: COST.other_city }))
    .filter((option) => areConsistent(option, asFacts({ codes: [], communities: cities }, place), data))
}

function asFacts(hints: PlaceHints, { state }: Locality): AreaFact[] {
  const fact = {
    authority: 'indicative',
    kind: 'range',
    state,
    postal: '',
    city_derived: false,
    streets: 1,
    complete: true,
  } as const
  return hints.communities.map(({ city, city_key }) => ({ ...fact, city, city_key }))
}

/** Whether one city name may be a misspelling of the other. */
export function similar(a: string, b: string): boolean {
  return a === b || edits(a, b, 1) <= 1 || likeness(a, b) >= ALIKE
}

function letters(city: string): string {
  return cityLabel(city).replace(/[^A-Z0-9]+/g, '')
}

function likeness(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  const limit = Math.floor(longer * (1 - ALIKE))
  const d = edits(a, b, Math.max(1, limit))
  return 1 - d / longer
}

/** The first city of a ZIP code, if the postal data has the code. */
export function cityOfZip(
  code: string,
  data: PostalData,
): { city: string; city_key: string; state: string; county: string } | undefined {
  const zip = data.zip(code)
  const city = zip?.cities[0]
  return zip && city
    ? { city: city.name, city_key: cityKey(city.name), state: zip.state, county: zip.county }
    : undefined
}
