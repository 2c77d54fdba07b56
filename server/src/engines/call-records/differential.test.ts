/** Compares every filter with a reference implementation over 100,000 records: same records, exactly the same totals. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ALL_TIME, seededRandom } from './testing/records.ts'
import { testWarehouse } from '../../../test/support/engine.ts'
import { measure } from './stream.ts'
import { makeRecords, MINE, singleFilters } from './testing/random-records.ts'
import { referenceFilter, referenceTotals } from './testing/reference-filter.ts'
import type { CdrFilter } from './types.ts'

const RECORDS = 100_000
const SEED = 20_250_301

const records = makeRecords(seededRandom(SEED), RECORDS)
const mine = records.filter((record) => record.account_id === MINE)
const store = await testWarehouse()
assert.deepEqual(await store.warehouse.insert(records), { accepted: RECORDS, duplicates: 0 })

describe('filters', () => {
  for (const [name, filters] of Object.entries(singleFilters(seededRandom(SEED + 1), mine))) {
    test(`${name}: the store agrees with the reference`, async () => {
      for (const filter of filters) await agree({ ...ALL_TIME, ...filter })
    })
  }

  test('in random combinations: the store agrees with the reference', async () => {
    const random = seededRandom(SEED + 2)
    const singles = Object.values(singleFilters(random, mine))
    let matching = 0
    for (let round = 0; round < 60; round += 1) {
      const filters = Array.from({ length: 2 + random.below(4) }, () => random.pick(random.pick(singles)))
      matching += await agree(Object.assign({}, ALL_TIME, ...filters) as CdrFilter)
    }
    assert.ok(matching > 1000, 'the combinations match too little to prove anything')
  })

  test('time bounds are exact to the millisecond', async () => {
    const random = seededRandom(SEED + 3)
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [random.pick(mine), random.pick(mine)]
        .map((record) => record.start_time.getTime())
        .toSorted((x, y) => x - y)
      for (const [from, to] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [-1, 1],
      ] as const) {
        await agree({
          start_call_start_time: new Date((a ?? 0) + from),
          start_call_end_time: new Date((b ?? 0) + to),
        })
      }
    }
  })
})

/** Some slices, and some records in each. */
const SLICE_ROWS = 20_000

/** Compares each record and the totals; returns how many records passed. */
async function agree(filter: CdrFilter): Promise<number> {
  const { clickhouse, database } = store
  const expected = mine.filter(referenceFilter(filter))
  const query = { account_id: MINE, filter }
  const { parts, totals } = await measure({ clickhouse, database, slice_rows: SLICE_ROWS }, query)
  const ids: string[] = []
  for (const { from } of parts) {
    // All ids in one text, because parsing tens of thousands of rows takes longer than the query.
    const [row] = await clickhouse.rows<[string]>(`SELECT arrayStringConcat(groupArray(id), ',') ${from}`)
    if (row?.[0]) ids.push(...row[0].split(','))
  }
  const found = new Set(ids)
  const context = JSON.stringify(filter)
  assert.equal(found.size, ids.length, 'a record was returned twice')
  const missing = expected.filter((record) => !found.delete(record.id))
  assert.deepEqual({ missing: missing.slice(0, 3), extra: [...found].slice(0, 3) }, { missing: [], extra: [] }, context)
  assert.deepEqual(totals, referenceTotals(expected), context)
  return expected.length
}
