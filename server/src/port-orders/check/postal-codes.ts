import { portOrders } from '@demarc/client'
import * as addresses from '../../engines/addresses/index.ts'

/**
 * The state or province of a ZIP or postal code, by its prefix. This detects a mismatch of the two, not whether the address
 * exists. Source: the three-digit ZIP prefixes of the US Postal Service. Canadian prefixes come from the address engine.
 */

/** First three digits of ZIP codes; ranges include both ends. AE, AA and AP are military mail. */
const zipPrefixes: Readonly<Record<string, string>> = {
  AA: '340',
  AE: '090-098',
  AK: '995-999',
  AL: '350-352 354-369',
  AP: '962-966',
  AR: '716-729',
  AS: '967',
  AZ: '850-853 855-857 859-860 863-865',
  CA: '900-908 910-928 930-961',
  CO: '800-816',
  CT: '060-069',
  DC: '200 202-205 569',
  DE: '197-199',
  FL: '320-339 341-342 344 346-347 349',
  GA: '300-319 398-399',
  GU: '969',
  HI: '967-968',
  IA: '500-516 520-528',
  ID: '832-838',
  IL: '600-620 622-629',
  IN: '460-479',
  KS: '660-662 664-679',
  KY: '400-418 420-427',
  LA: '700-701 703-708 710-714',
  MA: '010-027 055',
  MD: '206-212 214-219',
  ME: '039-049',
  MI: '480-499',
  MN: '550-551 553-567',
  MO: '630-631 633-641 644-658',
  MP: '969',
  MS: '386-397',
  MT: '590-599',
  NC: '270-289',
  ND: '580-588',
  NE: '680-681 683-693',
  NH: '030-038',
  NJ: '070-089',
  NM: '870-871 873-875 877-884',
  NV: '889-891 893-895 897-898',
  NY: '005 100-149',
  OH: '430-459',
  OK: '730-731 734-741 743-749',
  OR: '970-979',
  PA: '150-191 193-196',
  PR: '006-007 009',
  RI: '028-029',
  SC: '290-299',
  SD: '570-577',
  TN: '370-385',
  TX: '733 750-770 772-799 885',
  UT: '840-847',
  VA: '201 220-246',
  VI: '008',
  VT: '050-054 056-059',
  WA: '980-986 988-994',
  WI: '530-532 534-535 537-549',
  WV: '247-268',
  WY: '820-831',
}

export type Country = 'US' | 'CA'

/** ZIP codes that are also used in a state other than the one of their prefix. */
const acrossBorders: Readonly<Record<string, readonly string[]>> = {
  '06390': ['NY'],
  42223: ['TN'],
  97635: ['CA'],
  73949: ['TX'],
}

/** The country of a two-letter state, province or territory; null when there is none. */
export function countryOfState(state: string): Country | null {
  return Object.hasOwn(zipPrefixes, state) ? 'US' : (addresses.countryOfState(state) ?? null)
}

/** Normalizes a code in any spacing and case to `12345`, `12345-6789` or `A1A 1A1`; null when it is not a code of the country. */
export function normalizeCode(text: string, country: Country): string | null {
  const bare = text.toUpperCase().replace(/[\s-]+/g, '')
  if (country === 'CA') return addresses.postalCode(bare, 'CA') ?? null
  const [, five, four] = /^(\d{5})(\d{4})?$/.exec(bare) ?? []
  return five === undefined ? null : four === undefined ? five : `${five}-${four}`
}

/** The country whose codes an address uses: the country of its state, or else its `country`; null when both are unknown. */
export const codeCountry = (state: string, country: string): Country | null =>
  countryOfState(state) ?? (country === 'US' || country === 'CA' ? country : null)

/** The format error of a code; null when it is valid or the country is unknown. */
export function codeFormError(text: string, country: Country | null): string | null {
  return country === null || normalizeCode(text, country) !== null ? null : portOrders.formatErrors.zip[country]
}

/** The states or provinces of a normalized code; empty when its prefix is not in use. */
export function statesOfCode(code: string, country: Country): string[] {
  if (country === 'CA') return [...addresses.provincesOfCode(code)]
  const prefix = Number(code.slice(0, 3))
  const within = Object.keys(zipPrefixes).filter((state) =>
    ranges(zipPrefixes[state] ?? '').some(([from, to]) => prefix >= from && prefix <= to),
  )
  return [...within, ...(acrossBorders[code.slice(0, 5)] ?? [])]
}

const ranges = (text: string) =>
  text.split(' ').map((range): [number, number] => {
    const [from = '', to = from] = range.split('-')
    return [Number(from), Number(to)]
  })
