import { e911, type e911Levels } from '@demarc/client'
import { createAddress, validate } from '../src/e911/index.ts'
import { localValidator } from '../src/engines/addresses/index.ts'
import { activeStreets } from '../src/engines/street-data/index.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { dentist } from './cast.ts'

/**
 * E911 addresses of the cast, which between them have every validation level: Friendship has house numbers, Westfield has
 * ranges and one road without numbers, and Seattle has no streets.
 */

export interface CastAddress {
  account: 'dentist' | 'reseller'
  /** When it was stored: business days before today, and a time of day in the carrier's time zone. */
  days_ago: number
  time: string
  level: (typeof e911Levels)[number]
  attributes: e911.E911Input
  /** Numbers of the account that use it, 11 digits. */
  numbers: readonly string[]
}

const friendship = { city: 'Friendship', state: 'WI', country: 'US', zip: '53934' } as const
const westfield = { city: 'Westfield', state: 'WI', country: 'US', zip: '53964' } as const

/** The address of the practice in Friendship whose numbers are ported. */
export const practice = 'Friendship practice'

export const castAddresses: readonly CastAddress[] = [
  {
    account: 'dentist',
    days_ago: 44,
    time: '10:12',
    level: 'postal',
    attributes: {
      label: 'Seattle practice',
      first_name: 'Elena',
      last_name: 'Núñez',
      street_number: '1201',
      street_name: 'Harbor Example Way',
      address_type: 'Suite',
      address_type_number: '200',
      city: 'Seattle',
      state: 'WA',
      country: 'US',
      zip: '98101',
    },
    numbers: dentist.numbers.slice(0, 3).map(({ value }) => value),
  },
  {
    account: 'dentist',
    days_ago: 33,
    time: '11:40',
    level: 'address',
    attributes: {
      label: practice,
      first_name: 'Elena',
      last_name: 'Núñez',
      street_number: '318',
      street_name: 'Center St',
      ...friendship,
    },
    numbers: [],
  },
  {
    account: 'dentist',
    days_ago: 13,
    time: '09:25',
    level: 'range',
    attributes: {
      label: 'Westfield office',
      first_name: 'Jonas',
      last_name: 'Lind',
      street_number: '142',
      street_name: 'Kettle Rd',
      ...westfield,
    },
    numbers: [],
  },
  {
    account: 'dentist',
    days_ago: 7,
    time: '17:05',
    level: 'street',
    attributes: {
      label: 'Billing, from home',
      first_name: 'Amara',
      last_name: 'Okafor',
      street_number: '9',
      street_name: 'Lost Lantern Ln',
      ...westfield,
    },
    numbers: [],
  },
  {
    account: 'reseller',
    days_ago: 38,
    time: '13:30',
    level: 'address',
    attributes: {
      label: 'Lumen Bakery',
      first_name: 'Ida',
      last_name: 'Holm',
      street_number: '224',
      street_name: 'Larch St',
      ...friendship,
    },
    numbers: [],
  },
  {
    account: 'reseller',
    days_ago: 21,
    time: '08:50',
    level: 'address',
    attributes: {
      label: 'Atlas Freight depot',
      first_name: 'Samuel',
      last_name: 'Reyes',
      street_number: '2301',
      street_name: 'County Rd J',
      ...friendship,
      city: 'Roche Township',
    },
    numbers: [],
  },
]

/** Validated by the loaded data alone, because a demo-mode start must not depend on another service. */
export async function createValidAddress(c: WriteContext, attributes: e911.E911Input): Promise<{ id: string }> {
  const validator = localValidator({ streets: activeStreets(c.db), min_level: 'auto' })
  return await createAddress(c, await validate(c, validator, e911.e911Fields.parse(attributes)))
}
