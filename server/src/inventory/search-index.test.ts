import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchIndex, type DigitFilter, type IndexEntry } from './search-index.ts'

/** The index compared with filters that look at one number after the other. */

let seed = 7
const below = (n: number) => (seed = (seed * 16_807) % 2_147_483_647) % n

function randomEntries(count: number): IndexEntry[] {
  const numbers = new Set<number>()
  while (numbers.size < count) {
    const first = 12_000_000_000 + below(700_000) * 10_000 + below(9000)
    for (let i = 0; i < 1 + below(60) && numbers.size < count; i++) numbers.add(first + i)
  }
  return [...numbers]
    .toSorted((a, b) => a - b)
    .map((number) => ({ number, profile_id: Math.floor(number / (1 + below(2) * 200)) % 5, available: below(8) > 0 }))
}

function expected(entries: readonly IndexEntry[], filter: DigitFilter, allowed: Uint8Array | null): number[] {
  const { starts_with = '', ends_with = '', contains = [], consecutive = 1 } = filter
  const found = entries.filter(({ number, profile_id, available }) => {
    const text = String(number)
    return (
      available &&
      (!allowed || allowed[profile_id] === 1) &&
      text.startsWith(starts_with) &&
      text.endsWith(ends_with) &&
      contains.every((digits) => text.includes(digits))
    )
  })
  const runs: number[][] = []
  for (const { number } of found) {
    const last = runs.at(-1)
    if (last?.at(-1) === number - 1) last.push(number)
    else runs.push([number])
  }
  return runs.filter((run) => run.length >= consecutive).flat()
}

const filters: DigitFilter[] = [
  {},
  { starts_with: '1' },
  { starts_with: '12' },
  { starts_with: '1234' },
  { starts_with: '2' },
  { contains: ['1'] },
  { contains: ['12'] },
  { contains: ['7', '42'] },
  { contains: ['123456789012'] },
  { ends_with: '7' },
  { ends_with: '123' },
  { ends_with: '0', starts_with: '14', contains: ['5'] },
  ...[2, 3, 7, 33, 40, 64].map((consecutive) => ({ consecutive })),
  { consecutive: 5, contains: ['3'] },
  { consecutive: 4, starts_with: '15' },
]

test('every filter finds the same numbers as looking at each, with exact totals, pages, and groups', async () => {
  for (const count of [0, 1, 31, 32, 33, 5000]) {
    const entries = randomEntries(count)
    const index = await SearchIndex.build(entries)
    for (const filter of filters)
      for (const allowed of [null, Uint8Array.from([1, 0, 1, 1, 0]), new Uint8Array(5)]) {
        const numbers = expected(entries, filter, allowed)
        const matches = index.search(filter, allowed)
        const where = `${count} ${JSON.stringify(filter)}`
        assert.equal(matches.total, numbers.length, where)
        assert.deepEqual(
          matches.page(10_000, 0).map(({ number }) => number),
          numbers,
          where,
        )
        assert.deepEqual(
          matches.page(3, 40).map(({ number }) => number),
          numbers.slice(40, 43),
        )
        const counts = Map.groupBy(numbers, (number) => Math.floor(number / 10_000_000))
        assert.deepEqual(
          matches.groups(10_000_000),
          [...counts].map(([prefix, { length }]) => ({ prefix, count: length })),
        )
      }
  }
})

test('an index with changed and added numbers equals one that was built with them', async () => {
  const entries = randomEntries(4000)
  const [old, added] = [entries.filter((_, i) => i % 3 > 0), entries.filter((_, i) => i % 3 === 0)]
  const index = await SearchIndex.build(old)
  assert.equal(index.set({ number: 19_999_999_999, profile_id: 1, available: true }), false)
  const changed = old.map((entry) =>
    below(4) > 0 ? entry : { ...entry, profile_id: below(5), available: !entry.available },
  )
  for (const entry of changed) assert.ok(index.set(entry))
  const merged = await SearchIndex.build(added, index)
  const all = [...changed, ...added].toSorted((a, b) => a.number - b.number)
  assert.equal(merged.size, all.length)
  const allowed = Uint8Array.from([0, 1, 1, 0, 1])
  for (const filter of filters)
    assert.deepEqual(
      merged
        .search(filter, allowed)
        .page(10_000, 0)
        .map(({ number }) => number),
      expected(all, filter, allowed),
    )
})
