import { isIP } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { actorName, type Actor } from './actor.ts'
import { problem } from './problem.ts'

const window_s = 60
/** Limit for the documentation pages, which are far larger than their requests; more than any browser needs. */
const pages_per_minute = 600

/** Separate counts. Health has its own, so that an exhausted address does not make the service look down. */
export type Counted = 'requests' | 'pages' | 'health'

/** Counts a request against the limit of the actor or address and returns the rate-limit headers. Throws 429. */
export type RateLimit = (actor: Actor | null, remote_ip: string, counted?: Counted) => Promise<Record<string, string>>

/**
 * Limits requests per minute per key or person, or per address without a key. Counted in this process's memory: with several
 * API processes, each allows the full number. Headers follow draft-ietf-httpapi-ratelimit-headers.
 */
export function createRateLimit(requests_per_minute: number): RateLimit {
  const limiterOf = (points: number) => new RateLimiterMemory({ points, duration: window_s })
  const limiters: Record<Counted, RateLimiterMemory> = {
    requests: limiterOf(requests_per_minute),
    pages: limiterOf(Math.min(requests_per_minute, pages_per_minute)),
    health: limiterOf(requests_per_minute),
  }
  return async (actor, remote_ip, counted = 'requests') => {
    const limiter = limiters[counted]
    const headers = (left: RateLimiterRes) => ({
      'ratelimit-policy': `"${counted}";q=${limiter.points};w=${window_s}`,
      ratelimit: `"${counted}";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`,
    })
    try {
      return headers(await limiter.consume(bucketOf(actor, remote_ip)))
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const wait_s = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw problem(
        'rate-limited',
        `More than ${limiter.points} ${counted === 'health' ? 'requests' : counted} in a minute.`,
        {
          headers: { ...headers(refusal), 'retry-after': String(wait_s) },
        },
      )
    }
  }
}

function bucketOf(actor: Actor | null, remote_ip: string): string {
  if (actor?.person) return actorName(actor)
  return actor === null || actor.kind === 'system' ? networkOf(remote_ip) : actor.access_key
}

/** Consumes a point. Returns the seconds to wait, 0 below the limit. */
export async function consume(limiter: RateLimiterMemory, key: string): Promise<number> {
  try {
    await limiter.consume(key)
    return 0
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
    throw refusal
  }
}

/** The network limited as one client: an IPv6 customer commonly has a whole /64 and could use a new address for each request. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [left = [], right] = address.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = right ? Array.from({ length: 8 - left.length - right.length }, () => '0') : []
  return `${[...left, ...zeros, ...(right ?? [])].slice(0, 4).join(':')}::/64`
}
