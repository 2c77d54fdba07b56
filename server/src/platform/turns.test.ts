import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownTurn } from './turns.ts'

test('of several long tasks that wait, one continues in each turn of the event loop', async (t) => {
  let turn = 0
  let counting = setImmediate(function count() {
    turn += 1
    counting = setImmediate(count)
  })
  t.after(() => clearImmediate(counting))
  const turns = await Promise.all(Array.from({ length: 5 }, () => ownTurn(20_000).then(() => turn)))
  assert.deepEqual(
    turns.map((each) => each - (turns[0] ?? 0)),
    [0, 1, 2, 3, 4],
  )
})

test('a short task does not wait', async () => {
  let passed = false
  const later = setImmediate(() => (passed = true))
  await ownTurn(100)
  assert.equal(passed, false)
  clearImmediate(later)
})
