/** Enumerations and limits of emergency addresses, without zod. */

/** Validation levels: `postal` city and code agree, `street` the street exists there, `range` the number is within a known range, `address` the number itself is known. */
export const e911Levels = ['postal', 'street', 'range', 'address'] as const

/** The response header of a validation with the level that was reached. */
export const e911LevelHeader = 'Demarc-Validation-Level'

/** What each level says about an address. */
export const e911LevelMeanings: Readonly<Record<(typeof e911Levels)[number], string>> = {
  postal: 'City and postal code match. The street was not checked.',
  street: 'The street exists in this city. The house number was not checked.',
  range: 'The house number is within a known range on this street.',
  address: 'The house number itself is on record.',
}

/** Maximum lengths in characters, which fit the records of emergency networks (NENA ALI). */
export const e911Lengths = {
  label: 64,
  first_name: 64,
  last_name: 64,
  street_name: 60,
  address_type_number: 16,
  city: 32,
} as const

/** Unit types, with the names of the contract. */
export const e911AddressTypes = [
  'Apartment',
  'Basement',
  'Building',
  'Department',
  'Floor',
  'Front',
  'Key',
  'Lobby',
  'Lot',
  'Lower',
  'Office',
  'Penthouse',
  'Pier',
  'Rear',
  'Room',
  'Side',
  'Slip',
  'Space',
  'Stop',
  'Suite',
  'Trailer',
  'Unit',
  'Upper',
] as const
/** A unit type. */
export type E911AddressType = (typeof e911AddressTypes)[number]
