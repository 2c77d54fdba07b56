import { RateLimiterMemory } from 'rate-limiter-flexible'
import { problem } from '../../platform/problem.ts'
import { consume, networkOf } from '../../platform/rate-limit.ts'

/**
 * Failed sign-ins allowed before further ones get 429: per address and person, so that a stranger elsewhere cannot lock a
 * person out; per address; and per person, with a far higher limit, against many addresses guessing together. Unknown people
 * are counted the same way. Counted in this process's memory, like request limits.
 */
export const attemptLimits = {
  person_at_address: { points: 10, duration: 900 },
  address: { points: 100, duration: 900 },
  person: { points: 200, duration: 3600 },
} as const

export interface Throttle {
  /** Counts an attempt. Throws 429. Call the result after a success: only failures count. */
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
        throw problem('rate-limited', 'Too many sign-in attempts. Wait before trying again.', {
          headers: { 'retry-after': String(wait_s) },
        })
      return async () => {
        await Promise.all(limiters.map(([name, limiter]) => limiter.reward(keys[name] ?? '')))
      }
    },
  }
}
