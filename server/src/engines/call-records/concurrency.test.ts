import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSemaphore, makeSerialQueue } from './concurrency.ts'

test('a serial queue runs one function after another, also after one that failed', async () => {
  const queue = makeSerialQueue()
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

test('a semaphore releases a permit once, however often release is called', async () => {
  const acquire = makeSemaphore(1)
  const release = await acquire()
  release()
  release()
  await acquire()
  await assert.rejects(acquire(AbortSignal.timeout(20)), { name: 'TimeoutError' })
})

test('a semaphore grants permits in the order of the requests', async () => {
  const acquire = makeSemaphore(1)
  const release = await acquire()
  const seen: number[] = []
  const waiting = [1, 2].map(async (number) => {
    const done = await acquire()
    seen.push(number)
    done()
  })
  release()
  await Promise.all(waiting)
  assert.deepEqual(seen, [1, 2])
})
