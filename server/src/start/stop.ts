import type { Log } from '../platform/db.ts'

/** From the signal to the exit; orchestrators commonly kill after ten seconds. */
const stop_within_ms = 9_500

/**
 * Runs `stop` once at SIGTERM, SIGINT or SIGHUP, or when the parent process is gone, then exits. A second signal or the
 * time limit ends at once: everything acknowledged is committed, so nothing is lost by it.
 */
export function stopOnSignals(stop: () => Promise<void>, log: Log): (reason: string) => void {
  let stopping = false
  const begin = (reason: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), stop_within_ms).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => begin(signal))
  process.on('disconnect', () => begin('the parent is gone'))
  return begin
}
