import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bucket } from './bucket.ts'

test('the rows of a street become one line with ascending, distinct numbers', () => {
  const points = new Bucket('point')
  for (const n of [14, 12, 14, 2]) points.add(points.street('A\t'), { low: n, high: n, parity: 0, others: null })
  points.add(points.street('B\t'), { low: 7, high: 7, parity: 0, others: null })
  for (const text of ['12B', '12B', '12 1/2'])
    points.add(points.street('B\t'), { low: 12, high: 12, parity: 0, others: [text] })
  assert.ok(points.length > 0)
  assert.equal(points.take(), 'A\t2,12,14\t\\N\nB\t7\t"12B","12 1/2"\n')
  assert.deepEqual([points.length, points.take()], [0, ''])

  const ranges = new Bucket('range')
  for (const [low, high, parity] of [
    [101, 199, 1],
    [100, 198, 2],
    [101, 199, 1],
    [100, 110, 0],
  ] as const)
    ranges.add(ranges.street('A\t'), { low, high, parity, others: null })
  ranges.street('unnumbered\t')
  assert.equal(ranges.take(), 'A\t{100,110,0},{100,198,2},{101,199,1}\t\\N\nunnumbered\t\\N\t\\N\n')
})
