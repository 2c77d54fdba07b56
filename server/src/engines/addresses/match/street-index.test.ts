import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseStreet, type StreetPlace } from '../normalize/street.ts'
import type { StreetName } from './rows.ts'
import { ALIKE, indexedCandidate, likeness, typed } from './score.ts'
import { StreetIndex } from './street-index.ts'

const US: StreetPlace = { country: 'US', state: 'NC' }

function row(text: string, id: string): StreetName {
  const { label, key } = parseStreet(text, US)
  const place = { state: 'NC', postal: '27944', city: 'HERTFORD', city_key: 'HERTFORD', city_derived: false }
  return { id, dataset_id: 1, authority: 'indicative', ...place, label, key }
}

/** Names of few letters, so that many are similar, in every combination of the other elements. */
const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C', 'S', 'T', '1'), minLength: 1, maxLength: 6 })
/** Longer ones, of which many sound alike. */
const sound = fc.string({ unit: fc.constantFrom('A', 'E', 'PH', 'F', 'L', 'R', 'Y'), minLength: 3, maxLength: 8 })
const street = fc
  .tuple(
    fc.constantFrom('', '', 'N ', 'SW '),
    fc.oneof(
      word,
      sound,
      fc.tuple(word, word).map((both) => both.join(' ')),
      fc.constantFrom('CR 12', 'US 12', '12TH', '12', 'ST ABC', 'LAKE VIEW', 'LAKEVIEW', 'COUNTY RD A'),
    ),
    fc.constantFrom('', ' ST', ' AVE', ' RD'),
    fc.constantFrom('', '', ' N'),
  )
  .map((parts) => parts.join(''))

test('the first search and the index find all that comparing every street would find', () => {
  fc.assert(
    fc.property(fc.array(street, { minLength: 1, maxLength: 40 }), street, (streets, text) => {
      const rows = streets.map((one, i) => row(one, String(i)))
      const mine = typed(text, US)
      const all = rows
        .map((one) => ({ id: one.id, score: likeness(mine, indexedCandidate(one.label, one.key)) }))
        .filter(({ score }) => score >= ALIKE)
      const index = StreetIndex.of(rows)
      const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id)
      for (let search = 1; search <= 2; search++) {
        const found = index.alike(mine).map(({ row: { id }, score }) => ({ id, score }))
        assert.deepEqual(found.toSorted(byId), all.toSorted(byId))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a street in several codes is compared once and found in each', () => {
  const index = StreetIndex.of([row('Bay St', '1'), { ...row('Bay St', '2'), postal: '27919' }])
  assert.equal(index.size, 2)
  assert.deepEqual(
    index.alike(typed('Bya St', US)).map(({ row: { postal } }) => postal),
    ['27944', '27919'],
  )
})
