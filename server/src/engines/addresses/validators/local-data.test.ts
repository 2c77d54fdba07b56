import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { canonicalKey } from '../address.ts'
import { dropDataset, noFollowUps } from '../../street-data/switch.ts'
import { dbfOf } from '../../street-data/testing/dbf.ts'
import { addressOf } from '../testing/address.ts'
import { importText, openAddresses } from '../../street-data/testing/import.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { localValidator } from './local.ts'
import { alternatives, level } from './testing/outcomes.ts'
import { activeStreets } from '../../street-data/lookup-store.ts'

describe('depending on the kind of data,', () => {
  const SPARSE = ['100 Main St|Hertford|NC|27944', '198 Main St|Hertford|NC|27944']

  test('indicative data may have gaps, authoritative data has none', async (t) => {
    const { pool, db } = await testDatabase(t)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'postal' })
    const between = addressOf(150, 'Main St', 'Hertford, NC 27944')
    await importText(pool, 'openaddresses-csv', openAddresses(...SPARSE))
    assert.equal(level(await validator.validate(between)), 'street')
    await importText(pool, 'openaddresses-csv', openAddresses(...SPARSE), {
      vintage: '2',
      authority: 'authoritative',
    })
    assert.deepEqual(alternatives(await validator.validate(between)), [
      '198 MAIN ST, HERTFORD, NC 27944',
      '100 MAIN ST, HERTFORD, NC 27944',
    ])
  })

  test('a number in a gap that a street of the same name has is corrected to that street', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses(...SPARSE, '150 W Main St|Hertford|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const address = addressOf(150, 'Main St', 'Hertford, NC 27944')
    const outcome = await localValidator({ streets: activeStreets(db), min_level: 'postal' }).validate(address)
    assert.deepEqual(alternatives(outcome), ['150 W MAIN ST, HERTFORD, NC 27944'])
  })

  test('a number in a gap that another reading of the street has is corrected to that street', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = ['100 Mallow Run', '198 Mallow Run', '150 Mallow Run Rd', '100 Mallow Ln', '198 Mallow Ln']
    await importText(pool, 'openaddresses-csv', openAddresses(...rows.map((one) => `${one}|Hertford|NC|27944`)))
    const validator = localValidator({ streets: activeStreets(db), min_level: 'postal' })
    const at = (number: number, street: string) => validator.validate(addressOf(number, street, 'Hertford, NC 27944'))
    assert.deepEqual(alternatives(await at(150, 'Mallow Run')), ['150 MALLOW RUN RD, HERTFORD, NC 27944'])
    assert.equal(level(await at(152, 'Mallow Run')), 'street')
    assert.equal(level(await at(150, 'Mallow Ln')), 'street')
  })

  test('in a thin place, a street with one error is corrected if the data has it with the number', async (t) => {
    const { pool, db } = await testDatabase(t)
    const town = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `7 Mallow${letter} St|Burlington|NJ|08016`)
    const stray = ['7 Haddon Ave', '7 21st St', '7 Pine St'].map((street) => `${street}|Cherry Hill|NJ|08002`)
    await importText(
      pool,
      'openaddresses-csv',
      openAddresses(...town, ...town.map((row) => `9${row.slice(1)}`), ...stray),
    )
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const at = (number: number, street: string) =>
      validator.validate(addressOf(number, street, 'Cherry Hill, NJ 08002'))
    assert.equal(level(await at(7, 'Haddon Ave')), 'address')
    for (const street of ['Hadodn Ave', 'Hadon Ave', 'Haddan Ave', 'Haddon Avee'])
      assert.deepEqual(alternatives(await at(7, street)), ['7 HADDON AVE, CHERRY HILL, NJ 08002'], street)
    assert.deepEqual(alternatives(await at(7, 'Pnie St')), ['7 PINE ST, CHERRY HILL, NJ 08002'])
    // streets that may exist: no such number, two errors, another type or direction, another short name, another ordinal
    const others = ['Haden Ave', 'Haddon Ct', 'N Hadodn Ave', 'Vine St', '22nd St', 'Maple Ave']
    for (const [number, street] of [[9, 'Hadodn Ave'] as const, ...others.map((one) => [7, one] as const)])
      assert.equal(level(await at(number, street)), 'postal', street)
  })

  test('streets with equal scores are offered, up to ten', async (t) => {
    const { pool, db } = await testDatabase(t)
    const types = ['Ave', 'Cir', 'Ct', 'Dr', 'Ln', 'Pl', 'Rd', 'St']
    const rows = types.map((type) => `100 Mallow ${type}|Hertford|NC|27944`)
    await importText(pool, 'openaddresses-csv', openAddresses(...rows, '100 Mallows St|Hertford|NC|27944'))
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const found = alternatives(await validator.validate(addressOf(100, 'Mallow', 'Hertford, NC 27944')))
    assert.deepEqual(
      found,
      types.map((type) => `100 MALLOW ${type.toUpperCase()}, HERTFORD, NC 27944`),
    )
  })

  test('a street in many emergency service zones does not displace others', async (t) => {
    const { pool, db } = await testDatabase(t)
    const zones = ['N', 'S', 'E', 'W'].flatMap((direction) =>
      Array.from({ length: 30 }, (_, i) => `${direction},MALLOW ST,HERTFORD,NC,${i}01,${i}99,O,${i + 1}`),
    )
    await importText(pool, 'msag-csv', `DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n${zones.join('\n')}\n`)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    for (const number of [111, 1511, 2911]) {
      const found = alternatives(await validator.validate(addressOf(number, 'Mallow St', 'Hertford, NC 27944')))
      const wanted = ['E', 'N', 'S', 'W'].map((direction) => `${number} ${direction} MALLOW ST, HERTFORD, NC 27944`)
      assert.deepEqual(found, wanted)
    }
  })

  test('where authoritative data covers the place, indicative data is ignored', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses('7 Main St|Hertford|NC|27944'), { name: 'open' })
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const address = addressOf(7, 'Main St', 'Hertford, NC 27944')
    assert.equal(level(await validator.validate(address)), 'address')
    await importText(pool, 'openaddresses-csv', openAddresses('8 Main St|Hertford|NC|27944'), {
      name: 'guide',
      authority: 'authoritative',
    })
    assert.deepEqual(alternatives(await validator.validate(address)), ['8 MAIN ST, HERTFORD, NC 27944'])
  })

  test('streets of one name in two cities of one ZIP code are distinguished', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 Main St|Hertford|NC|27944', '200 Main St|Snug Harbor|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    assert.equal(level(await validator.validate(addressOf(200, 'Main St', 'Snug Harbor, NC 27944'))), 'address')
    assert.deepEqual(alternatives(await validator.validate(addressOf(200, 'Main St', 'Hertford, NC 27944'))), [
      '200 MAIN ST, SNUG HARBOR, NC 27944',
      '100 MAIN ST, HERTFORD, NC 27944',
    ])
  })

  test('a wrong ZIP code is corrected to that of the street', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 Bay St|Hertford|NC|27944', '100 Oak St|Winfall|NC|27985')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Hertford, NC 27494'))), [
      '100 BAY ST, HERTFORD, NC 27944',
    ])
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Hertford, NC 27985'))), [
      '100 BAY ST, HERTFORD, NC 27944',
    ])
  })

  test('a code without data is corrected where the city has the exact address under another', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses('100 Bay St|Raleigh|NC|27601'))
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    assert.deepEqual(alternatives(await validator.validate(addressOf(100, 'Bay St', 'Raleigh, NC 27603'))), [
      '100 BAY ST, RALEIGH, NC 27601',
    ])
    assert.equal(level(await validator.validate(addressOf(102, 'Bay St', 'Raleigh, NC 27603'))), 'postal')
    assert.equal(level(await validator.validate(addressOf(100, 'Oak St', 'Raleigh, NC 27603'))), 'postal')
  })

  test('two directions at the start match either reading in the data', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = openAddresses('100 NW 5th St|Hertford|NC|27944', '100 S West Temple St|Hertford|NC|27944')
    await importText(pool, 'openaddresses-csv', rows)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
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
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
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

  test('a street without numbers in the guide is accepted as a street', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'msag-csv', 'DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n,MILL RD,HERTFORD,NC,,,B,1\n')
    const outcome = await localValidator({ streets: activeStreets(db), min_level: 'auto' }).validate(
      addressOf(7, 'Mill Road', 'Hertford, NC 27944'),
    )
    assert.equal(level(outcome), 'street')
  })

  test('a number on a street without numbers is corrected to the street of that name which has it', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = ',MILL RD,HERTFORD,NC,,,B,1\n,MILL ST,HERTFORD,NC,100,198,E,1\n'
    await importText(pool, 'msag-csv', `DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n${rows}`)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    assert.deepEqual(alternatives(await validator.validate(addressOf(150, 'Mill Road', 'Hertford, NC 27944'))), [
      '150 MILL ST, HERTFORD, NC 27944',
    ])
    assert.equal(level(await validator.validate(addressOf(151, 'Mill Road', 'Hertford, NC 27944'))), 'street')
  })

  test('a row without numbers does not make every number of the street valid', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = ',MILL RD,HERTFORD,NC,,,B,1\n,MILL RD,HERTFORD,NC,100,198,E,2\n'
    await importText(pool, 'msag-csv', `DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n${rows}`)
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    assert.equal(level(await validator.validate(addressOf(150, 'Mill Road', 'Hertford, NC 27944'))), 'range')
    assert.equal(level(await validator.validate(addressOf(950, 'Mill Road', 'Hertford, NC 27944'))), 'not_geocodable')
  })

  test('dropping a dataset invalidates every cache at once', async (t) => {
    const { pool, db } = await testDatabase(t)
    const { dataset } = await importText(pool, 'openaddresses-csv', openAddresses('100 Bay St|Hertford|NC|27944'))
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const misspelled = addressOf(100, 'Bsy St', 'Hertford, NC 27944')
    assert.equal((await validator.validate(misspelled)).kind, 'correct')
    assert.ok(await dropDataset(db, dataset.id, new Date(), noFollowUps))
    assert.equal(level(await validator.validate(misspelled)), 'postal')
  })
})

test("in a code that extends into the next county, the county's file does not prove that a street is absent", async (t) => {
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
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
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

test('an accepted address has the key of the street in the data', async (t) => {
  const { pool, db } = await testDatabase(t)
  await importText(pool, 'openaddresses-csv', openAddresses('100 N Bay St|Hertford|NC|27944'))
  const outcome = await localValidator({ streets: activeStreets(db), min_level: 'auto' }).validate(
    addressOf(100, 'north bay street', 'Hertford, NC 27944'),
  )
  assert.ok(outcome.kind === 'ok')
  assert.equal(outcome.key, canonicalKey(addressOf(100, 'N BAY ST', 'HERTFORD, NC 27944')))
})

describe('a place with only stray rows in the data', () => {
  const streets = (count: number, place: string) =>
    Array.from({ length: count }, (_, i) => `${10 + i} Mallow${String.fromCharCode(97 + i)} St|${place}`)
  const COUNTY = ['Marlton|NJ|08053', 'Mount Laurel|NJ|08054', 'Burlington|NJ|08016'].flatMap((one) => streets(26, one))

  test('is validated at level postal, and refuses no street or number', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses(...COUNTY, '7 Haddon Ave|Cherry Hill|NJ|08002'), {
      authority: 'authoritative',
    })
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const at = async (n: number, street: string, city: string) =>
      level(await validator.validate(addressOf(n, street, city)))
    assert.equal(await at(7, 'Haddon Ave', 'Cherry Hill, NJ 08002'), 'address')
    assert.equal(await at(9, 'Hadon Ave', 'Cherry Hill, NJ 08002'), 'postal')
    assert.equal(await at(8, 'Haddon Ave', 'Cherry Hill, NJ 08002'), 'postal')
    assert.equal(await at(12, 'Kings Hwy', 'Cherry Hill, NJ 08002'), 'postal')
    assert.equal(await at(12, 'Kings Hwy', 'Marlton, NJ 08053'), 'not_geocodable')
  })

  test('is also recognized by name, in data without postal codes', async (t) => {
    const { pool, db } = await testDatabase(t)
    const rows = [...COUNTY, ...streets(3, 'Morristown|NJ|')].map((row) => row.replace(/\|\d+$/, '|'))
    await importText(pool, 'openaddresses-csv', openAddresses(...rows), { authority: 'authoritative' })
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const at = async (street: string, city: string) => level(await validator.validate(addressOf(12, street, city)))
    assert.equal(await at('Speedwell Ave', 'Morristown, NJ 07960'), 'postal')
    assert.equal(await at('Speedwell Ave', 'Marlton, NJ 08053'), 'not_geocodable')
  })

  test('is covered if it is a hamlet in a county that the data covers', async (t) => {
    const { pool, db } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', openAddresses(...COUNTY, ...streets(4, 'New Gretna|NJ|08224')))
    const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
    const outcome = await validator.validate(addressOf(12, 'Speedwell Ave', 'New Gretna, NJ 08224'))
    assert.equal(level(outcome), 'not_geocodable')
  })
})
