import { isIP } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from './http/serve.ts'
import { problem } from './problem.ts'

const window_s = 60

/**
 * Limits requests per minute for each key, or for each address where there is no key. Counted in this process's memory: with
 * several API processes each allows the full number. Headers follow draft-ietf-httpapi-ratelimit-headers.
 */
export function createRateLimit(requests_per_minute: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: requests_per_minute, duration: window_s })
  const policy = `"requests";q=${requests_per_minute};w=${window_s}`
  const headers = (left: RateLimiterRes) => ({
    'ratelimit-policy': policy,
    ratelimit: `"requests";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`,
  })
  return async (actor, remote_ip) => {
    try {
      const bucket = actor === null || actor.kind === 'system' ? networkOf(remote_ip) : actor.access_key
      return headers(await limiter.consume(bucket))
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const wait_s = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw problem('rate-limited', `More than ${requests_per_minute} requests in a minute.`, {
        headers: { ...headers(refusal), 'retry-after': String(wait_s) },
      })
    }
  }
}

/** The network that is limited as one client: an IPv6 customer commonly has a whole /64 and could otherwise use a new address for each request. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [left = [], right] = address.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = right ? Array.from({ length: 8 - left.length - right.length }, () => '0') : []
  return `${[...left, ...zeros, ...(right ?? [])].slice(0, 4).join(':')}::/64`
}
