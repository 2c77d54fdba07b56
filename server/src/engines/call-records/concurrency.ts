/** A serial queue and a counting semaphore. */

/** Runs functions one after another, in the order of the calls. A rejected one does not block the next. */
export function makeSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

/** Grants `permits` at a time, first come, first served. Resolves to the function that releases the permit; calling it again does nothing. */
export function makeSemaphore(permits: number): (signal?: AbortSignal) => Promise<() => void> {
  let free = permits
  const waiting: (() => void)[] = []

  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return (signal) =>
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
      } else {
        waiting.push(acquire)
        signal?.addEventListener('abort', cancel, { once: true })
      }
    })
}
