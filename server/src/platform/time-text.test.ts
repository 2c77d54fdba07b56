import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timeText } from './time-text.ts'

test('a time is written as toISOString writes it, of any year and in any order', () => {
  const any = fc.date({ noInvalidDate: true })
  const near = fc.integer({ min: -100_000_000, max: 2_000_000_000_000 }).map((ms) => new Date(ms))
  fc.assert(
    fc.property(fc.array(fc.oneof(any, near), { maxLength: 5 }), (times) => {
      for (const time of times) assert.equal(timeText(time), time.toISOString())
    }),
    { numRuns: 2_000 },
  )
  for (const ms of [-8.64e15, -62_198_755_200_000, -1, 0, 86_399_999, 86_400_000, 253_402_300_800_000, 8.64e15])
    assert.equal(timeText(new Date(ms)), new Date(ms).toISOString())
})

test('no time stays null, and an invalid one is refused', () => {
  assert.equal(timeText(null), null)
  assert.throws(() => timeText(new Date(NaN)), RangeError)
})
