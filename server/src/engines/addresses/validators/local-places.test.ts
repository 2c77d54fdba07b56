import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { activeStreets } from '../../street-data/lookup-store.ts'
import { importText, openAddresses } from '../../street-data/testing/import.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { alternativeAddress } from '../address.ts'
import { addressOf } from '../testing/address.ts'
import { localValidator } from './local.ts'
import { alternatives, level } from './testing/outcomes.ts'
import type { Validator } from './validator.ts'

async function validatorOf(t: TestContext, ...rows: string[]): Promise<Validator> {
  const { pool, db } = await testDatabase(t)
  await importText(pool, 'openaddresses-csv', openAddresses(...rows))
  return localValidator({ streets: activeStreets(db), min_level: 'auto' })
}

/** The level, or the corrections; each of those is accepted. */
async function outcomeOf(
  validator: Validator,
  number: number,
  street: string,
  where: string,
): Promise<string | string[]> {
  const address = addressOf(number, street, where)
  const outcome = await validator.validate(address)
  if (outcome.kind !== 'correct') return level(outcome)
  for (const alternative of outcome.alternatives)
    assert.equal((await validator.validate(alternativeAddress(alternative, address))).kind, 'ok')
  return alternatives(outcome)
}

test('the right street in a nearby town is corrected to the town of the data', async (t) => {
  const validator = await validatorOf(
    t,
    '100 Bay St|Los Angeles|CA|90028',
    '100 Pine St|Sault Ste. Marie|ON|P6A 1A1',
    '100 Pine St|Echo Bay|ON|P0S 1C0',
  )
  // in the gazetteer, a few kilometers from the code, but not a name of the data for it
  assert.deepEqual(await outcomeOf(validator, 100, 'Bay St', 'Hollywood, CA 90028'), [
    '100 BAY ST, LOS ANGELES, CA 90028',
  ])
  assert.deepEqual(await outcomeOf(validator, 100, 'Pine St', 'Echo Bay, ON P6A 1A1'), [
    '100 PINE ST, SAULT STE MARIE, ON P6A 1A1',
  ])
  assert.equal(await outcomeOf(validator, 100, 'Pine St', 'Sault Sainte Marie, ON P6A 1A1'), 'address')
})

test('the post office city is an alias of every town with its ZIP code, and the evidence names the town', async (t) => {
  const validator = await validatorOf(t, '100 Bay St|Snug Harbor|NC|27944', '100 Oak St|Hertford|NC|27944')
  assert.deepEqual(await outcomeOf(validator, 100, 'Bay St', 'Hertford, NC 27944'), [
    '100 BAY ST, SNUG HARBOR, NC 27944',
  ])
  const alone = await validatorOf(t, '100 Bay St|Snug Harbor|NC|27944')
  const outcome = await alone.validate(addressOf(100, 'Bay St', 'Hertford, NC 27944'))
  assert.ok(outcome.kind === 'ok')
  assert.deepEqual([outcome.level, outcome.community], ['address', 'SNUG HARBOR'])
})

test('another city of the same ZIP code comes before another ZIP code', async (t) => {
  const validator = await validatorOf(
    t,
    '100 Douglas Rd|Miami|FL|33134',
    '100 Douglas Rd|Coral Gables|FL|33146',
    '100 Oak St|Coral Gables|FL|33134',
  )
  assert.deepEqual(await outcomeOf(validator, 100, 'Douglas Rd', 'Coral Gables, FL 33134'), [
    '100 DOUGLAS RD, MIAMI, FL 33134',
    '100 DOUGLAS RD, CORAL GABLES, FL 33146',
  ])
})

test('a town outside the data is corrected only if the code is nearer to one that has the address', async (t) => {
  const { pool, db } = await testDatabase(t)
  await importText(pool, 'lines', '100 PORTAGE AVE\n', { country: 'CA', state: 'MB', city: 'Winnipeg' })
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  assert.deepEqual(await outcomeOf(validator, 100, 'Portage Ave', 'Stonewall, MB R3C 1A1'), [
    '100 PORTAGE AVE, WINNIPEG, MB R3C 1A1',
  ])
  assert.equal(await outcomeOf(validator, 102, 'Portage Ave', 'Stonewall, MB R3C 1A1'), 'postal')
  assert.equal(await outcomeOf(validator, 100, 'Portage Ave', 'Selkirk, MB R1A 1A1'), 'postal')
})

test('a post office box ZIP code is corrected to that of the street, or refused if none is known', async (t) => {
  const validator = await validatorOf(t, '100 Bay St|Raleigh|NC|27601')
  assert.deepEqual(await outcomeOf(validator, 100, 'Bay St', 'Raleigh, NC 27602'), ['100 BAY ST, RALEIGH, NC 27601'])
  const nowhere = await validator.validate(addressOf(100, 'Any St', 'Austin, TX 73301'))
  assert.ok(nowhere.kind === 'not_geocodable', JSON.stringify(nowhere))
  assert.match(nowhere.reason, /73301 is a mail-only ZIP code/)
  assert.deepEqual(nowhere.elements.invalid, ['PC'])
})

test('a ZIP code without an area is accepted if the data has houses with it', async (t) => {
  const validator = await validatorOf(t, '350 5th Ave|New York|NY|10118')
  assert.equal(await outcomeOf(validator, 350, '5th Ave', 'New York, NY 10118'), 'address')
})
