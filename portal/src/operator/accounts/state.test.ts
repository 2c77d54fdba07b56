import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from './state.ts'

const now = Date.parse('2026-11-22T12:00:00Z')
const used = {
  people_count: 1,
  keys_count: 1,
  waiting_port_orders_count: 0,
  last_used_at: '2026-10-01T12:00:00Z',
  last_signed_in_at: '2026-11-21T12:00:00Z',
}

test('an account’s state shows required action first', () => {
  const texts = [
    used,
    { ...used, waiting_port_orders_count: 2 },
    { ...used, people_count: 0, keys_count: 0, waiting_port_orders_count: 2 },
    { ...used, last_signed_in_at: null },
    { ...used, last_signed_in_at: null, last_used_at: null },
  ].map((each) => stateOf(each, now).text)
  assert.deepEqual(texts, ['In use', 'Waiting on us', 'No access yet', 'Inactive for 30 days', 'Never used'])
})
