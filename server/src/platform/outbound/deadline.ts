import { failed } from './failures.ts'

export interface Deadline {
  /** Aborts with an OutboundError: `timeout`, or `aborted` if the caller's signal aborted. */
  signal: AbortSignal
  /** Waits for work that cannot be aborted, until the deadline at most. */
  race<T>(work: () => Promise<T>): Promise<T>
  clear(): void
}

/** Starts a request's only timeout. It runs until cleared. */
export function startDeadline(timeout_ms: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const abortByCaller = (): void => controller.abort(failed('aborted', 'The request was aborted.'))
  const timer = setTimeout(() => {
    controller.abort(failed('timeout', `The request timed out after ${timeout_ms / 1000} s.`))
  }, timeout_ms)
  caller?.addEventListener('abort', abortByCaller, { once: true })
  if (caller?.aborted === true) abortByCaller()

  return {
    signal,
    async race(work) {
      signal.throwIfAborted()
      const aborted = Promise.withResolvers<never>()
      const abort = (): void => aborted.reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        return await Promise.race([work(), aborted.promise])
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    clear() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', abortByCaller)
    },
  }
}
