import { alternativeAddress, canonicalKey, type Alternative, type CanonicalAddress } from '../address.ts'
import { acceptedElements, differing, present, refusedElements } from '../match/elements.ts'
import { cityLabel } from '../normalize/city.ts'
import { parseHouseNumber } from '../normalize/number.ts'
import { parseStreet } from '../normalize/street.ts'
import type { SendHttp } from './http.ts'
import { RESPONSE_BYTES_MAX, REMOTE_TIMEOUT_MS, remoteValidator } from './remote.ts'
import { ALTERNATIVES_MAX, type Outcome, type Validator } from './validator.ts'

export const CENSUS_URL = 'https://geocoding.geo.census.gov/geocoder'
const BENCHMARK = 'Public_AR_Current'
/** The components of a street in the response, in order. */
const STREET_PARTS = [
  'preQualifier',
  'preDirection',
  'preType',
  'streetName',
  'suffixType',
  'suffixDirection',
  'suffixQualifier',
]

export interface CensusOptions {
  /** Defaults to the bureau's URL. */
  url?: string
  send: SendHttp
  now(): number
}

/** Validates with the US Census Bureau's geocoder, which needs no key and has number ranges. US addresses only. */
export function censusValidator({ url = CENSUS_URL, send: call, now }: CensusOptions): Validator {
  return remoteValidator({
    name: 'census',
    now,
    covers: ({ country }) => country === 'US',
    async request(address) {
      const response = await call({
        method: 'GET',
        url: requestUrl(url, address),
        headers: { accept: 'application/json' },
        timeout_ms: REMOTE_TIMEOUT_MS,
        max_bytes: RESPONSE_BYTES_MAX,
      })
      if (response.status !== 200) throw new Error(`HTTP status ${response.status}`)
      return outcomeOf(matches(JSON.parse(response.body), address), address)
    },
  })
}

function requestUrl(url: string, { number, street, city, state, zip }: CanonicalAddress): string {
  const query = new URLSearchParams({
    street: `${number.text} ${street.label}`,
    city,
    state,
    zip,
    benchmark: BENCHMARK,
    format: 'json',
  })
  return `${url.replace(/\/$/, '')}/locations/address?${query.toString()}`
}

/** The geocoder corrects silently, so matches are compared with the request. City and code are already known to be consistent. */
function outcomeOf(found: readonly Alternative[], address: CanonicalAddress): Outcome {
  const exact = found.find((one) => {
    const { number, street, state, zip } = alternativeAddress(one, address)
    return (
      number.key === address.number.key &&
      street.key === address.street.key &&
      state === address.state &&
      zip === address.zip
    )
  })
  if (exact)
    return {
      kind: 'ok',
      level: 'range',
      source: { name: 'census', vintage: BENCHMARK },
      elements: acceptedElements(address.street, 'range'),
      key: canonicalKey(address),
      community: '',
      esn: '',
      psap: '',
    }
  const [first] = found
  if (first) {
    const alternatives = found.slice(0, ALTERNATIVES_MAX)
    return { kind: 'correct', alternatives, elements: refusedElements(address.street, differing(address, first)) }
  }
  const elements = { valid: [], invalid: [], unchecked: present(address.street) }
  return {
    kind: 'not_geocodable',
    reason: 'The address is not in the street data of the US Census Bureau. Check the street and number.',
    elements,
  }
}

/** The distinct matches, with the house number as the geocoder understood it. Throws for an unexpected response. */
function matches(body: unknown, address: CanonicalAddress): Alternative[] {
  const list = member(member(body, 'result'), 'addressMatches')
  if (!Array.isArray(list)) throw new Error('the response has no matches')
  const found = new Map<string, Alternative>()
  for (const match of list) {
    const parts = member(match, 'addressComponents')
    const text = (name: string) => {
      const value = member(parts, name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const street = STREET_PARTS.map(text).filter(Boolean).join(' ')
    const [state, zip, city] = [text('state'), text('zip'), cityLabel(text('city'))]
    if (street === '' || state === '' || zip === '' || city === '') continue
    const street_name = parseStreet(street, { country: 'US', state }).label
    const street_number = numberOf(member(match, 'matchedAddress')) ?? address.number.text
    const alternative = { street_number, street_name, city, state, country: 'US', zip } as const
    found.set(`${street_number}|${street_name}|${city}|${state}|${zip}`, alternative)
  }
  return [...found.values()]
}

/** The geocoder may have dropped a letter, fraction, or prefix: `1320` of `1320 S DIXIE HWY, CORAL GABLES, FL, 33146`. */
function numberOf(matched: unknown): string | undefined {
  const text = typeof matched === 'string' ? /^\S+(?: \d+\/\d+)?(?= )/.exec(matched)?.[0] : undefined
  const number = parseHouseNumber(text, 'US')
  return typeof number === 'string' ? undefined : number.text
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
