/** Two ways to wait for one's turn. */

/** Runs pieces of work one after another, in the order in which they came. A failed one does not hold up the next. */
export function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

/** Lets `places` in at a time. Resolves to the function that gives the place back, which may be called more than once. */
export function makeGate(places: number): (signal?: AbortSignal) => Promise<() => void> {
  let free = places
  const waiting: (() => void)[] = []

  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return (signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      let inside = false
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp)
        inside = true
        resolve(() => {
          if (inside) leave()
          inside = false
        })
      }
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(signal?.reason)
      }
      if (free > 0) {
        free -= 1
        enter()
      } else {
        waiting.push(enter)
        signal?.addEventListener('abort', giveUp, { once: true })
      }
    })
}
