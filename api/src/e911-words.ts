/** Words and limits of emergency addresses, without their shapes. */

/** How deep an address was checked: `postal` city and code agree, `street` it exists there, `range` the number lies in its range, `address` the number itself is known. */
export const e911Levels = ['postal', 'street', 'range', 'address'] as const

/** Longest texts, characters: what the records of emergency networks (NENA ALI) have room for. */
export const e911Lengths = {
  label: 64,
  first_name: 64,
  last_name: 64,
  street_name: 60,
  address_type_number: 16,
  city: 32,
} as const

/** What can stand beside a house number, as the contract names it. */
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
/** One of them. */
export type E911AddressType = (typeof e911AddressTypes)[number]
