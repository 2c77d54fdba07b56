import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

/** Slices of a wait. Each counts at most twice its length, because this process may itself have been stopped or busy. */
const PARTS = 8

/**
 * The result of `response`, or `silent` on timeout. Time during which this process could not have noticed a response does not
 * count. Handling a late response is up to the caller.
 */
export async function within<T>(response: Promise<T>, wait_ms: number): Promise<T | 'silent'> {
  const part_ms = wait_ms / PARTS
  let waited_ms = 0
  while (waited_ms < wait_ms) {
    const began = performance.now()
    const over = new AbortController()
    try {
      const late = sleep(part_ms, 'late' as const, { signal: over.signal })
      const result = await Promise.race([response, late])
      if (result !== 'late') return result
    } finally {
      over.abort()
    }
    waited_ms += Math.min(performance.now() - began, 2 * part_ms)
  }
  // timers run before received data is read
  for (let i = 0; i < 2; i += 1) {
    const result = await Promise.race([response, turn('late' as const)])
    if (result !== 'late') return result
  }
  return 'silent'
}
