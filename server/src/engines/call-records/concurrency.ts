/** A counting semaphore. */

/** Too many requests are waiting for a permit. */
export class TooManyWait extends Error {
  override name = 'TooManyWait'
}

/** Requests with `soon_max` get every other permit, and at most `soon_max` of them may wait. */
export type Semaphore = (signal?: AbortSignal, soon_max?: number) => Promise<() => void>

/**
 * Grants up to `permits` at a time, first come, first served. Rejects when the signal aborts, and with TooManyWait if
 * `soon_max` requests are already waiting. Resolves to a function that releases the permit; calling it again does nothing.
 */
export function makeSemaphore(permits: number): Semaphore {
  let free = permits
  const others: (() => void)[] = []
  const soon: (() => void)[] = []

  let soon_was_last = false

  const release = (): void => {
    soon_was_last = soon.length > 0 && !(soon_was_last && others.length > 0)
    const next = (soon_was_last ? soon : others).shift()
    if (next === undefined) free += 1
    else next()
  }

  return (signal, soon_max) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const queue = soon_max === undefined ? others : soon
      let acquired = false
      const acquire = (): void => {
        signal?.removeEventListener('abort', cancel)
        acquired = true
        resolve(() => {
          if (acquired) release()
          acquired = false
        })
      }
      const cancel = (): void => {
        queue.splice(queue.indexOf(acquire), 1)
        reject(signal?.reason)
      }
      if (free > 0) {
        free -= 1
        acquire()
      } else if (queue.length >= (soon_max ?? Infinity)) reject(new TooManyWait())
      else {
        queue.push(acquire)
        signal?.addEventListener('abort', cancel, { once: true })
      }
    })
}

/** Runs the work when the permit is granted, then releases it. */
export async function withPermit<T>(permit: Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const release = await permit
  try {
    return await work()
  } finally {
    release()
  }
}
