import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authority } from './rows.ts'
import { numberStatus, type NumberStatus } from './numbers.ts'
import type { StreetRow } from './rows.ts'

const row = (authority: Authority, data: { ranges?: number[][]; points?: number[] }): StreetRow => ({
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

/** Number → status in indicative and in authoritative data. */
const GRID: [string, { ranges?: number[][]; points?: number[] }, number, NumberStatus, NumberStatus][] = [
  ['the low end of a range', RANGES, 100, 'range', 'range'],
  ['the high end', RANGES, 199, 'range', 'range'],
  ['the wrong side of a range', RANGES, 302, 'gap', 'outside'],
  ['either side of a mixed range', RANGES, 501, 'range', 'range'],
  ['between two ranges', RANGES, 250, 'gap', 'outside'],
  ['below all', RANGES, 99, 'outside', 'outside'],
  ['above all', RANGES, 521, 'outside', 'outside'],
  ['a known point', POINTS, 20, 'point', 'point'],
  ['between points', POINTS, 15, 'gap', 'outside'],
  ['beyond the points', POINTS, 99, 'outside', 'outside'],
  ['a street without numbers', {}, 7, 'unnumbered', 'unnumbered'],
]

for (const [what, data, n, indicative, authoritative] of GRID) {
  test(`${what}: ${indicative}, in authoritative data ${authoritative}`, () => {
    assert.equal(numberStatus(row('indicative', data), [n]), indicative)
    assert.equal(numberStatus(row('authoritative', data), [n]), authoritative)
  })
}

test('a building with several numbers has the best status of them', () => {
  assert.equal(numberStatus(row('indicative', POINTS), [1214, 12]), 'point')
})
