/** A counting semaphore. */

/** More wait for a permit than will soon have one. */
export class TooManyWait extends Error {
  override name = 'TooManyWait'
}

/**
 * Grants `permits` at a time, first come, first served. Rejects when the signal aborts, and with TooManyWait when more than `waiting_max`
 * wait already. Resolves to the function that releases the permit; calling it again does nothing.
 */
export function makeSemaphore(permits: number): (signal?: AbortSignal, waiting_max?: number) => Promise<() => void> {
  let free = permits
  const waiting: (() => void)[] = []

  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return (signal, waiting_max = Infinity) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
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
        waiting.splice(waiting.indexOf(acquire), 1)
        reject(signal?.reason)
      }
      if (free > 0) {
        free -= 1
        acquire()
      } else if (waiting.length >= waiting_max) reject(new TooManyWait())
      else {
        waiting.push(acquire)
        signal?.addEventListener('abort', cancel, { once: true })
      }
    })
}

/** Runs the work once the permit is granted, and releases it when the work has ended. */
export async function holding<T>(permit: Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const release = await permit
  try {
    return await work()
  } finally {
    release()
  }
}
