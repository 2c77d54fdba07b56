/** Compares summaries and the newest records with a reference implementation over a few thousand records. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWarehouse } from '../../../test/support/engine.ts'
import { blockOf } from './rows.ts'
import { INSERTED } from './schema.ts'
import { freshAccount } from './testing/accounts.ts'
import { makeRecords, MINE, singleFilters } from './testing/random-records.ts'
import { ALL_TIME, seededRandom } from './testing/records.ts'
import { referenceFilter } from './testing/reference-filter.ts'
import { referenceSummary } from './testing/reference-summary.ts'
import type { CdrFilter, CdrGrouping, CdrRecord } from './types.ts'

const SEED = 20_261_122
// several slices
const { warehouse, clickhouse, database, table } = await testWarehouse({ slice_rows: 2500 })
const records = makeRecords(seededRandom(SEED), 5000)
const mine = records.filter((record) => record.account_id === MINE)
await warehouse.insert(records)

const ten_days = Array.from({ length: 12 }, (_, n) => new Date(Date.UTC(2024, 11, 20 + n * 10, 23, 15)))
const groupings: readonly CdrGrouping[] = [
  'direction',
  'result',
  'country',
  'alias',
  'number',
  'fee',
  { starts: [ALL_TIME.start_call_start_time, ...ten_days] },
]

test('calls, seconds, and costs match the reference exactly for each grouping with random filters', async () => {
  const random = seededRandom(SEED + 1)
  const singles = Object.values(singleFilters(random, mine))
  let matching = 0
  for (const by of groupings)
    for (let round = 0; round < 4; round += 1) {
      const filters = Array.from({ length: round % 4 }, () => random.pick(random.pick(singles)))
      const filter = Object.assign({}, ALL_TIME, ...filters) as CdrFilter
      const expected = mine.filter(referenceFilter(filter))
      const most = random.pick([1, 7, 400])
      const summary = await warehouse.summarize({ account_id: MINE, filter }, { by, most })
      // no calls give the same result whether or not the engine read any records
      const groups = summary.totals.num_calls === 0 ? [] : summary.groups
      assert.deepEqual({ ...summary, groups }, referenceSummary(expected, by, most), JSON.stringify({ by, filter }))
      matching += expected.length
    }
  assert.ok(matching > 6000, 'the filters match too little to prove anything')
})

test('the newest records match the reference, newest first, with the columns of a file', async () => {
  const random = seededRandom(SEED + 2)
  const singles = Object.values(singleFilters(random, mine)).flat()
  for (let round = 0; round < 8; round += 1) {
    const filter: CdrFilter = { ...ALL_TIME, ...random.pick(singles) }
    const expected = mine.filter(referenceFilter(filter)).toSorted(newerFirst).slice(0, 20)
    const found = await warehouse.newest({ account_id: MINE, filter }, 20)
    assert.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
      JSON.stringify(filter),
    )
    for (const [n, { columns }] of found.entries()) {
      assert.equal(columns['start_time'], expected[n]?.start_time.toISOString())
      assert.equal(columns['number_alias'], expected[n]?.number_alias)
      assert.deepEqual(columns['custom_x_tag'], expected[n]?.custom_x_tag)
      assert.equal(Object.keys(columns).length, 25)
    }
  }
})

test('a record that was delivered twice counts once, as delivered first', async () => {
  const { query, record } = freshAccount()
  const calls = Array.from({ length: 20 }, (_, n) => record({ id: `r${n}`, billed_duration: 6, cost_subtotal: '0.1' }))
  await warehouse.insert(calls)
  await clickhouse.run(`SYSTEM STOP MERGES ${table}`)
  const again = calls.slice(0, 5).map((each) => ({ ...each, billed_duration: 60, result: 'busy' as const }))
  await clickhouse.insert(`${database}.cdr`, INSERTED, [blockOf(...again).encode(Date.now() * 1000)])
  const { totals, groups } = await warehouse.summarize(query, { by: 'result', most: 9 })
  assert.deepEqual(totals, { num_calls: 20, billed_seconds: '120', total_cost: '2.03' })
  assert.deepEqual(groups, [{ key: 'completed', ...totals }])
  assert.equal((await warehouse.newest(query, 50)).length, 20)
  await clickhouse.run(`SYSTEM START MERGES ${table}`)
})

test('without records there are no groups, and the sums are zero', async () => {
  const { query } = freshAccount()
  for (const by of groupings)
    assert.deepEqual(await warehouse.summarize(query, { by, most: 5 }), {
      totals: { num_calls: 0, billed_seconds: '0', total_cost: '0' },
      groups: [],
      others: null,
    })
  assert.deepEqual(await warehouse.newest(query, 5), [])
})

function newerFirst(a: CdrRecord, b: CdrRecord): number {
  return b.start_time.getTime() - a.start_time.getTime() || (a.id < b.id ? 1 : -1)
}
