import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { alternativeAddress, canonicalKey, type CanonicalAddress } from '../address.ts'
import { DEMO_DATASET, DEMO_EXAMPLES, demoTownCsv } from '../demo-town.ts'
import { dropDataset } from '../import/datasets.ts'
import { dbfOf } from '../import/dbf-for-tests.ts'
import { checkFields } from '../rules.ts'
import { addressOf, importText, openAddresses } from '../testing.ts'
import { testDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { localValidator } from './local.ts'
import type { MinLevel } from './policy.ts'
import type { Outcome, Validator } from './validator.ts'

function alternatives(outcome: Outcome): string[] {
  assert.equal(outcome.kind, 'correct', JSON.stringify(outcome))
  if (outcome.kind !== 'correct') return []
  return outcome.alternatives.map(
    ({ street_number, street_name, city, state, zip }) => `${street_number} ${street_name}, ${city}, ${state} ${zip}`,
  )
}

function level(outcome: Outcome): string {
  return outcome.kind === 'ok' ? outcome.level : outcome.kind
}

/** Every alternative must be accepted when it is sent back. */
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
    validator = localValidator({ db, min_level: 'auto' })
  })

  test('an address of the data is accepted as such, with who answers there', async () => {
    const outcome = await validator.validate(example('accepted'))
    assert.ok(outcome.kind === 'ok')
    assert.equal(outcome.level, 'address')
    assert.deepEqual(outcome.source, { name: 'Demo towns', vintage: '1' })
    assert.equal(outcome.esn, '401')
    assert.equal(outcome.psap, 'Demo County Dispatch')
    assert.deepEqual(outcome.elements.unchecked, [])
    assert.ok(outcome.elements.valid.includes('HNO'))
  })

  test('the same address in other words is the same place', async () => {
    const [one, other] = [
      await validator.validate(example('accepted')),
      await validator.validate(example('same_in_other_words')),
    ]
    assert.ok(one.kind === 'ok' && other.kind === 'ok')
    assert.equal(one.key, other.key)
  })

  test('a misspelt street is answered with the right one', async () => {
    const outcome = await validator.validate(example('corrected'))
    assert.deepEqual(alternatives(outcome), ['200 CEDAR ST, FRIENDSHIP, WI 53934'])
    assert.ok(outcome.kind === 'correct')
    assert.deepEqual(outcome.elements.invalid, ['RD'])
    assert.deepEqual(outcome.elements.valid, ['country', 'A1', 'PC', 'A3'])
  })

  test('an ambiguous street is answered with all it may be', async () => {
    assert.deepEqual(alternatives(await validator.validate(example('ambiguous'))), [
      '100 N MAIN ST, FRIENDSHIP, WI 53934',
      '100 S MAIN ST, FRIENDSHIP, WI 53934',
    ])
  })

  test('a misspelt city is corrected by its ZIP code', async () => {
    assert.deepEqual(alternatives(await validator.validate(example('wrong_city'))), [
      '300 ELM ST, FRIENDSHIP, WI 53934',
    ])
  })

  test('the postal city of a street in another 911 community is corrected to that community', async () => {
    const outcome = await validator.validate(addressOf(2200, 'County Road J', 'Friendship, WI 53934'))
    assert.deepEqual(alternatives(outcome), ['2200 COUNTY RD J, ROCHE TOWNSHIP, WI 53934'])
    assert.equal(level(await validator.validate(example('other_community'))), 'address')
  })

  test('French and English name the same street, and the answer is in the language of the data', async () => {
    assert.equal(level(await validator.validate(example('french'))), 'address')
    assert.equal(level(await validator.validate(addressOf(100, 'Principale St N', 'Sutton, QC J0E 2K0'))), 'address')
    const outcome = await validator.validate(addressOf(1000, 'chemin du Moullin', 'Sutton, QC J0E 2K0'))
    assert.deepEqual(alternatives(outcome), ['1000 CH DU MOULIN, SUTTON, QC J0E 2K0'])
  })

  test('a number that no such street has is refused, and never replaced', async () => {
    const outcome = await validator.validate(example('no_such_number'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.match(outcome.why, /N MAIN ST is known.*98765 is not/)
    assert.deepEqual(outcome.elements.invalid, ['HNO'])
  })

  test('a street that is like none is refused', async () => {
    const outcome = await validator.validate(example('no_such_street'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.deepEqual(outcome.elements.invalid, ['RD'])
  })

  test('a mailbox is refused before anything is looked up', async () => {
    const outcome = await validator.validate(example('mailbox'))
    assert.ok(outcome.kind === 'not_geocodable')
    assert.match(outcome.why, /post office box/)
    assert.deepEqual(outcome.elements.valid, [])
  })

  test('a fraction in a street name is no reason to refuse it', async () => {
    assert.equal(level(await validator.validate(addressOf(1000, 'B 1/4 Road', 'Friendship, WI 53934'))), 'address')
  })

  test('a name that ends in a type word is found without its type', async () => {
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Grove Park', 'Friendship, WI 53934'))), [
      '100 GROVE PARK LN, FRIENDSHIP, WI 53934',
    ])
  })

  test('at most five alternatives are offered, and each is accepted when it is sent back', async () => {
    for (const street of ['Main', 'Mian St', '1st Ave', '1th Ave W', 'Lakeview', 'Lake View', 'St Clare Blvd', 'Oka']) {
      const address = addressOf(100, street, 'Friendship, WI 53934')
      const outcome = await validator.validate(address)
      if (outcome.kind === 'correct') assert.ok(outcome.alternatives.length <= 5)
      await assertClosed(validator, address)
    }
  })

  test('elsewhere the city and code are checked, and no more is claimed', async () => {
    const outcome = await validator.validate(addressOf(100, 'Any St', 'Hertford, NC 27944'))
    assert.ok(outcome.kind === 'ok')
    assert.equal(outcome.level, 'postal')
    assert.deepEqual(outcome.elements.unchecked, ['RD', 'STS', 'HNO'])
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Any St', 'Hertfrod, NC 27944'))), [
      '100 ANY ST, HERTFORD, NC 27944',
    ])
  })
})

describe('how deep an address must be checked', () => {
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
      const outcome = await localValidator({ db: data.db, min_level }).validate(PLACES[place])
      assert.equal(level(outcome), accepted ? place : 'not_geocodable')
    })
  }

  test('no alternative is offered that would not be deep enough', async () => {
    const validator = localValidator({ db: data.db, min_level: 'address' })
    assert.equal((await validator.validate(addressOf(101, 'Mian St', 'Hertford, NC 27944'))).kind, 'not_geocodable')
  })
})

describe('what kind of data says', () => {
  const TIGER_LIKE = ['100 Main St|Hertford|NC|27944', '198 Main St|Hertford|NC|27944']

  test('indicative data may have gaps, authoritative data has none', async (t) => {
    const { pool, db } = await testDatabase(t)
    const validator = localValidator({ db, min_level: 'auto' })
    const between = addressOf(150, 'Main St', 'Hertford, NC 27944')
    await importText(pool, 'openaddresses-csv', openAddresses(...TIGER_LIKE))
    assert.equal(level(await validator.validate(between)), 'street')
    await importText(pool, 'openaddresses-csv', openAddresses(...TIGER_LIKE), {
      vintage: '2',
      authority: 'authoritative',
    })
    assert.equal(level(await validator.validate(between)), 'not_geocodable')
  })

  test('a number in a gap that a street of the same name has is probably that street', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses(...TIGER_LIKE, '150 W Main St|Hertford|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const address = addressOf(150, 'Main St', 'Hertford, NC 27944')
    const outcome = await localValidator({ db, min_level: 'auto' }).validate(address)
    assert.deepEqual(alternatives(outcome), ['150 W MAIN ST, HERTFORD, NC 27944'])
  })

  test('where authoritative data covers the place, indicative data has no say', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses('7 Main St|Hertford|NC|27944'), { name: 'open' })
    const validator = localValidator({ db, min_level: 'auto' })
    const address = addressOf(7, 'Main St', 'Hertford, NC 27944')
    assert.equal(level(await validator.validate(address)), 'address')
    await importText(pool, 'openaddresses-csv', openAddresses('8 Main St|Hertford|NC|27944'), {
      name: 'guide',
      authority: 'authoritative',
    })
    assert.equal(level(await validator.validate(address)), 'not_geocodable')
  })

  test('streets of one name in two cities of one ZIP code are told apart', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 Main St|Hertford|NC|27944', '200 Main St|Snug Harbor|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ db, min_level: 'auto' })
    assert.equal(level(await validator.validate(addressOf(200, 'Main St', 'Snug Harbor, NC 27944'))), 'address')
    assert.deepEqual(alternatives(await validator.validate(addressOf(200, 'Main St', 'Hertford, NC 27944'))), [
      '200 MAIN ST, SNUG HARBOR, NC 27944',
    ])
  })

  test('a wrong ZIP code is corrected where the street tells the right one', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 Bay St|Hertford|NC|27944', '100 Oak St|Winfall|NC|27985')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ db, min_level: 'auto' })
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Hertford, NC 27494'))), [
      '100 BAY ST, HERTFORD, NC 27944',
    ])
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Hertford, NC 27985'))), [
      '100 BAY ST, HERTFORD, NC 27944',
    ])
  })

  test('a code of which nothing is known is corrected where the city has the very address under another', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses('100 Bay St|Raleigh|NC|27601'))
    const validator = localValidator({ db, min_level: 'auto' })
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Raleigh, NC 27603'))), [
      '100 BAY ST, RALEIGH, NC 27601',
    ])
    assert.equal(level(await validator.validate(addressOf(102, 'Bay St', 'Raleigh, NC 27603'))), 'postal')
    assert.equal(level(await validator.validate(addressOf(100, 'Oak St', 'Raleigh, NC 27603'))), 'postal')
  })

  test('two directions at the start are found whichever way the data has them', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 NW 5th St|Hertford|NC|27944', '100 S West Temple St|Hertford|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ db, min_level: 'auto' })
    for (const street of ['North West 5th Street', 'N W 5th St', 'South West Temple Street', 'S W Temple St'])
      assert.equal(level(await validator.validate(addressOf(100, street, 'Hertford, NC 27944'))), 'address', street)
  })

  test("data without codes is found by its city, and accepts a code only if it is the city's", async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'lines', '100 PORTAGE AVE\n12 1/2 OAK ST\n105 B ELM CRES\n', {
      country: 'CA',
      state: 'MB',
      city: 'Winnipeg',
    })
    const validator = localValidator({ db, min_level: 'auto' })
    assert.equal(level(await validator.validate(addressOf(100, 'Portage Avenue', 'Winnipeg, MB R3C 1A1'))), 'address')
    assert.equal(level(await validator.validate(addressOf('105B', 'Elm Crescent', 'Winnipeg, MB R3C 1A1'))), 'address')
    assert.equal(
      level(await validator.validate(addressOf(100, 'Portage Avenue', 'Winnipeg, MB R7A 1A1'))),
      'not_geocodable',
    )
    assert.deepEqual(alternatives(await validator.validate(addressOf('12 1/2', 'Oka St', 'Winnpeg, MB R3C 1A1'))), [
      '12 1/2 OAK ST, WINNIPEG, MB R3C 1A1',
    ])
  })

  test('the numbers of Queens are one with and without the hyphen', async (t) => {
    const { pool, db } = await testDatabase(t)
    const header = 'State_L,PostCode_L,MSAGComm_L,FromAddr_L,ToAddr_L,Parity_L,St_Name,St_PosTyp'
    await importText(pool, 'nena-rcl-csv', `${header}\nNY,11418,Richmond Hill,87-01,87-99,O,115th,St\n`)
    const validator = localValidator({ db, min_level: 'auto' })
    for (const number of ['87-15', '8715'])
      assert.equal(
        level(await validator.validate(addressOf(number, '115th Street', 'Richmond Hill, NY 11418'))),
        'range',
      )
    assert.equal(
      level(await validator.validate(addressOf('87-16', '115th St', 'Richmond Hill, NY 11418'))),
      'not_geocodable',
    )
  })

  test('a street without numbers in the guide is accepted as a street', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'msag-csv', 'DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n,MILL RD,HERTFORD,NC,,,B,1\n')
    const outcome = await localValidator({ db, min_level: 'auto' }).validate(
      addressOf(7, 'Mill Road', 'Hertford, NC 27944'),
    )
    assert.equal(level(outcome), 'street')
  })

  test('a dataset that is dropped is forgotten at once, by whoever had read it', async (t) => {
    const { pool, db } = await testDatabase(t)
    const { dataset } = await importText(pool, 'openaddresses-csv', openAddresses('100 Bay St|Hertford|NC|27944'))
    const validator = localValidator({ db, min_level: 'auto' })
    const misspelt = addressOf(100, 'Bsy St', 'Hertford, NC 27944')
    assert.equal((await validator.validate(misspelt)).kind, 'correct')
    assert.ok(await dropDataset(pool, dataset.id))
    assert.equal(level(await validator.validate(misspelt)), 'postal')
  })
})

test("of a code that reaches into the next county, the county's file refuses nothing it does not know", async (t) => {
  const { pool, db } = await testDatabase(t)
  const record = (street: string, zip: string) => ({
    statefp: '37',
    countyfp: '143',
    fullname: street,
    lfromadd: '100',
    ltoadd: '198',
    zipl: zip,
  })

  await importText(pool, 'tiger-edges', dbfOf([record('Bay St', '27944'), record('Bay St', '27932')]))
  const validator = localValidator({ db, min_level: 'auto' })
  assert.equal(
    level(await validator.validate(addressOf(100, 'Some Unknown Rd', 'Hertford, NC 27944'))),
    'not_geocodable',
  )
  assert.equal(level(await validator.validate(addressOf(100, 'Some Unknown Rd', 'Edenton, NC 27932'))), 'postal')
  assert.equal(level(await validator.validate(addressOf(100, 'Bay Street', 'Edenton, NC 27932'))), 'range')
  assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bau Street', 'Edenton, NC 27932'))), [
    '100 BAY ST, EDENTON, NC 27932',
  ])
  assert.equal(level(await validator.validate(addressOf(999, 'Bay Street', 'Edenton, NC 27932'))), 'not_geocodable')
})

test('the key of an accepted address is that of the street in the data', async (t) => {
  const { pool, db } = await testDatabase(t)
  await importText(pool, 'openaddresses-csv', openAddresses('100 N Bay St|Hertford|NC|27944'))
  const outcome = await localValidator({ db, min_level: 'auto' }).validate(
    addressOf(100, 'north bay street', 'Hertford, NC 27944'),
  )
  assert.ok(outcome.kind === 'ok')
  assert.equal(outcome.key, canonicalKey(addressOf(100, 'N BAY ST', 'HERTFORD, NC 27944')))
})
