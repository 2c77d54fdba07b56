import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeGate, makeQueue } from './gate.ts'

test('a queue runs one piece of work after another, also after one that failed', async () => {
  const queue = makeQueue()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} in`)
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(`${name} out`)
    if (name === 'b') throw new Error('b failed')
    return name
  }
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue(work(name))))
  assert.deepEqual(seen, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a gate gives a place back once, however often it is told to', async () => {
  const enter = makeGate(1)
  const leave = await enter()
  leave()
  leave()
  await enter()
  await assert.rejects(enter(AbortSignal.timeout(20)), { name: 'TimeoutError' })
})

test('a place at a gate goes to who waited longest', async () => {
  const enter = makeGate(1)
  const leave = await enter()
  const seen: number[] = []
  const waiting = [1, 2].map(async (number) => {
    const out = await enter()
    seen.push(number)
    out()
  })
  leave()
  await Promise.all(waiting)
  assert.deepEqual(seen, [1, 2])
})
