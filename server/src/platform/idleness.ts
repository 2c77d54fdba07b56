import os from 'node:os'
import type { Task } from './processes.ts'

/** How often /proc is read, however often the meter is. */
const SAMPLE_MS = 250
/** What one interval counts at most: the measuring process may itself have been stopped meanwhile. */
const INTERVAL_MAX_MS = 1_000
/** Of one processor. Less is the periodic work of threads that wait: in a program that hangs it goes on. */
const IDLE_CPU_SHARE = 0.05

/**
 * Distinguishes a program that is slow on a busy machine from one that hangs. The function it returns has the time, in milliseconds, for
 * which nothing was done: no task was running, waiting for a processor or in uninterruptible sleep (as during disk I/O), and none used
 * processor time worth mentioning. Without /proc there are no tasks, and that is the time since the meter was made.
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

/** Only tasks of both samples count: a server that hangs may still start processes that refuse connections. */
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

/** A limit that grew without bound would let what hangs stay. */
const LOAD_MAX = 5

/** How many times longer than on an idle machine something may take: the tasks that want a processor, for each there is. */
export function loadFactor([one_minute = 0] = os.loadavg(), processors = os.availableParallelism()): number {
  return Math.min(Math.max(one_minute / processors, 1), LOAD_MAX)
}
