import { canonicalAddress, type CanonicalAddress } from '../address.ts'
import { parseHouseNumber } from '../normalize/number.ts'
import type { Country } from '../normalize/types.ts'

/** For tests: an address from its parts; `where` is `City, ST CODE`. */
export function addressOf(number: string | number, street_name: string, where: string): CanonicalAddress {
  const parts = /^(.*), ([A-Z]{2}) (.*)$/.exec(where)
  const [, city = '', state = '', zip = ''] = parts ?? []
  const country: Country = /^\d/.test(zip) ? 'US' : 'CA'
  const read = parseHouseNumber(number, country)
  if (typeof read === 'string' || !parts) throw new Error(`${number} ${street_name}, ${where} is no address`)
  return canonicalAddress({ country, state, zip, city, street_name, number: read })
}
