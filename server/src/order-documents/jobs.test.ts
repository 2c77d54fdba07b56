import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPullSlots } from './jobs.ts'

const at = (ms: number) => new Date(ms)

test('the slots of an account in a worker are limited; retries are spread out', () => {
  const slots = createPullSlots({ per_account: 2, wait_ms: 1000, wait_gap_ms: 100 })
  assert.equal(slots.acquire('1', at(0)), null)
  assert.equal(slots.acquire('1', at(0)), null)
  assert.deepEqual(slots.acquire('1', at(0)), at(1000))
  assert.deepEqual(slots.acquire('1', at(0)), at(1100))
  assert.deepEqual(slots.acquire('1', at(5000)), at(6000))
  assert.equal(slots.acquire('2', at(0)), null, 'another account had to wait')
  slots.release('1')
  assert.equal(slots.acquire('1', at(5000)), null)
})
