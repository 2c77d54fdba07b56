import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces } from './jobs.ts'

const at = (ms: number) => new Date(ms)

test('an account has so many places in a worker; what waits comes back one after another', () => {
  const places = createPlaces({ per_account: 2, wait_ms: 1000, wait_gap_ms: 100 })
  assert.equal(places.take('1', at(0)), null)
  assert.equal(places.take('1', at(0)), null)
  assert.deepEqual(places.take('1', at(0)), at(1000))
  assert.deepEqual(places.take('1', at(0)), at(1100))
  assert.deepEqual(places.take('1', at(5000)), at(6000))
  assert.equal(places.take('2', at(0)), null, 'another account had to wait')
  places.leave('1')
  assert.equal(places.take('1', at(5000)), null)
})
