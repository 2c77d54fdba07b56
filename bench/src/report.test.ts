import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns, median } from './report.ts'

test('sides are measured in turns, and rounds that warm up are not counted', async () => {
  const order: string[] = []
  const side = (name: string) => ({
    name,
    run(round: number) {
      order.push(name)
      return Promise.resolve([round, round * 10])
    },
  })
  const { sides, rounds } = await inTurns([side('a'), side('b')], 2, 1)
  assert.deepEqual(order, ['a', 'b', 'a', 'b', 'a', 'b'])
  assert.equal(rounds, 2)
  assert.deepEqual(sides, [
    {
      name: 'a',
      values: [
        [0, 1],
        [0, 10],
      ],
    },
    {
      name: 'b',
      values: [
        [0, 1],
        [0, 10],
      ],
    },
  ])
})

test('the median of an odd number of rounds is the middle one', () => {
  assert.equal(median([9, 1, 4]), 4)
})
