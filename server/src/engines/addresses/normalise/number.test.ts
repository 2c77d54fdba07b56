import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHouseNumber } from './number.ts'

/** Given, text, number compared, key. */
const GOOD: [string | number, string, readonly number[], string][] = [
  [12, '12', [12], '12'],
  ['0012', '12', [12], '12'],
  ['12b', '12B', [12], '12B'],
  ['12 B', '12B', [12], '12B'],
  ['12-B', '12B', [12], '12B'],
  ['12 1/2', '12 1/2', [12], '12 1/2'],
  ['12½', '12 1/2', [12], '12 1/2'],
  ['12-1/2', '12 1/2', [12], '12 1/2'],
  ['12 A 1/2', '12A 1/2', [12], '12A 1/2'],
  ['87-15', '87-15', [8715], '8715'],
  ['87-5', '87-5', [8705], '8705'],
  ['98-1234', '98-1234', [981234], '981234'],
  ['120-124', '120-124', [120124, 120], '120124'],
  ['N6W23001', 'N6W23001', [23001], 'N6W23001'],
  ['87-15 1/2', '87-15 1/2', [8715], '8715 1/2'],
  ['N6W23001 1/2', 'N6W23001 1/2', [23001], 'N6W23001 1/2'],
  ['W180 N8085', 'W180N8085', [8085], 'W180N8085'],
  ['B-5', 'B5', [5], 'B5'],
  ['99999999', '99999999', [99999999], '99999999'],
]

for (const [given, text, compare, key] of GOOD) {
  test(`${JSON.stringify(given)} is house number ${text}`, () => {
    const number = parseHouseNumber(given, 'US')
    assert.ok(typeof number !== 'string', String(number))
    assert.equal(number.text, text)
    assert.deepEqual(number.compare, compare)
    assert.equal(number.key, key)
  })
}

for (const given of [0, '0', -3, 1.5, 'abc', '', '100000000', '12 34', null, true, '1234567-89', '12/']) {
  test(`${JSON.stringify(given)} is no house number`, () => {
    assert.equal(typeof parseHouseNumber(given, 'US'), 'string')
  })
}

test('8715 and 87-15 are one number in Queens', () => {
  const [plain, hyphenated] = [parseHouseNumber('8715', 'US'), parseHouseNumber('87-15', 'US')]
  assert.ok(typeof plain !== 'string' && typeof hyphenated !== 'string')
  assert.equal(plain.key, hyphenated.key)
})

test('in Canada 45-1234 names a unit, which belongs into its own field', () => {
  assert.match(String(parseHouseNumber('45-1234', 'CA')), /1234 alone.*45.*address_type_number/)
})
