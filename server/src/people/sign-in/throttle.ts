import type { Deps } from '../../platform/context.ts'
import { problem } from '../../platform/problem.ts'
import { networkOf, waitOf } from '../../platform/rate-limit.ts'
import { boundedKey, countAgainstAll, giveBack, type WindowLimit } from '../../platform/window-counts.ts'

/**
 * Failed sign-ins allowed before further ones get 429. From a browser that the person signed in with before: per network
 * address, and for that browser. From any other: per network address, per account and address, and per account, against many
 * addresses guessing together. So strangers who use up an account's limit don't lock its owner out. Unknown people are counted
 * the same way. Exact over all processes.
 */
export const attemptLimits = {
  address: { points: 100, duration_s: 900 },
  account_at_address: { points: 10, duration_s: 900 },
  account: { points: 200, duration_s: 3600 },
  device: { points: 10, duration_s: 900 },
} as const

/** An attempt to prove an identity. */
export interface Attempt {
  /** The account: the email address, or a second factor of a person. */
  who: string
  remote_ip: string
  /** A browser or session of this person; null: any other. */
  device: string | null
}

export interface Throttle {
  /**
   * Counts an attempt. Throws 429; a refused attempt counts nowhere. Call the result after a success: only failures count.
   */
  attempt(attempt: Attempt): Promise<() => Promise<void>>
}

type Limit = keyof typeof attemptLimits

export function createThrottle({ db, vault }: Pick<Deps, 'db' | 'vault'>): Throttle {
  const limitOf = ([name, subject]: readonly [Limit, string]): WindowLimit => ({
    key: boundedKey(vault, `sign_in:${name}`, subject),
    ...attemptLimits[name],
  })
  return {
    async attempt(attempt) {
      const limits = subjectsOf(attempt).map(limitOf)
      const wait_ms = await countAgainstAll(db, limits)
      if (wait_ms > 0)
        throw problem('rate-limited', 'Too many sign-in attempts. Wait before trying again.', {
          headers: { 'retry-after': waitOf(wait_ms) },
        })
      return () =>
        giveBack(
          db,
          limits.map(({ key }) => key),
        )
    },
  }
}

/** What an attempt counts against. */
function subjectsOf({ who, remote_ip, device }: Attempt): readonly (readonly [Limit, string])[] {
  const network = networkOf(remote_ip)
  const account = who.trim().toLowerCase().slice(0, 300)
  const address = ['address', network] as const
  if (device !== null) return [address, ['device', `${account} ${device}`]]
  return [address, ['account_at_address', `${account} ${network}`], ['account', account]]
}
