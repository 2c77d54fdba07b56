import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { edits, lettersIn, mayBeWithin } from './edits.ts'

for (const [a, b, distance] of [
  ['', '', 0],
  ['MAIN', 'MAIN', 0],
  ['MAIN', 'MIAN', 1],
  ['MAIN', 'MAN', 1],
  ['MAIN', 'MAINE', 1],
  ['MAIN', 'VAIN', 1],
  ['CA', 'ABC', 3],
  ['HICKORY', 'HIKCORI', 2],
] as const) {
  test(`"${a}" is ${distance} from "${b}"`, () => assert.equal(edits(a, b, 9), distance))
}

test('the distance matches the full table for any limit', () => {
  const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C', 'D'), maxLength: 9 })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 9 }), (a, b, limit) => {
      assert.equal(edits(a, b, limit), Math.min(table(a, b), limit + 1))
    }),
    { numRuns: 5_000 },
  )
})

test('texts within the limit of edits always pass the filter by letters', () => {
  const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C', '1', '2', '9', ' '), maxLength: 9 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.ok(mayBeWithin(lettersIn(a), lettersIn(b), edits(a, b, 9)))
    }),
    { numRuns: 5_000 },
  )
})

/** The definition, without optimization. */
function table(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : i)),
  )
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(i - 2, j - 2) + 1)
      const row = rows[i]
      if (row) row[j] = best
    }
  }
  return at(a.length, b.length)
}
