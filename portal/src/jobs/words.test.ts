import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingText } from './words.ts'

test('a count of failing endpoints is exact below the end of the list', () => {
  assert.deepEqual([0, 1, 199, 200].map(failingText), [
    'No endpoints are failing',
    '1 endpoint is failing',
    '199 endpoints are failing',
    'At least 200 endpoints are failing',
  ])
})
