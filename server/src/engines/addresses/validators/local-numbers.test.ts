import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { activeStreets } from '../../street-data/lookup-store.ts'
import { importText, openAddresses } from '../../street-data/testing/import.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { alternativeAddress } from '../address.ts'
import { addressOf } from '../testing/address.ts'
import { localValidator } from './local.ts'
import type { MinLevel } from './policy.ts'
import { alternatives, level } from './testing/outcomes.ts'
import type { Validator } from './validator.ts'

const GUIDE = 'DIR,STREET,COMMUNITY,STATE,LOW,HIGH,O/E,ESN\n'
const LINES = 'State_L,PostCode_L,MSAGComm_L,AdNumPre_L,FromAddr_L,ToAddr_L,Parity_L,St_Name,St_PosTyp\n'

/** The outcome for a number on Main St, Hertford: a level, or the numbers offered; each of those is accepted. */
async function outcomeOf(
  validator: Validator,
  number: string | number,
  street = 'Main St',
  where = 'Hertford, NC 27944',
) {
  const address = addressOf(number, street, where)
  const outcome = await validator.validate(address)
  if (outcome.kind !== 'correct') return level(outcome)
  for (const alternative of outcome.alternatives)
    assert.equal(
      (await validator.validate(alternativeAddress(alternative, address))).kind,
      'ok',
      JSON.stringify(alternative),
    )
  return outcome.alternatives.map((one) => one.street_number).join(', ')
}

async function withPoints(
  t: TestContext,
  min_level: MinLevel,
  authority: 'authoritative' | 'indicative' = 'indicative',
) {
  const { pool, db } = await testDatabase(t)
  const numbers = ['100', '198', '200 1/2', '300', '300A', 'N6W400', '87-15', '1420', '2101', '9600']
  // one house per line, as in the file: a fraction is parsed with its number
  const rows = numbers.map((number) => `,,${number},Main St,,Hertford,,NC,27944,,`).join('\n')
  const text = `LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n${rows}\n`
  await importText(pool, 'openaddresses-csv', text, { authority })
  return localValidator({ streets: activeStreets(db), min_level })
}

/** Number sent → accepted at that level, or the numbers offered. */
const BY_NUMBER: [string, string][] = [
  ['100', 'address'],
  ['200 1/2', 'address'],
  ['300a', 'address'],
  ['N6 W400', 'address'],
  ['87-15', 'address'],
  ['14-20', 'not_geocodable'],
  ['2101-07', '2101'],
  ['15-03', 'not_geocodable'],
  ['8715', '87-15'],
  ['200', '200 1/2'],
  ['300B', '300, 300A'],
  ['300 1/2', '300, 300A'],
  ['S6W400', 'N6W400'],
  ['400', 'N6W400'],
  ['E4W300', '300, 300A'],
  ['150', '198, 100, 200 1/2'],
  ['101', '100, 198, 200 1/2'],
  ['9601', '9600'],
  ['99999', 'not_geocodable'],
]

test('in data with single numbers, a number must match completely', async (t) => {
  for (const authority of ['indicative', 'authoritative'] as const) {
    const validator = await withPoints(t, 'auto', authority)
    for (const [number, wanted] of BY_NUMBER)
      assert.equal(await outcomeOf(validator, number), wanted, `${number}, ${authority}`)
  }
})

test('a number between known ones is accepted at level street if the operator requires no more, and the evidence shows it', async (t) => {
  const validator = await withPoints(t, 'street')
  const outcome = await validator.validate(addressOf(150, 'Main St', 'Hertford, NC 27944'))
  assert.ok(outcome.kind === 'ok')
  assert.equal(outcome.level, 'street')
  assert.deepEqual(outcome.elements.unchecked, ['HNO'])
  assert.equal(await outcomeOf(validator, '200'), '200 1/2')
  assert.equal(await outcomeOf(await withPoints(t, 'street', 'authoritative'), 150), '198, 100, 200 1/2')
})

test('ranges do not cover letters and fractions: authoritative ranges refuse them, indicative ones leave the number unchecked', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = ',MAIN ST,HERTFORD,NC,101,199,O,1\n'
  await importText(pool, 'msag-csv', GUIDE + rows)
  const guide = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  for (const number of ['123A', '123 1/2', 'E4W123']) assert.equal(await outcomeOf(guide, number), '123', number)
  assert.equal(await outcomeOf(guide, '12-3'), 'not_geocodable')
  assert.equal(await outcomeOf(guide, '1-23'), '123')
  assert.equal(await outcomeOf(guide, '123-27'), '123')
  await importText(pool, 'msag-csv', GUIDE + rows, { vintage: '2', authority: 'indicative' })
  for (const number of ['123A', '123 1/2']) assert.equal(await outcomeOf(guide, number), 'street', number)
  assert.equal(await outcomeOf(guide, 'E4W123'), '123')
})

test('ranges with hyphens or prefixes only accept numbers in the same form', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = [
    'NY,11418,Richmond Hill,,87-01,87-99,O,115th,St',
    'WI,53051,Menomonee Falls,N88W,16501,16599,O,Main,St',
    'WI,53051,Menomonee Falls,,101,199,O,Oak,St',
  ]
  await importText(pool, 'nena-rcl-csv', `${LINES}${rows.join('\n')}\n`)
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const queens = (number: string) => outcomeOf(validator, number, '115th Street', 'Richmond Hill, NY 11418')
  assert.equal(await queens('87-15'), 'range')
  assert.equal(await queens('8715'), '87-15')
  assert.equal(await queens('87-16'), '87-15, 87-17')
  assert.equal(await queens('88-15'), 'not_geocodable')
  const falls = (number: string, street = 'Main St') =>
    outcomeOf(validator, number, street, 'Menomonee Falls, WI 53051')
  assert.equal(await falls('N88W16521'), 'range')
  assert.equal(await falls('16521'), 'N88W16521')
  assert.equal(await falls('S88W16521'), 'N88W16521')
  assert.equal(await falls('E4W121', 'Oak St'), '121')
})

test('for a number past the end of a street, the reason says so, and the nearest numbers come before other names', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = ['ESSINGTON AVE,HERTFORD,NC,7001,7999,O,1', 'LEXINGTON AVE,HERTFORD,NC,7000,8998,E,1']
  await importText(pool, 'msag-csv', `${GUIDE},${rows.join('\n,')}\n`)
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const outcome = await validator.validate(addressOf(8000, 'Essington Ave', 'Hertford, NC 27944'))
  const offered = alternatives(outcome)
  assert.equal(offered[0], '7999 ESSINGTON AVE, HERTFORD, NC 27944')
  assert.ok(offered.every((one, i) => i === 0 || !one.includes('ESSINGTON') || offered[i - 1]?.includes('ESSINGTON')))
  assert.ok(outcome.kind === 'correct')
  assert.match(outcome.reason ?? '', /ESSINGTON AVE.*8000 was not found: the street ends at 7999\./)
  assert.deepEqual(outcome.elements.invalid, ['HNO'])
  const far = await validator.validate(addressOf(20_001, 'Essington Ave', 'Hertford, NC 27944'))
  assert.ok(far.kind === 'not_geocodable')
  assert.match(far.reason, /the street ends at 7999\. Check the number/)
})

test('a misspelled street is found although it has the number in another form', async (t) => {
  const { pool, db } = await testDatabase(t)
  await importText(pool, 'openaddresses-csv', openAddresses('2101 Main St|Hertford|NC|27944'))
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const outcome = await validator.validate(addressOf('2101-07', 'Mian St', 'Hertford, NC 27944'))
  assert.deepEqual(alternatives(outcome), ['2101 MAIN ST, HERTFORD, NC 27944'])
})

test('a house number that is repeated before the street is removed, unless the street is named after it', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = ['30 Grove St', '30 30 Mile Rd', '30 Mile Rd', '12 12th St'].map((row) => `${row}|Hertford|NC|27944`)
  await importText(pool, 'openaddresses-csv', openAddresses(...rows))
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const at = (number: number, street: string) => validator.validate(addressOf(number, street, 'Hertford, NC 27944'))
  assert.deepEqual(alternatives(await at(30, '30 Grove St')), ['30 GROVE ST, HERTFORD, NC 27944'])
  assert.deepEqual(alternatives(await at(30, '30 grove street')), ['30 GROVE ST, HERTFORD, NC 27944'])
  assert.equal(level(await at(30, '30 Mile Rd')), 'address')
  assert.deepEqual(alternatives(await at(12, '12 12th St')), ['12 12TH ST, HERTFORD, NC 27944'])
})
