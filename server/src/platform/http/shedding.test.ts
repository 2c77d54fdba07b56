import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { LoopDelay } from './shedding.ts'

const busy = (ms: number) => {
  for (const began = performance.now(); performance.now() - began < ms;);
}

test('a delay counts only while every turn of the event loop has it', async (t) => {
  const loop = new LoopDelay()
  t.after(() => loop.close())
  busy(300)
  await new Promise(setImmediate)
  assert.ok(loop.standing_ms() < 100, 'a single long turn does not count')
  const blocking = setInterval(() => busy(150), 1)
  await eventually(async () => loop.standing_ms() > 50)
  clearInterval(blocking)
  await eventually(async () => loop.standing_ms() < 50)
})
