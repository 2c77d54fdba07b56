import type { E911AddressType } from '@demarc/client'
import { highwayWords } from './highway.ts'
import { words } from './text.ts'
import { englishDirection } from './words-in-names.ts'

/** The 23 address types of the API with their USPS abbreviations (Publication 28, appendix C2). */
export const ADDRESS_TYPES = {
  Apartment: 'APT',
  Basement: 'BSMT',
  Building: 'BLDG',
  Department: 'DEPT',
  Floor: 'FL',
  Front: 'FRNT',
  Key: 'KEY',
  Lobby: 'LBBY',
  Lot: 'LOT',
  Lower: 'LOWR',
  Office: 'OFC',
  Penthouse: 'PH',
  Pier: 'PIER',
  Rear: 'REAR',
  Room: 'RM',
  Side: 'SIDE',
  Slip: 'SLIP',
  Space: 'SPC',
  Stop: 'STOP',
  Suite: 'STE',
  Trailer: 'TRLR',
  Unit: 'UNIT',
  Upper: 'UPPR',
} as const satisfies Record<E911AddressType, string>

export type AddressType = keyof typeof ADDRESS_TYPES

export interface HiddenUnit {
  /** The street without it. */
  street: string
  type: AddressType
  id: string
}

/** Words that are never part of a street name, so no type is needed before them. */
const PLAIN_UNITS: Record<string, AddressType> = {
  APT: 'Apartment',
  APARTMENT: 'Apartment',
  APP: 'Apartment',
  APPT: 'Apartment',
  APPARTEMENT: 'Apartment',
  UNIT: 'Unit',
  UNITE: 'Unit',
  STE: 'Suite',
  SUITE: 'Suite',
  RM: 'Room',
  ROOM: 'Room',
  BLDG: 'Building',
  BUREAU: 'Office',
  UPSTAIRS: 'Upper',
  DOWNSTAIRS: 'Lower',
  '#': 'Unit',
}
const OTHER_UNITS = new Map<string, AddressType>(
  addressTypes().flatMap((name) => [
    [name.toUpperCase(), name],
    [ADDRESS_TYPES[name], name],
  ]),
)
/** USPS allows these without an identifier: `12 MAIN ST REAR`. */
const ALONE = new Set(
  'BSMT BASEMENT FRNT FRONT LBBY LOBBY LOWR LOWER OFC OFFICE PH PENTHOUSE REAR SIDE UPPR UPPER UPSTAIRS DOWNSTAIRS'.split(
    ' ',
  ),
)
/** Without an identifier, a forgotten one: `12 DORE ST APT`. In French, BUREAU and UNITE also end names. */
const INCOMPLETE = new Set('APT APARTMENT APP APPT UNIT STE SUITE RM ROOM BLDG'.split(' '))
const IDENTIFIER = /^(?=.*\d)[A-Z0-9/]{1,8}$|^[A-Z]$/
/** APT4; RM620 is a ranch road. */
const GLUED = /^(APT|UNIT|STE|SUITE|BLDG)(\d{1,5}[A-Z]?)$/
/** Rarely a word of a name; a unit after a complete street: MAIN ST 4B. */
const BARE = /^\d{1,4}[A-Z]$/
const NUMBER_WORD = new Set(['NO', 'NUM', 'NUMBER', 'NR'])
/** Words of roads that precede their number: COUNTY RD NO 5, FOREST SERVICE RD 383B. */
const ROAD_WORDS = new Set(
  `${highwayWords()
    .filter((word) => word !== 'TO' && word !== 'MARKET')
    .join(
      ' ',
    )} FOREST SERVICE SVC NATIONAL NATL FS BIA INDIAN PUBLIC DISTRICT FARM RURAL LOGGING LEASE UNNAMED LATERAL DRAIN DITCH CAMP ROAD RD TRAIL TRL SPUR LOOP AVENUE AVE STREET ST CONCESSION`.split(
    ' ',
  ),
)
const FLOOR = /^(?:\d+(?:ST|ND|RD|TH)|GROUND|MAIN)$/

/** N RM 620 is the northern part of a ranch road to market, not a room. */
const NO_STREET_YET = /^(?:OLD|[NSEW]|NORTH|SOUTH|EAST|WEST)(?: OLD)?$/

/** Whether a text ends with a type or direction: a word that is hardly ever part of a name, one that may be, or neither. */
export type StreetEnd = 'surely' | 'perhaps' | 'no'

/**
 * Finds a unit at the end of a street's text: `Main St Apt 4`, `Broadway #12`, `Elm St Rear`, `Elm St 2nd Fl`.
 * Words that may be part of a name count only if the street before them is complete according to `ends`.
 */
export function hiddenUnit(text: string, ends: (street: string) => StreetEnd): HiddenUnit | undefined {
  const found = words(text)
  for (let i = 1; i < found.length; i++) {
    const unit = unitAt(found, i, ends)
    if (unit) return unit
  }
  return undefined
}

function unitAt(found: readonly string[], i: number, ends: (street: string) => StreetEnd): HiddenUnit | undefined {
  const word = found[i] ?? ''
  const rest = found.slice(i + 1).filter((other) => other !== '#')
  const street = found.slice(0, i).join(' ')
  if (NO_STREET_YET.test(street)) return undefined
  const unnamed = withoutType(found, i, rest, street, ends)
  if (unnamed) return unnamed
  const plain = PLAIN_UNITS[word]
  const type = plain ?? OTHER_UNITS.get(word)
  if (type === undefined) return undefined
  const identified = rest.length > 0 && rest.length <= 2 && rest.every((other) => IDENTIFIER.test(other))
  if (identified && (plain !== undefined || ends(street) !== 'no')) return { street, type, id: rest.join(' ') }
  if (rest.length > 0) return undefined
  if (ALONE.has(word) && (plain !== undefined || ends(street) === 'surely')) return { street, type, id: '' }
  if (INCOMPLETE.has(word) && ends(street) !== 'no') return { street, type, id: '' }
  const floor = type === 'Floor' ? (found[i - 1] ?? '') : ''
  const before = found.slice(0, i - 1).join(' ')
  // a name may end in FL, but not in FLOOR after an ordinal
  if (FLOOR.test(floor) && before !== '' && (word === 'FLOOR' || ends(before) !== 'no'))
    return { street: before, type, id: floor }
  return undefined
}

/** A unit without a separate type word: APT4, NO 5, 4B. */
function withoutType(
  found: readonly string[],
  i: number,
  rest: readonly string[],
  street: string,
  ends: (street: string) => StreetEnd,
): HiddenUnit | undefined {
  const word = found[i] ?? ''
  const [, glued = '', id = ''] = GLUED.exec(word) ?? []
  const type = PLAIN_UNITS[glued]
  if (type !== undefined && rest.length === 0) return { street, type, id }
  const numbered = NUMBER_WORD.has(word) && rest.length === 1 && IDENTIFIER.test(rest[0] ?? '')
  const bare = BARE.test(word) && rest.length === 0
  if ((!numbered && !bare) || isRoadOnly(found.slice(0, i)) || ends(street) === 'no') return undefined
  return { street, type: 'Unit', id: rest[0] ?? word }
}

function isRoadOnly([first = '', ...others]: readonly string[]): boolean {
  return (
    others.every((word) => ROAD_WORDS.has(word)) && (ROAD_WORDS.has(first) || englishDirection(first) !== undefined)
  )
}

function addressTypes(): AddressType[] {
  return Object.keys(ADDRESS_TYPES).filter((name): name is AddressType => name in ADDRESS_TYPES)
}
