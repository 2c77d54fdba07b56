import type { Log } from '../platform/db.ts'

/** From the signal to the exit; orchestrators commonly kill after ten seconds. */
const stop_within_ms = 9_500

/** How often a process that ends with its parent looks whether that is still there. */
const parent_check_ms = 1_000

export interface Stopper {
  /** Does this at the end; what was added last is done first. */
  atStop(work: () => Promise<void>): void
  /** From then on parts go away; whoever is still starting up on them fails, and that is no fault. */
  stopping(): boolean
  /** Stops and exits with `code`. Does nothing when it is under way already. */
  stop(reason: string, code: number): void
}

/**
 * Stops once at SIGTERM, SIGINT or SIGHUP, and when a parent that talks to it, or any parent with `with_parent`, is gone;
 * then exits. A second signal or the time limit ends at once: everything acknowledged is committed, so nothing is lost by
 * it. To be called first thing, so that no signal comes too early.
 */
export function stopOnSignals(log: Log, { with_parent }: { with_parent: boolean }): Stopper {
  const work: (() => Promise<void>)[] = []
  let stopping = false
  const end = async (code: number) => {
    try {
      // looked at anew each time: what was still opening adds itself when it stands
      for (let next = work.pop(); next; next = work.pop()) await next()
      process.exit(code)
    } catch (error) {
      log.error({ err: error }, 'could not stop cleanly')
      process.exit(1)
    }
  }
  const stop = (reason: string, code: number) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), stop_within_ms).unref()
    void end(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stop(signal, 0)
    })
  process.on('disconnect', () => stop('the parent is gone', 0))
  if (with_parent) {
    const parent = process.ppid
    setInterval(() => {
      if (process.ppid !== parent) stop('the parent is gone', 0)
    }, parent_check_ms).unref()
  }
  // it may have gone while this process was loading, and nobody says it twice
  if (process.send !== undefined && !process.connected) stop('the parent is gone', 0)
  return { atStop: (closer) => void work.push(closer), stopping: () => stopping, stop }
}
