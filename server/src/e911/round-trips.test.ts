import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { testDatabase, type TestDatabase } from '../../test/support/database.ts'
import { localValidator, type Validator } from '../engines/addresses/index.ts'
import { activeStreets } from '../engines/street-data/index.ts'
import { importText, openAddresses } from '../engines/street-data/testing/import.ts'
import { systemActor } from '../platform/actor.ts'
import { Problem } from '../platform/problem.ts'
import { validate } from './actions.ts'

let data: TestDatabase
before(async () => {
  data = await testDatabase()
  const lines = ['100 Bay St', '100 Bray St', '100 Church St', '102 Church St', '12 Mill Rd', '12 Mill Ln']
  await importText(
    data.pool,
    'openaddresses-csv',
    openAddresses(...lines.map((line) => `${line}|Hertford|NC|27944`), '100 Bay St|Winfall|NC|27985'),
    { authority: 'authoritative' },
  )
})

const local = (): Validator => localValidator({ streets: activeStreets(data.db), min_level: 'auto' })
const common = { label: 'Home', first_name: 'Ann', last_name: 'Lee', state: 'NC', country: 'US' } as const

/** The problem type or `valid`, and the number of messages to the database: each checks one connection out of the pool. */
async function validated(validator: Validator, address: string): Promise<[outcome: string, messages: number]> {
  const [street_number = '', street_name = '', city = '', zip = ''] = address.split('|')
  let messages = 0
  const count = () => messages++
  data.pool.on('acquire', count)
  try {
    const c = { tx: data.db, actor: systemActor('test', '1') }
    await validate(c, validator, { ...common, street_number, street_name, city, zip })
    return ['valid', messages]
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [error.type, messages]
  } finally {
    data.pool.off('acquire', count)
  }
}

const classes = [
  ['an exact address', '100|Bay Street|Hertford|27944', 'valid', 2, 2],
  ['one wrong letter', '100|Chorch St|Hertford|27944', 'address-correction', 4, 3],
  ['one wrong letter where two streets are alike', '100|Bxay St|Hertford|27944', 'address-correction', 4, 3],
  ['another type', '100|Church Ave|Hertford|27944', 'address-correction', 4, 3],
  ['a number that the street lacks', '104|Church St|Hertford|27944', 'address-correction', 5, 3],
  ['a wrong town', '12|Mill Rd|Winfall|27944', 'address-correction', 5, 4],
  ['no street like it', '100|Zebra Crossing|Hertford|27944', 'not-geocodable', 5, 3],
] as const

for (const [what, address, outcome, first, again] of classes)
  test(`${what} takes ${first} database messages the first time, then ${again}`, async () => {
    const validator = local()
    assert.deepEqual(await validated(validator, address), [outcome, first])
    assert.deepEqual(await validated(validator, address), [outcome, again])
  })
