import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesSince } from './rules.ts'

test('lists blocks added and removed since they were copied', () => {
  assert.deepEqual(changesSince(['192.0.2.0/28', '198.51.100.7/32'], ['192.0.2.0/28', '2001:db8::/48']), {
    added: ['2001:db8::/48'],
    removed: ['198.51.100.7/32'],
  })
  assert.deepEqual(changesSince(['192.0.2.0/28'], ['192.0.2.0/28']), { added: [], removed: [] })
})
