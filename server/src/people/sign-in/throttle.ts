import { RateLimiterMemory } from 'rate-limiter-flexible'
import { problem } from '../../platform/problem.ts'
import { consume, networkOf } from '../../platform/rate-limit.ts'

/**
 * Attempts to sign in, before further ones are refused with 429: by address and person, so that a stranger elsewhere does not lock
 * somebody out; by address; and by person, far higher, against many addresses that guess together. Unknown people are counted as
 * known ones are. Counted in this process's memory, as requests are.
 */
export const attemptLimits = {
  person_at_address: { points: 10, duration: 900 },
  address: { points: 100, duration: 900 },
  person: { points: 200, duration: 3600 },
} as const

export interface Throttle {
  /** Counts an attempt. Throws 429. Call the result when it succeeded: only failures count. */
  attempt(person: string, remote_ip: string): Promise<() => Promise<void>>
}

export function createThrottle(): Throttle {
  const limiters = Object.entries(attemptLimits).map(
    ([name, limit]) => [name, new RateLimiterMemory({ ...limit, keyPrefix: name })] as const,
  )
  return {
    async attempt(person, remote_ip) {
      const network = networkOf(remote_ip)
      const who = person.trim().toLowerCase().slice(0, 254)
      const keys: Record<string, string> = { person_at_address: `${who} ${network}`, address: network, person: who }
      const waits = await Promise.all(limiters.map(([name, limiter]) => consume(limiter, keys[name] ?? '')))
      const wait_s = Math.max(...waits)
      if (wait_s > 0)
        throw problem('rate-limited', 'Too many attempts to sign in. Wait before you try again.', {
          headers: { 'retry-after': String(wait_s) },
        })
      return async () => {
        await Promise.all(limiters.map(([name, limiter]) => limiter.reward(keys[name] ?? '')))
      }
    },
  }
}
