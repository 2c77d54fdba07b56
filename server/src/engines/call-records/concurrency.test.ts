import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSemaphore, TooManyWait } from './concurrency.ts'

test('a semaphore releases a permit only once, even if release is called repeatedly', async () => {
  const acquire = makeSemaphore(1)
  const release = await acquire()
  release()
  release()
  await acquire()
  await assert.rejects(acquire(AbortSignal.timeout(20)), { name: 'TimeoutError' })
})

test('a semaphore grants permits in request order', async () => {
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

test('a semaphore rejects immediately when the maximum number of requests are waiting', async () => {
  const acquire = makeSemaphore(1)
  const release = await acquire()
  const waiting = acquire(undefined, 1)
  await assert.rejects(acquire(undefined, 1), TooManyWait)
  release()
  ;(await waiting)()
  ;(await acquire(undefined, 1))()
})

test('requests that need a permit soon get every other turn, and are counted separately', async () => {
  const acquire = makeSemaphore(1)
  const release = await acquire()
  const order: string[] = []
  const enter = async (name: string, soon_max?: number): Promise<void> => {
    const leave = await acquire(undefined, soon_max)
    order.push(name)
    leave()
  }
  const all = [enter('other 1'), enter('other 2'), enter('soon 1', 2), enter('soon 2', 2)]
  await assert.rejects(enter('soon 3', 2), TooManyWait)
  release()
  await Promise.all(all)
  assert.deepEqual(order, ['soon 1', 'other 1', 'soon 2', 'other 2'])
})
