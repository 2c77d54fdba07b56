import type { Body } from '../api.ts'
import type { GetNumbersSearch } from '../search.ts'
import { rateCenterOf } from './rate-center.ts'

/** Searching and selecting numbers for sale. */

export type AvailableNumber = Body<'listAvailableNumbers'>['data'][number]

/** The numbers selected on all pages, by value. */
export type Cart = ReadonlyMap<string, AvailableNumber['attributes']>

/** The API's filters for a search. */
export function filtersOf({ place, spells, run, type }: GetNumbersSearch) {
  const word = spells?.replace(/[^A-Za-z\d]/g, '') ?? ''
  const digits = spells?.replace(/[\s().+-]/g, '') ?? ''
  return {
    ...placeOf(place?.trim() ?? ''),
    ...(digits === '' ? {} : /^\d+$/.test(digits) ? { contains: digits } : { spells: word }),
    ...(run === undefined ? {} : { consecutive: Number(run) }),
    ...(type === undefined ? {} : { number_type: 'toll-free' as const }),
  }
}

/** `425` is leading digits, `98004` a ZIP Code, `WA` a state, `Bellevue` or `Bellevue, WA` a rate center. */
function placeOf(place: string): { starts_with?: string; near_zip?: string; state?: string; rate_center?: string } {
  const digits = place.replace(/[\s().+-]/g, '')
  if (/^\d{5}$/.test(place)) return { near_zip: place }
  if (/^\d+$/.test(digits)) return { starts_with: digits }
  return rateCenterOf(place)
}

/** The selection as it is after a change of the selected values on a page with these rows. */
export function selectedFrom(cart: Cart, values: ReadonlySet<string>, rows: readonly AvailableNumber[]): Cart {
  const known = new Map([
    ...cart,
    ...rows.map(({ attributes }): [string, AvailableNumber['attributes']] => [attributes.value, attributes]),
  ])
  return new Map([...known].filter(([value]) => values.has(value)))
}

/** Decimal places of the API's prices. */
const places = 4

/** What the numbers cost together, in exact decimals. */
export const costsOf = (cart: Cart) => ({
  monthly_cost: sumOf(cart, 'monthly_cost'),
  setup_cost: sumOf(cart, 'setup_cost'),
})

function sumOf(cart: Cart, name: 'monthly_cost' | 'setup_cost'): string {
  let sum = 0n
  for (const attributes of cart.values()) {
    const [integer = '0', fraction = ''] = attributes[name].split('.')
    sum += BigInt(integer + fraction.padEnd(places, '0').slice(0, places))
  }
  const text = sum.toString().padStart(places + 1, '0')
  return `${text.slice(0, -places)}.${text.slice(-places)}`
}
