import type { Endpoint } from './endpoint.ts'
import { ConnectionError, DemarcError, UnreadableResponseError } from './errors.ts'

/** When, how often, and after how long a request is retried. */

export interface RetryOptions {
  /** Attempts in total, including the first. Default 4. */
  attempts?: number
  /** No attempt starts later than this after the first, in milliseconds. Default 60,000. */
  total_ms?: number
  /** Longest first wait in milliseconds; it doubles with each attempt. Default 500. */
  base_ms?: number
  /** Longest wait chosen by the client, in milliseconds; Retry-After overrides it. Default 8,000. */
  max_ms?: number
}

/** An upcoming retry. */
export interface RetryEvent {
  /** ID of the operation. */
  operation: string
  /** Attempts so far. */
  attempt: number
  wait_ms: number
  error: DemarcError | ConnectionError
}

export interface RetriedRequest {
  endpoint: Endpoint
  retry: RetryOptions | false
  /** The request has an Idempotency-Key. */
  has_key: boolean
  /** The body can be sent more than once. */
  replayable: boolean
  signal: AbortSignal | undefined
  on_retry: ((event: RetryEvent) => void) | undefined
}

/** Calls `send` with the attempt's number until it succeeds or fails permanently. Throws the last error. */
export async function withRetries<T>(request: RetriedRequest, send: (attempt: number) => Promise<T>): Promise<T> {
  if (request.retry === false) return send(1)
  const { attempts = 4, total_ms = 60_000, base_ms = 500, max_ms = 8000 } = request.retry
  const deadline = performance.now() + total_ms
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt)
    } catch (error) {
      if (attempt >= attempts || !mayRepeat(request, error)) throw error
      const wait_ms = waitOf(error, Math.min(max_ms, base_ms * 2 ** (attempt - 1)))
      if (performance.now() + wait_ms > deadline) throw error
      request.on_retry?.({ operation: request.endpoint.id, attempt, wait_ms, error })
      await sleep(wait_ms, request.signal)
    }
  }
}

/** Whether the same request may be sent again after this error. */
function mayRepeat(request: RetriedRequest, error: unknown): error is DemarcError | ConnectionError {
  const { endpoint, has_key, replayable } = request
  if (!replayable) return false
  const repeatable = endpoint.traits.has('repeatable') && (has_key || !endpoint.traits.has('keyed'))
  if (error instanceof UnreadableResponseError) return false
  if (error instanceof ConnectionError) return repeatable
  if (!(error instanceof DemarcError)) return false
  switch (error.status) {
    // nothing was changed, or the key prevents a second change
    case 408:
    case 429:
      return true
    case 503:
      return !endpoint.traits.has('probe') && (has_key || !endpoint.traits.has('keyed'))
    // a proxy does not know what the service did
    case 502:
    case 504:
      return repeatable
    // the request that had this key before is still in progress
    case 409:
      return has_key && error.retry_after_s !== null
    default:
      return false
  }
}

/** Between half of the time and all of it, so that clients that failed together do not return together. */
function waitOf(error: DemarcError | ConnectionError, longest_ms: number): number {
  const jittered = longest_ms * (0.5 + Math.random() / 2)
  const asked = error instanceof DemarcError ? error.retry_after_s : null
  return Math.round(asked === null ? jittered : asked * 1000 + jittered / 2)
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function sleep(wait_ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, wait_ms)
    const abort = () => {
      clearTimeout(timer)
      reject(asError(signal?.reason))
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(`Aborted: ${String(reason)}`, { cause: reason })
