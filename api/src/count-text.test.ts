import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText } from './count-text.ts'

test('a count has its noun', () => {
  assert.deepEqual(
    [0, 1, 2_000].map((count) => countText(count, 'number')),
    ['0 numbers', '1 number', '2,000 numbers'],
  )
  assert.deepEqual(
    [1, 2].map((count) => countText(count, 'address is', 'addresses are')),
    ['1 address is', '2 addresses are'],
  )
})
