import type { Country } from '../normalize/types.ts'
import { postalCode, provincesOfCode } from '../states.ts'
import type { PostalData, Zip } from './data.ts'
import { nearestKilometers } from './distance.ts'

/** What the postal data contradicts in a row of street data. */
export type Contradiction =
  | 'state contradicts the postal code'
  | 'city is far from the postal code'
  | 'city is a postal code'

/** ZIP codes of a state's border towns are this near to those of the other state; some serve both sides. */
const BORDER_KM = 50
/** Centers of a ZIP code and of a city that uses it are never this far apart. */
const FAR_KM = 150

/** Compares the columns of a place with each other. `zip` and `city` are as written in the file. */
export function contradictionIn(
  {
    country,
    state,
    zip,
    city,
    city_key,
  }: { country: Country; state: string; zip: string; city: string; city_key: string },
  data: PostalData,
): Contradiction | undefined {
  if (isPostalCode(city)) return 'city is a postal code'
  const code = postalCode(zip, country)
  if (code === undefined)
    return postalCode(zip, country === 'US' ? 'CA' : 'US') === undefined
      ? undefined
      : 'state contradicts the postal code'
  if (country === 'CA') return provincesOfCode(code).includes(state) ? undefined : 'state contradicts the postal code'
  const known = data.zip(code)
  if (!known) return undefined
  if (isBeyondBorder(known, state, data)) return 'state contradicts the postal code'
  const places = data.named('US', state, city_key)
  return places.length > 0 && nearestKilometers(known, places) > FAR_KM ? 'city is far from the postal code' : undefined
}

const isPostalCode = (text: string) =>
  postalCode(text, 'US') !== undefined || postalCode(text, 'CA') !== undefined || /^\d{4,5}(?:\.0+)?$/.test(text.trim())

/** Whether the ZIP code is in another state, and not near the border. */
export function isBeyondBorder(zip: Zip, state: string, data: PostalData): boolean {
  if (zip.state === state) return false
  return nearestKilometers(zip, data.inState('US', state)) > BORDER_KM
}
