import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bucket } from './bucket.ts'

test('the rows of one street are one line, its numbers ascending, each once', () => {
  const points = new Bucket('point')
  for (const n of [14, 12, 14, 2]) points.add(points.street('A\t'), n, n, 0)
  points.add(points.street('B\t'), 7, 7, 0)
  assert.ok(points.length > 0)
  assert.equal(points.take(), 'A\t2,12,14\nB\t7\n')
  assert.deepEqual([points.length, points.take()], [0, ''])

  const ranges = new Bucket('range')
  for (const [low, high, parity] of [
    [101, 199, 1],
    [100, 198, 2],
    [101, 199, 1],
    [100, 110, 0],
  ] as const)
    ranges.add(ranges.street('A\t'), low, high, parity)
  ranges.street('unnumbered\t')
  assert.equal(ranges.take(), 'A\t{100,110,0},{100,198,2},{101,199,1}\nunnumbered\t\\N\n')
})
