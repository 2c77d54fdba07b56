import { LEVELS, type Coverage, type Level } from '../match/accept.ts'
import { refusedElements } from '../match/elements.ts'
import type { Street } from '../normalize/street.ts'
import type { NotGeocodable } from './validator.ts'

/**
 * The required validation level. `auto` follows the loaded data: `address` in a place with single numbers. Any other level is
 * required everywhere; `postal` accepts whatever the data does not exclude.
 */
export const MIN_LEVELS = ['auto', 'postal', 'street', 'range', 'address'] as const
export type MinLevel = (typeof MIN_LEVELS)[number]

/** `cover` is undefined if no loaded data applies. */
export function meetsMinLevel(level: Level, min_level: MinLevel, cover?: Coverage): boolean {
  if (min_level === 'auto') return cover?.by_number !== true || level === 'address'
  return LEVELS.indexOf(level) >= LEVELS.indexOf(min_level)
}

/** The refusal of an address that could not be validated to the level that the operator requires. */
export function belowMinLevel(street: Street, level: Level, min_level: MinLevel): NotGeocodable {
  return {
    kind: 'not_geocodable',
    reason: `The address could only be validated to level "${level}", but "${min_level}" is required. Tell your carrier that street data is missing for this place.`,
    elements: refusedElements(street, [level === 'postal' ? 'RD' : 'HNO']),
  }
}
