import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { lowOfRange, parseHouseNumber, type HouseNumber } from './number.ts'

function numberOf(value: string | number): HouseNumber {
  const number = parseHouseNumber(value, 'US')
  assert.ok(typeof number !== 'string', String(number))
  return number
}

/** Given, text, prefix, integer, key. */
const GOOD: [string | number, string, string, number, string][] = [
  [12, '12', '', 12, '12'],
  ['0012', '12', '', 12, '12'],
  ['12b', '12B', '', 12, '12B'],
  ['12 B', '12B', '', 12, '12B'],
  ['12-B', '12B', '', 12, '12B'],
  ['12 1/2', '12 1/2', '', 12, '12 1/2'],
  ['12½', '12 1/2', '', 12, '12 1/2'],
  ['12-1/2', '12 1/2', '', 12, '12 1/2'],
  ['12 A 1/2', '12A 1/2', '', 12, '12A 1/2'],
  ['87-15', '87-15', '87-', 15, '87-15'],
  ['87-05', '87-05', '87-', 5, '87-5'],
  ['87-5', '87-5', '87-', 5, '87-5'],
  ['98-1234', '98-1234', '98-', 1234, '98-1234'],
  ['120-124', '120-124', '120-', 124, '120-124'],
  ['N6W23001', 'N6W23001', 'N6W', 23001, 'N6W23001'],
  ['87-15 1/2', '87-15 1/2', '87-', 15, '87-15 1/2'],
  ['N6W23001 1/2', 'N6W23001 1/2', 'N6W', 23001, 'N6W23001 1/2'],
  ['W180 N8085', 'W180N8085', 'W180N', 8085, 'W180N8085'],
  ['B-5', 'B5', 'B', 5, 'B5'],
  ['99999999', '99999999', '', 99999999, '99999999'],
]

for (const [value, text, prefix, n, key] of GOOD) {
  test(`${JSON.stringify(value)} is house number ${text}`, () => {
    const number = numberOf(value)
    assert.deepEqual([number.text, number.prefix, number.n, number.key], [text, prefix, n, key])
    assert.equal(numberOf(number.text).key, key)
  })
}

/** Two texts, and whether they are the same number. */
const PAIRS: [string, string, boolean][] = [
  ['87-15', '8715', false],
  ['14-20', '1420', false],
  ['87-5', '87-05', true],
  ['8-715', '87-15', false],
  ['123', '123A', false],
  ['123', '123 1/2', false],
  ['123 A', '123-A', true],
  ['N88W16521', '16521', false],
  ['N88W16521', 'S88W16521', false],
  ['n88 w16521', 'N88W16521', true],
]

for (const [one, other, same] of PAIRS) {
  test(`${one} and ${other} are ${same ? 'the same number' : 'different numbers'}`, () => {
    assert.equal(numberOf(one).key === numberOf(other).key, same)
  })
}

test('the low number of a building is before the hyphen if the number after it is higher', () => {
  const low = (text: string) => lowOfRange(numberOf(text))
  assert.deepEqual(['14-20', '2101-07', '120-124', '87-15', '98-1234', '1420'].map(low), [
    14,
    2101,
    120,
    undefined,
    undefined,
    undefined,
  ])
})

const anyNumber = fc.record(
  {
    prefix: fc.constantFrom('', '', 'N6W', 'S88W', 'B', '14-', '87-'),
    digits: fc.integer({ min: 1, max: 99_999 }),
    suffix: fc.constantFrom('', '', 'A', 'B'),
    fraction: fc.constantFrom('', '', ' 1/2', ' 3/4'),
  },
  { noNullPrototype: true }, // isDeepStrictEqual compares prototypes too
)

test('two numbers are equal only when every part of them is', () => {
  fc.assert(
    fc.property(anyNumber, anyNumber, (one, other) => {
      const [a, b] = [one, other].map(({ prefix, digits, suffix, fraction }) =>
        numberOf(`${prefix}${digits}${suffix}${fraction}`),
      )
      assert.equal(a?.key === b?.key, isDeepStrictEqual(one, other))
    }),
  )
})

for (const value of [0, '0', -3, 1.5, 'abc', '', '100000000', '12 34', null, true, '1234567-89', '12/']) {
  test(`${JSON.stringify(value)} is not a house number`, () => {
    assert.equal(typeof parseHouseNumber(value, 'US'), 'string')
  })
}

test('in Canada 45-1234 names a unit, which belongs in its own field', () => {
  assert.match(String(parseHouseNumber('45-1234', 'CA')), /Enter only 1234.*45.*address_type_number if it is a unit\.$/)
  assert.match(String(parseHouseNumber('1912-18', 'CA')), /Enter only 18.*Enter only 1912 if it is the lowest number/)
})
