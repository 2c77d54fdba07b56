import os from 'node:os'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Task } from './processes.ts'

/** How long to wait for another program on a busy machine, where this one may itself have been stopped. */

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

/** Minimum time between reads of /proc. */
const SAMPLE_MS = 250
/** The most that one interval counts, because this process may itself have been stopped meanwhile. */
const INTERVAL_MAX_MS = 1_000
/** Of one processor. Waiting threads use less for their periodic work, even in a program that hangs. */
const IDLE_CPU_SHARE = 0.05

/**
 * Distinguishes a program that is slow on a busy machine from one that hangs. Returns a function that returns how long, in
 * milliseconds, the program has done nothing: no task was running, waiting for a processor, or in uninterruptible sleep (as
 * during disk I/O), and none used a significant amount of CPU time. Without /proc there are no tasks, so it returns the time
 * since the meter was created.
 */
export function idlenessMeter(read: () => ReadonlyMap<string, Task>, clock = () => performance.now()): () => number {
  let before = read()
  let sampled_at = clock()
  let idle_ms = 0
  return () => {
    const elapsed_ms = clock() - sampled_at
    if (elapsed_ms < SAMPLE_MS) return idle_ms
    const now = read()
    idle_ms = isActive(before, now, elapsed_ms) ? 0 : idle_ms + Math.min(elapsed_ms, INTERVAL_MAX_MS)
    before = now
    sampled_at += elapsed_ms
    return idle_ms
  }
}

/** Only tasks in both samples count: a server that hangs may still start processes that refuse connections. */
function isActive(before: ReadonlyMap<string, Task>, now: ReadonlyMap<string, Task>, elapsed_ms: number): boolean {
  let cpu_ms = 0
  for (const [id, task] of now) {
    const earlier = before.get(id)
    if (earlier === undefined) continue
    if (task.state === 'R' || task.state === 'D') return true
    cpu_ms += task.cpu_ms - earlier.cpu_ms
  }
  return cpu_ms >= elapsed_ms * IDLE_CPU_SHARE
}

/** Bounded, because a program that hangs must be detected eventually. */
const LOAD_MAX = 5

/** How much longer something may take than on an idle machine: the number of tasks that want a processor, per processor. */
export function loadFactor([one_minute = 0] = os.loadavg(), processors = os.availableParallelism()): number {
  return Math.min(Math.max(one_minute / processors, 1), LOAD_MAX)
}
