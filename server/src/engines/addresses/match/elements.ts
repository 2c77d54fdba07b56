import type { Alternative, CanonicalAddress } from '../address.ts'
import { cityKey } from '../normalize/city.ts'
import { parseStreet, type Street } from '../normalize/street.ts'
import { ELEMENTS, type Element, type ElementVerdicts } from '../validators/validator.ts'
import type { Level } from './accept.ts'

/** The elements of an address; directions and type only if it has them. */
export function present(street: Street): Element[] {
  const absent = new Set<Element>()
  if (street.pre === '') absent.add('PRD')
  if (street.type === '') absent.add('STS')
  if (street.post === '') absent.add('POD')
  return ELEMENTS.filter((element) => !absent.has(element))
}

/** Verdicts for an accepted address. Level `postal` leaves the street unchecked; `street` and `range` leave the number unchecked. */
export function acceptedElements(street: Street, level: Level): ElementVerdicts {
  const place = new Set<Element>(['country', 'A1', 'PC', 'A3'])
  const valid = present(street).filter(
    (element) => place.has(element) || (level !== 'postal' && (element !== 'HNO' || level === 'address')),
  )
  return { valid, invalid: [], unchecked: present(street).filter((element) => !valid.includes(element)) }
}

/** Elements before the first invalid one are valid, elements after it are unchecked. */
export function refusedElements(street: Street, invalid: readonly Element[]): ElementVerdicts {
  const all = ELEMENTS.filter((element) => invalid.includes(element) || present(street).includes(element))
  const first = all.findIndex((element) => invalid.includes(element))
  const end = first < 0 ? 0 : first
  return {
    valid: all.slice(0, end),
    invalid: all.filter((element) => invalid.includes(element)),
    unchecked: all.slice(end).filter((element) => !invalid.includes(element)),
  }
}

/** The elements in which an address differs from its most likely correction. */
export function differing(address: CanonicalAddress, alternative: Alternative): Element[] {
  const theirs = parseStreet(alternative.street_name, alternative)
  const mine = address.street
  const pairs: [Element, string, string][] = [
    ['A1', address.state, alternative.state],
    ['PC', address.zip, alternative.zip],
    ['A3', address.city_key, cityKey(alternative.city)],
    ['PRD', mine.pre, theirs.pre],
    ['RD', mine.base, theirs.base],
    ['STS', mine.type, theirs.type],
    ['POD', mine.post, theirs.post],
    ['HNO', address.number.text, alternative.street_number],
  ]
  return pairs.flatMap(([element, a, b]) => (a === b ? [] : [element]))
}
