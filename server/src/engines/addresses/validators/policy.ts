import { LEVELS, type Coverage, type Level } from '../match/accept.ts'
import { refusedElements } from '../match/elements.ts'
import type { Street } from '../normalize/street.ts'
import type { NotGeocodable } from './validator.ts'

/**
 * The level to which an address must be validated. `auto`: that of the loaded data, which in a place of single numbers is
 * `address`. Any other level is required everywhere; `postal` accepts whatever the data does not exclude.
 */
export const MIN_LEVELS = ['auto', 'postal', 'street', 'range', 'address'] as const
export type MinLevel = (typeof MIN_LEVELS)[number]

/** `cover` is undefined where no loaded data decides. */
export function meetsMinLevel(level: Level, min_level: MinLevel, cover?: Coverage): boolean {
  if (min_level === 'auto') return cover?.by_number !== true || level === 'address'
  return LEVELS.indexOf(level) >= LEVELS.indexOf(min_level)
}

/** The refusal of an address that is right, but was validated to a lower level than the operator requires. */
export function belowMinLevel(street: Street, level: Level, min_level: MinLevel): NotGeocodable {
  return {
    kind: 'not_geocodable',
    reason: `The address could be checked only to the level "${level}"; "${min_level}" is required here. Tell your carrier that street data of this place is missing.`,
    elements: refusedElements(street, [level === 'postal' ? 'RD' : 'HNO']),
  }
}
