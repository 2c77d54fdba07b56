/** When to retry and when to stop. The schedule is from Standard Webhooks (standardwebhooks.com, "Retry schedule"). */

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

/** Wait before each attempt, counted from the previous failure. */
export const schedule_ms = [
  0,
  5000,
  5 * minute_ms,
  30 * minute_ms,
  2 * hour_ms,
  5 * hour_ms,
  10 * hour_ms,
  14 * hour_ms,
  20 * hour_ms,
  24 * hour_ms,
] as const

/** From this failed attempt on, about three hours after the first, the account is notified that the URL keeps failing. */
export const failing_attempt = 5

export const limits = {
  /** Minimum time between two such notices about one URL. */
  failing_again_ms: 24 * hour_ms,
  /** How long the operator's list shows a receiver whose failed notifications were not sent again. */
  failing_listed_ms: 30 * 24 * hour_ms,
  response_bytes: 65_536,
  /** The longest Retry-After that is honored. */
  retry_after_ms: 24 * hour_ms,
  /** Maximum share of random extra wait, so that many notifications don't retry at the same moment. */
  jitter: 0.1,
} as const

export const deliveryLimits = {
  /** An attempt without a response within this time has failed. */
  timeout_ms: 10_000,
  /** In progress at the same time in one worker. */
  at_once: 128,
  /** In progress in all workers together for one account and to one host, so that a hanging receiver cannot take them all. */
  per_account: 8,
  per_host: 16,
  /** How long a delivery waits when its account or host is at its limit, and the gap between waiting deliveries. */
  wait_ms: 500,
  wait_gap_ms: 20,
} as const
export type DeliveryLimits = { readonly [K in keyof typeof deliveryLimits]: number }

/** The outcome of an attempt: the receiver's response, or the reason there was none. */
export type Outcome = { response_status: number; retry_after: string | null } | { failure: string }

/** The notification's status after an attempt. */
export type NextState =
  | { status: 'delivered'; failure: null }
  /** The receiver responded 410 Gone: it wants no more notifications. */
  | { status: 'stopped'; failure: string }
  | { status: 'failed'; failure: string }
  | { status: 'pending'; failure: string; next_attempt_at: Date }

/**
 * The status after attempt number `attempt`, starting at 1. Any 2xx is a delivery; 410 stops; everything else is retried until
 * the schedule ends. `random` is 0 to 1, for the jitter.
 */
export function afterAttempt(outcome: Outcome, attempt: number, now: Date, random: number): NextState {
  if ('response_status' in outcome) {
    const { response_status } = outcome
    if (response_status >= 200 && response_status < 300) return { status: 'delivered', failure: null }
    if (response_status === 410) return { status: 'stopped', failure: 'gone' }
  }
  const failure = 'failure' in outcome ? outcome.failure : `status_${outcome.response_status}`
  const wait_ms = schedule_ms[attempt]
  if (wait_ms === undefined) return { status: 'failed', failure }
  const jittered_ms = wait_ms * (1 + limits.jitter * random)
  const requested_ms = 'retry_after' in outcome ? retryAfter(outcome.retry_after, now) : 0
  return {
    status: 'pending',
    failure,
    next_attempt_at: new Date(now.getTime() + Math.round(Math.max(jittered_ms, requested_ms))),
  }
}

/** The wait in a Retry-After header, in milliseconds (RFC 9110, 10.2.3: seconds or a date); 0 without a valid one. */
export function retryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const text = header.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), limits.retry_after_ms)
}
