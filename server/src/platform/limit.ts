import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit } from './http/serve.ts'
import { problem } from './problem.ts'

const window_s = 60

/**
 * Requests a minute for each key, or for each address where there is no key. Counted in this process's memory: with
 * several API processes each allows the full number. Headers follow draft-ietf-httpapi-ratelimit-headers.
 */
export function createLimit(requests_per_minute: number): Limit {
  const limiter = new RateLimiterMemory({ points: requests_per_minute, duration: window_s })
  const policy = `"requests";q=${requests_per_minute};w=${window_s}`
  const headers = (left: RateLimiterRes) => ({
    'ratelimit-policy': policy,
    ratelimit: `"requests";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`,
  })
  return async (actor, remote_ip) => {
    try {
      return headers(await limiter.consume(actor === null || actor.kind === 'system' ? remote_ip : actor.access_key))
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const wait_s = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw problem('rate-limited', `More than ${requests_per_minute} requests in a minute.`, {
        headers: { ...headers(refusal), 'retry-after': String(wait_s) },
      })
    }
  }
}
