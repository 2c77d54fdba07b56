import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authority } from './rows.ts'
import fc from 'fast-check'
import { parseHouseNumber, type HouseNumber } from '../normalize/number.ts'
import { nearestNumbers, otherForms } from './number-forms.ts'
import { hasNumber, numberStatus, type NumberStatus } from './numbers.ts'
import type { StreetRow } from './rows.ts'

type Data = { ranges?: number[][]; points?: number[]; others?: string[] }

function numberOf(value: string | number): HouseNumber {
  const number = parseHouseNumber(value, 'US')
  assert.ok(typeof number !== 'string', String(number))
  return number
}

const row = (authority: Authority, data: Data): StreetRow => ({
  id: '1',
  dataset_id: 1,
  authority,
  dataset: 'Test',
  vintage: '1',
  state: 'NC',
  postal: '27944',
  city: 'HERTFORD',
  city_key: 'HERTFORD',
  city_derived: false,
  label: 'MAIN ST',
  key: 'MAIN|ST||',
  ranges: data.ranges ?? null,
  points: data.points ?? null,
  others: data.others ?? null,
  esn: '',
  psap: '',
})
const RANGES = {
  ranges: [
    [100, 198, 2],
    [101, 199, 1],
    [301, 399, 1],
    [500, 520, 0],
  ],
}
const POINTS = { points: [12, 14, 20, 98] }

const LETTERED = { points: [12, 14, 98], others: ['12B', '20 1/2', '30A'] }
const GRID_RANGES = { others: ['N88W16501|N88W16599|1'] }
const HYPHENS = { others: ['87-01|87-99|1'] }
const HYPHENATED = { others: ['87-01', '87-05', '87-15'] }

/** Number → status in indicative and in authoritative data. */
const GRID: [string, Data, number | string, NumberStatus, NumberStatus][] = [
  ['the low end of a range', RANGES, 100, 'range', 'range'],
  ['the high end', RANGES, 199, 'range', 'range'],
  ['the wrong side of a range', RANGES, 302, 'gap', 'outside'],
  ['either side of a mixed range', RANGES, 501, 'range', 'range'],
  ['between two ranges', RANGES, 250, 'gap', 'outside'],
  ['below all', RANGES, 99, 'outside', 'outside'],
  ['above all', RANGES, 521, 'outside', 'outside'],
  ['a letter in a range', RANGES, '101A', 'gap', 'outside'],
  ['a fraction in a range', RANGES, '101 1/2', 'gap', 'outside'],
  ['a prefix in a range', RANGES, 'E4W101', 'outside', 'outside'],
  ['a hyphen that folds into a range', RANGES, '1-01', 'outside', 'outside'],
  ['a known point', POINTS, 20, 'point', 'point'],
  ['between points', POINTS, 15, 'gap', 'outside'],
  ['beyond the points', POINTS, 99, 'outside', 'outside'],
  ['a letter after a known point', POINTS, '20A', 'outside', 'outside'],
  ['a letter after an unknown number', POINTS, '15A', 'gap', 'outside'],
  ['a known letter', LETTERED, '12B', 'point', 'point'],
  ['another letter', LETTERED, '12C', 'outside', 'outside'],
  ['without a known letter', LETTERED, '30', 'outside', 'outside'],
  ['without a known fraction', LETTERED, '20', 'outside', 'outside'],
  ['a known fraction', LETTERED, '20 1/2', 'point', 'point'],
  ['a prefix of the data', GRID_RANGES, 'N88W16521', 'range', 'range'],
  ['another prefix', GRID_RANGES, 'S88W16521', 'outside', 'outside'],
  ['without the prefix', GRID_RANGES, 16521, 'outside', 'outside'],
  ['the wrong side of a range with a prefix', GRID_RANGES, 'N88W16520', 'gap', 'outside'],
  ['a hyphen of the data', HYPHENS, '87-15', 'range', 'range'],
  ['the same without the hyphen', HYPHENS, 8715, 'outside', 'outside'],
  ['a known number with a hyphen', HYPHENATED, '87-5', 'point', 'point'],
  ['a street without numbers', {}, 7, 'unnumbered', 'unnumbered'],
]

for (const [what, data, number, indicative, authoritative] of GRID) {
  test(`${what}: ${indicative}, in authoritative data ${authoritative}`, () => {
    assert.equal(numberStatus(row('indicative', data), numberOf(number)), indicative)
    assert.equal(numberStatus(row('authoritative', data), numberOf(number)), authoritative)
  })
}

/** Given number → the street's numbers that it may stand for. */
const FORMS: [Data, number | string, ...string[]][] = [
  [POINTS, '20A', '20'],
  [POINTS, '20 1/2', '20'],
  [POINTS, 'E4W20', '20'],
  [POINTS, '12-20', '12'],
  [POINTS, '14-20', '14'],
  [{ points: [1420] }, '14-20'],
  [{ points: [8715] }, '87-15', '8715'],
  [{ points: [2101] }, '2101-07', '2101'],
  [LETTERED, '12C', '12', '12B'],
  [LETTERED, 30, '30A'],
  [LETTERED, 20, '20 1/2'],
  [RANGES, '101A', '101'],
  [GRID_RANGES, 16521, 'N88W16521'],
  [GRID_RANGES, 'S88W16521', 'N88W16521'],
  [HYPHENS, 8715, '87-15'],
  [HYPHENATED, 8705, '87-05'],
  [POINTS, 16],
]

for (const [data, value, ...wanted] of FORMS) {
  test(`${value} on a street with ${JSON.stringify(data)} may be ${wanted.join(' or ') || 'none'}`, () => {
    assert.deepEqual(otherForms(row('indicative', data), numberOf(value)), wanted)
  })
}

/** Given number → the street's nearest numbers. */
const NEAREST: [Data, number | string, ...string[]][] = [
  [POINTS, 16, '14', '12', '20'],
  [POINTS, 99, '98', '20', '14'],
  [POINTS, 500],
  [RANGES, 8000],
  [
    {
      ranges: [
        [7901, 7999, 1],
        [7900, 7998, 2],
      ],
    },
    8000,
    '7999',
    '7998',
  ],
  [{ ranges: [[0, 98, 2]] }, 1, '2'],
  [GRID_RANGES, 'N88W16601', 'N88W16599'],
  [HYPHENATED, '87-17', '87-15', '87-05', '87-01'],
]

for (const [data, value, ...wanted] of NEAREST) {
  test(`nearest to ${value} on a street with ${JSON.stringify(data)}: ${wanted.join(', ') || 'none'}`, () => {
    assert.deepEqual(nearestNumbers(row('indicative', data), numberOf(value), 3), wanted)
  })
}

const street = fc.record({
  points: fc
    .uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 })
    .map((all) => all.toSorted((a, b) => a - b)),
  others: fc.uniqueArray(fc.constantFrom('12B', '14 1/2', '3-15', '2-07', 'N6W100', 'N6W120', '200A'), {
    maxLength: 5,
  }),
})
const ranges = fc.record({
  ranges: fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 99 }), fc.constantFrom(0, 1, 2))
      .map(([low, more, parity]) => [low, low + more, parity]),
    { minLength: 1, maxLength: 4 },
  ),
  others: fc.uniqueArray(fc.constantFrom('N6W100|N6W120|2', '3-01|3-99|1', '2-00|2-98|2'), { maxLength: 3 }),
})
const anyNumber = fc
  .tuple(
    fc.constantFrom('', '', '', 'N6W', 'S6W', '3-', '2-'),
    fc.integer({ min: 1, max: 420 }),
    fc.constantFrom('', '', '', 'A', 'B', ' 1/2'),
  )
  .map(([prefix, n, rest]) => `${prefix}${n}${rest}`)

test('only existing numbers of the street are offered for a missing one', () => {
  fc.assert(
    fc.property(fc.oneof(street, ranges), anyNumber, (data, text) => {
      const one = row('authoritative', data)
      const number = numberOf(text)
      if (hasNumber(numberStatus(one, number))) return
      for (const offered of [...otherForms(one, number), ...nearestNumbers(one, number, 3)])
        assert.ok(hasNumber(numberStatus(one, numberOf(offered))), `${offered} for ${text}`)
    }),
    { numRuns: 2000 },
  )
})
