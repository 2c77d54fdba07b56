import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { postalData } from '../addresses/index.ts'
import { coverageByCounty } from './counties.ts'

/** What the states with the most ZIP codes need. All states need six times as many. */
const lookups_max = 12_000

test('the counties of all states are computed a few states per turn of the event loop', async (t) => {
  const { db } = await testDatabase(t)
  const data = postalData()
  const { zip } = data
  let in_turn = 0
  let most = 0
  data.zip = (code) => {
    most = Math.max(most, (in_turn += 1))
    return zip(code)
  }
  let counting = setImmediate(function count() {
    in_turn = 0
    counting = setImmediate(count)
  })
  t.after(() => {
    data.zip = zip
    clearImmediate(counting)
  })
  assert.ok((await coverageByCounty(db, undefined)).length > 3000)
  assert.ok(most > 0 && most <= lookups_max, `${most} in one turn`)
})
