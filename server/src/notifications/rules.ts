/** When to try again, and when to stop. The schedule is that of Standard Webhooks (standardwebhooks.com, "Retry schedule"). */

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

/** Wait before each attempt, counted from the failure of the one before it. */
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

export const limits = {
  response_bytes: 65_536,
  /** The longest wait that a receiver may ask for with Retry-After. */
  retry_after_ms: 24 * hour_ms,
  /** Share of a wait by which it may be longer, so that many do not come back at one moment. */
  jitter: 0.1,
} as const

/** What a worker grants to deliveries that are under way. */
export const deliveryLimits = {
  /** A receiver that has not answered by then has failed. */
  timeout_ms: 10_000,
  /** At once in one worker. */
  at_once: 128,
  /** Of these for one account, and to one host: the rest is for everybody else while a receiver hangs. */
  per_account: 8,
  per_host: 16,
  /** How long one waits that found its account or host at that limit, and how far apart several of them come back. */
  wait_ms: 500,
  wait_gap_ms: 20,
} as const
export type DeliveryLimits = { readonly [K in keyof typeof deliveryLimits]: number }

/** What came of an attempt: a receiver's answer, or why there was none. */
export type Outcome = { response_status: number; retry_after: string | null } | { failure: string }

export type Verdict =
  | { status: 'delivered'; failure: null }
  /** The receiver said 410 Gone: it wants no more. */
  | { status: 'stopped'; failure: string }
  | { status: 'failed'; failure: string }
  | { status: 'pending'; failure: string; next_attempt_at: Date }

/**
 * What follows from attempt number `attempt` (1 is the first). Any 2xx is a delivery; 410 stops; everything else is tried
 * again until the schedule ends. `chance` is 0 to 1, for the jitter.
 */
export function afterAttempt(outcome: Outcome, attempt: number, now: Date, chance: number): Verdict {
  if ('response_status' in outcome) {
    const { response_status } = outcome
    if (response_status >= 200 && response_status < 300) return { status: 'delivered', failure: null }
    if (response_status === 410) return { status: 'stopped', failure: 'gone' }
  }
  const failure = 'failure' in outcome ? outcome.failure : `status_${outcome.response_status}`
  const wait_ms = schedule_ms[attempt]
  if (wait_ms === undefined) return { status: 'failed', failure }
  const jittered_ms = wait_ms * (1 + limits.jitter * chance)
  const asked_ms = 'retry_after' in outcome ? retryAfter(outcome.retry_after, now) : 0
  return {
    status: 'pending',
    failure,
    next_attempt_at: new Date(now.getTime() + Math.round(Math.max(jittered_ms, asked_ms))),
  }
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); 0 without one that is understood. */
export function retryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const text = header.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), limits.retry_after_ms)
}
