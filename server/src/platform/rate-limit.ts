import { isIP } from 'node:net'
import { actorName, type Actor } from './actor.ts'
import type { Deps } from './context.ts'
import { problem } from './problem.ts'
import type { Vault } from './secrets.ts'
import { createSharedCounter } from './shared-counter.ts'
import { boundedKey } from './window-counts.ts'

const window_s = 60
/** Limit for the documentation pages, which are far larger than their requests; more than any browser needs. */
const pages_per_minute = 600

/** Separate counts. Health has its own, so that an exhausted address does not make the service look down. */
export type Counted = 'requests' | 'pages' | 'health'

/** Counts a request against the limit of the actor or address and returns the rate-limit headers. Throws 429. */
export type RateLimit = (actor: Actor | null, remote_ip: string, counted?: Counted) => Promise<Record<string, string>>

/** How long a request waits for the database to count it. After that, this process counts alone. */
const wait_ms = 250

/**
 * Limits requests per minute per key or person, or per address without a key, over all processes: see `createSharedCounter` for
 * how exactly. While the database is unavailable, each process counts alone. Headers follow
 * draft-ietf-httpapi-ratelimit-headers. What a process has not heard from the others yet is missing from the remaining requests.
 */
export function createRateLimit(requests_per_minute: number, { db, vault }: Pick<Deps, 'db' | 'vault'>): RateLimit {
  const counter = createSharedCounter(db, { wait_ms })
  const policyOf = (name: Counted, points: number) => ({ points, header: `"${name}";q=${points};w=${window_s}` })
  const policies = {
    requests: policyOf('requests', requests_per_minute),
    pages: policyOf('pages', Math.min(requests_per_minute, pages_per_minute)),
    health: policyOf('health', requests_per_minute),
  }
  return async (actor, remote_ip, counted = 'requests') => {
    const { points, header } = policies[counted]
    const key = keyOf(counted, actor, remote_ip, vault)
    const { used, resets_in_ms } = await counter.count({ key, points, duration_s: window_s })
    const headers = {
      'ratelimit-policy': header,
      ratelimit: `"${counted}";r=${Math.max(0, points - used)};t=${Math.ceil(resets_in_ms / 1000)}`,
    }
    if (used <= points) return headers
    throw problem('rate-limited', `More than ${points} ${counted === 'health' ? 'requests' : counted} in a minute.`, {
      headers: { ...headers, 'retry-after': waitOf(resets_in_ms) },
    })
  }
}

function keyOf(counted: Counted, actor: Actor | null, remote_ip: string, vault: Vault): string {
  if (actor?.person) return `${counted} ${actorName(actor)}`
  if (actor === null || actor.kind === 'system') return boundedKey(vault, counted, networkOf(remote_ip))
  return `${counted} ${actor.access_key}`
}

/** The value of Retry-After, whole seconds. */
export const waitOf = (wait_ms: number): string => String(Math.max(1, Math.ceil(wait_ms / 1000)))

/** The network limited as one client: an IPv6 customer commonly has a whole /64 and could use a new address for each request. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [left = [], right] = address.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = right ? Array.from({ length: 8 - left.length - right.length }, () => '0') : []
  return `${[...left, ...zeros, ...(right ?? [])].slice(0, 4).join(':')}::/64`
}
