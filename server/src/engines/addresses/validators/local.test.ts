import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { alternativeAddress, type CanonicalAddress } from '../address.ts'
import { DEMO_DATASET, demoTownCsv } from '../../../../seed/town.ts'
import { DEMO_EXAMPLES } from '../../../../test/support/town.ts'
import { checkFields } from '../../../e911/rules.ts'
import { addressOf } from '../testing/address.ts'
import { importText } from '../../street-data/testing/import.ts'
import { testDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { localValidator } from './local.ts'
import { alternatives, level } from './testing/outcomes.ts'
import type { MinLevel } from './policy.ts'
import { EQUAL_ALTERNATIVES_MAX, type Validator } from './validator.ts'
import { activeStreets } from '../../street-data/lookup-store.ts'

/** Every alternative must be accepted when it is resubmitted. */
async function assertClosed(validator: Validator, address: CanonicalAddress): Promise<void> {
  const outcome = await validator.validate(address)
  if (outcome.kind !== 'correct') return
  for (const alternative of outcome.alternatives) {
    const again = await validator.validate(alternativeAddress(alternative, address))
    assert.equal(again.kind, 'ok', JSON.stringify(alternative))
  }
}

function example(name: keyof typeof DEMO_EXAMPLES): CanonicalAddress {
  const checked = checkFields(DEMO_EXAMPLES[name])
  assert.ok(checked.ok, JSON.stringify(checked))
  return checked.address
}

describe('in the demo towns', () => {
  let validator: Validator
  before(async () => {
    const { pool, db } = await testDatabase()
    await importText(pool, DEMO_DATASET.format, demoTownCsv(), DEMO_DATASET)
    validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  })

  test('an address of the data is accepted at level address, with its emergency service zone and answering point', async () => {
    const outcome = await validator.validate(example('accepted'))
    assert.ok(outcome.kind === 'ok')
    assert.equal(outcome.level, 'address')
    assert.deepEqual(outcome.source, { name: 'Demo towns', vintage: '1' })
    assert.equal(outcome.esn, '401')
    assert.equal(outcome.psap, 'Demo County Dispatch')
    assert.deepEqual(outcome.elements.unchecked, [])
    assert.ok(outcome.elements.valid.includes('HNO'))
  })

  test('the same address in another spelling has the same key', async () => {
    const [one, other] = [
      await validator.validate(example('accepted')),
      await validator.validate(example('same_in_other_words')),
    ]
    assert.ok(one.kind === 'ok' && other.kind === 'ok')
    assert.equal(one.key, other.key)
  })

  test('a misspelled street is corrected', async () => {
    const outcome = await validator.validate(example('corrected'))
    assert.deepEqual(alternatives(outcome), ['200 CEDAR ST, FRIENDSHIP, WI 53934'])
    assert.ok(outcome.kind === 'correct')
    assert.deepEqual(outcome.elements.invalid, ['RD'])
    assert.deepEqual(outcome.elements.valid, ['country', 'A1', 'PC', 'A3'])
  })

  test('an ambiguous street gets all readings as alternatives', async () => {
    assert.deepEqual(alternatives(await validator.validate(example('ambiguous'))), [
      '100 N MAIN ST, FRIENDSHIP, WI 53934',
      '100 S MAIN ST, FRIENDSHIP, WI 53934',
    ])
  })

  test('a misspelled city is corrected by its ZIP code', async () => {
    assert.deepEqual(alternatives(await validator.validate(example('wrong_city'))), [
      '300 ELM ST, FRIENDSHIP, WI 53934',
    ])
  })

  test('the postal city of a street in another 911 community is corrected to that community', async () => {
    const outcome = await validator.validate(addressOf(2200, 'County Road J', 'Friendship, WI 53934'))
    assert.deepEqual(alternatives(outcome), ['2200 COUNTY RD J, ROCHE TOWNSHIP, WI 53934'])
    assert.equal(level(await validator.validate(example('other_community'))), 'address')
  })

  test('French and English spellings match the same street, and the alternative is in the language of the data', async () => {
    assert.equal(level(await validator.validate(example('french'))), 'address')
    assert.equal(level(await validator.validate(addressOf(100, 'Principale St N', 'Sutton, QC J0E 2K0'))), 'address')
    const outcome = await validator.validate(addressOf(1000, 'chemin du Moullin', 'Sutton, QC J0E 2K0'))
    assert.deepEqual(alternatives(outcome), ['1000 CH DU MOULIN, SUTTON, QC J0E 2K0'])
  })

  test('a number that the street lacks is refused, never replaced', async () => {
    const outcome = await validator.validate(example('no_such_number'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.match(outcome.reason, /N MAIN ST exists.*98765 was not found/)
    assert.deepEqual(outcome.elements.invalid, ['HNO'])
  })

  test('a street without similar ones is refused', async () => {
    const outcome = await validator.validate(example('no_such_street'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.deepEqual(outcome.elements.invalid, ['RD'])
  })

  test('a mailbox is refused without a lookup', async () => {
    const outcome = await validator.validate(example('mailbox'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.match(outcome.reason, /post office box/)
    assert.deepEqual(outcome.elements.valid, [])
  })

  test('a fraction in a street name is accepted', async () => {
    assert.equal(level(await validator.validate(addressOf(1000, 'B 1/4 Road', 'Friendship, WI 53934'))), 'address')
  })

  test('a name that ends in a type word is found without its type', async () => {
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Grove Park', 'Friendship, WI 53934'))), [
      '100 GROVE PARK LN, FRIENDSHIP, WI 53934',
    ])
  })

  test('few alternatives are offered, and each is accepted if resubmitted', async () => {
    for (const street of ['Main', 'Mian St', '1st Ave', '1th Ave W', 'Lakeview', 'Lake View', 'St Clare Blvd', 'Oka']) {
      const address = addressOf(100, street, 'Friendship, WI 53934')
      const outcome = await validator.validate(address)
      if (outcome.kind === 'correct') assert.ok(outcome.alternatives.length <= EQUAL_ALTERNATIVES_MAX)
      await assertClosed(validator, address)
    }
  })

  test('without street data an address is accepted at level postal', async () => {
    const outcome = await validator.validate(addressOf(100, 'Any St', 'Hertford, NC 27944'))
    assert.ok(outcome.kind === 'ok')
    assert.equal(outcome.level, 'postal')
    assert.deepEqual(outcome.elements.unchecked, ['RD', 'STS', 'HNO'])
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Any St', 'Hertfrod, NC 27944'))), [
      '100 ANY ST, HERTFORD, NC 27944',
    ])
  })
})

describe('the required level of validation', () => {
  let data: TestDatabase
  before(async () => {
    data = await testDatabase()
    await importText(
      data.pool,
      'msag-csv',
      'DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n,MAIN ST,HERTFORD,NC,101,199,O,1\n',
      { name: 'ranges' },
    )
    await importText(
      data.pool,
      'nena-ssap-csv',
      'State,Post_Code,MSAGComm,Add_Number,St_Name,St_PosTyp\nNC,27985,Winfall,12,Oak,St\n',
      { name: 'points' },
    )
  })

  const PLACES = {
    postal: addressOf(101, 'Any St', 'Raleigh, NC 27601'),
    range: addressOf(101, 'Main St', 'Hertford, NC 27944'),
    address: addressOf(12, 'Oak St', 'Winfall, NC 27985'),
  }
  const GRID: [MinLevel, keyof typeof PLACES, boolean][] = [
    ['auto', 'postal', true],
    ['street', 'postal', false],
    ['street', 'range', true],
    ['range', 'range', true],
    ['address', 'range', false],
    ['address', 'address', true],
  ]
  for (const [min_level, place, accepted] of GRID) {
    test(`required "${min_level}", checked to "${place}": ${accepted ? 'accepted' : 'refused'}`, async () => {
      const outcome = await localValidator({ streets: activeStreets(data.db), min_level }).validate(PLACES[place])
      assert.equal(level(outcome), accepted ? place : 'not_geocodable')
    })
  }

  test('no alternative below the required level is offered', async () => {
    const validator = localValidator({ streets: activeStreets(data.db), min_level: 'address' })
    assert.equal((await validator.validate(addressOf(101, 'Mian St', 'Hertford, NC 27944'))).kind, 'not_geocodable')
  })
})
