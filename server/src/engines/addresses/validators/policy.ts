import { LEVELS, type Level } from '../match/accept.ts'
import { refusedElements } from '../match/elements.ts'
import type { Street } from '../normalise/street.ts'
import type { NotGeocodable } from './validator.ts'

/** How deep an address must be checked. `auto`: as far as the loaded data reaches. Any other level is required everywhere. */
export const MIN_LEVELS = ['auto', 'street', 'range', 'address'] as const
export type MinLevel = (typeof MIN_LEVELS)[number]

export function suffices(level: Level, min_level: MinLevel): boolean {
  return min_level === 'auto' || LEVELS.indexOf(level) >= LEVELS.indexOf(min_level)
}

/** The refusal of an address that was found right, but not checked as deep as the operator requires. */
export function tooShallow(street: Street, level: Level, min_level: MinLevel): NotGeocodable {
  return {
    kind: 'not_geocodable',
    why: `The address could be checked only to the level "${level}"; "${min_level}" is required here. Tell your carrier that street data of this place is missing.`,
    elements: refusedElements(street, [level === 'postal' ? 'RD' : 'HNO']),
  }
}
