import type { Log } from '../platform/db.ts'

/** From the signal to the exit. Orchestrators commonly kill after ten seconds. */
const stop_within_ms = 9_500

/** Ctrl-C reaches a process twice under npm: from the terminal and from npm, which forwards it. */
const same_signal_ms = 1_000

/** How often a process that stops with its parent checks whether the parent is still running. */
const parent_check_ms = 1_000

export interface Stopper {
  /** Adds work for the stop. Runs in reverse order of adding. */
  onStop(work: () => Promise<void>): void
  /** Whether the stop has begun. From then on dependencies are closed, so errors from a start in progress are expected. */
  stopping(): boolean
  /** Stops and exits with `code`. Does nothing if the stop has begun. */
  stop(reason: string, code: number): void
}

/**
 * Stops once at SIGTERM, SIGINT, or SIGHUP, or when a parent with an IPC channel, or the process `parent`, has exited.
 * Then exits. Another signal more than a second later, or the timeout, exits immediately: every acknowledged change is
 * committed, so nothing is lost.
 * Call this before anything else to catch every signal.
 */
export function stopOnSignals(
  log: Log,
  { parent, now = () => performance.now() }: { parent?: number | undefined; now?: () => number },
): Stopper {
  const work: (() => Promise<void>)[] = []
  let stopping = false
  let signaled_at: number | undefined
  const end = async (code: number) => {
    try {
      // the list may grow meanwhile, because a dependency that was still opening adds its own work
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
      signaled_at ??= now()
      if (now() - signaled_at > same_signal_ms) process.exit(1)
      stop(signal, 0)
    })
  process.on('disconnect', () => stop('the parent exited', 0))
  if (parent !== undefined) {
    setInterval(() => {
      if (process.ppid !== parent) stop('the parent exited', 0)
    }, parent_check_ms).unref()
  }
  // the parent may have exited while this process was loading, and the event is emitted only once
  if (process.send !== undefined && !process.connected) stop('the parent exited', 0)
  return { onStop: (closer) => void work.push(closer), stopping: () => stopping, stop }
}
