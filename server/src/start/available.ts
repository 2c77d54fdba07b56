import { setTimeout as sleep } from 'node:timers/promises'
import { WarehouseUnavailable } from '../engines/call-records/index.ts'
import { sqlState, type Log } from '../platform/db.ts'
import { retryableProblem } from '../platform/unavailable.ts'
import { codeOf, StartRefused } from './refused.ts'

/** How long to wait for a dependency that is starting or restarting. */
const timeout_ms = 60_000
const pause_ms = 250

/**
 * Runs a step of the start, and retries it while the database or the call-record engine is unavailable. The step must be
 * repeatable. Throws StartRefused after the timeout, with the last error as its cause. Throws any other error immediately.
 */
export async function whenAvailable<T>(log: Log, step: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeout_ms
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (performance.now() > deadline) throw refused(error)
      log.warn({ code: codeOf(error), reason: String(error) }, 'a dependency is not available yet; retrying')
      await sleep(pause_ms)
    }
  }
}

/** Excludes a full disk, which waiting doesn't fix. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof WarehouseUnavailable) return true
  const state = sqlState(error)
  // 57P0x: the server is stopping or starting; class 08: connection
  if (state !== undefined) return /^(57P0|08)/.test(state)
  return codeOf(error) !== 'ENOSPC' && retryableProblem(error)?.type === 'not-ready'
}

function refused(error: unknown): unknown {
  if (error instanceof WarehouseUnavailable) return error
  return new StartRefused(
    `The database in DATABASE_URL accepted no connection for ${timeout_ms / 1000} s (${codeOf(error) ?? String(error)}).`,
    { cause: error },
  )
}
