import { setTimeout as sleep } from 'node:timers/promises'
import { WarehouseUnavailable } from '../engines/call-records/index.ts'
import { NoMatchingServer, type Log } from '../platform/db.ts'
import { serverErrorOf } from '../platform/postgres/server-errors.ts'
import { DependencyUnavailable, isStorageFull, retryableProblem } from '../platform/unavailable.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { codeOf } from './refused.ts'

/** How long to wait for a dependency that is starting or restarting. */
const timeout_ms = 60_000
/** An attempt that takes longer made progress before it failed: no single wait for a dependency is this long. */
const progress_ms = 30_000
const pause_ms = 250

/**
 * Runs a step of the start, and retries it while the database or the call-record engine is unavailable. The step must be
 * repeatable. Throws StartRefused once the dependency has been unavailable for the timeout, with the last error as its cause.
 * The time counts from the first failure, and again from an attempt that made progress. Throws any other error immediately.
 */
export async function whenAvailable<T>(
  log: Log,
  step: () => Promise<T>,
  { now = () => performance.now(), pause = () => sleep(pause_ms) } = {},
): Promise<T> {
  let unavailable_since: number | undefined
  for (;;) {
    const began_at = now()
    try {
      return await step()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const failed_at = now()
      const progressed = failed_at - began_at > progress_ms && serverErrorOf(error) !== 'canceled'
      if (unavailable_since === undefined || progressed) unavailable_since = failed_at
      if (failed_at - unavailable_since > timeout_ms) throw refused(error)
      log.warn({ code: codeOf(error), reason: String(error) }, 'a dependency is not available yet; retrying')
      await pause()
    }
  }
}

/** Excludes a full disk, which waiting doesn't fix. */
function isUnavailable(error: unknown): boolean {
  if (isStorageFull(error)) return false
  return error instanceof WarehouseUnavailable || retryableProblem(error)?.type === 'not-ready'
}

function refused(error: unknown): unknown {
  if (error instanceof WarehouseUnavailable) return error
  if (error instanceof DependencyUnavailable)
    return new StartRefused(
      `${error.dependency} was not available for ${timeout_ms / 1000} s: ${String(error.cause)}`,
      {
        cause: error,
      },
    )
  const found = serverErrorOf(error)
  const what =
    found === 'canceled'
      ? 'did not finish a statement in time'
      : found === 'read-only' || error instanceof NoMatchingServer
        ? 'was read-only'
        : `accepted no connection (${codeOf(error) ?? String(error)})`
  return new StartRefused(
    `The database ${what} for ${timeout_ms / 1000} s. Check that it is running and that the machine is not overloaded, then start again.`,
    { cause: error },
  )
}
