import { alternativeAddress, canonicalKey, type CanonicalAddress } from '../address.ts'
import { acceptedElements } from '../match/elements.ts'
import type { Outcome, Validator } from './validator.ts'

export const REMOTE_TIMEOUT_MS = 3_000
export const RESPONSE_BYTES_MAX = 256 * 1024
/** Consecutive failures that open the circuit breaker, and how long it stays open. */
const FAILURES_TO_OPEN = 5
const OPEN_MS = 30_000
const CACHE_MS = 24 * 60 * 60 * 1_000
const CACHE_ENTRIES_MAX = 10_000

export interface RemoteOptions {
  name: string
  /** Sends one request to the server. Rejects if the server is unavailable. */
  request(address: CanonicalAddress): Promise<Outcome>
  /** Whether the server has data for the address's country. */
  covers(address: CanonicalAddress): boolean
  /** Milliseconds of a monotonic clock. */
  now(): number
}

/**
 * A remote validator with a cache and a circuit breaker. Outcomes are cached for a day. After repeated failures, no request is
 * sent for a while, then a single one. Errors become the outcome `unavailable`.
 */
export function remoteValidator({ name, request, covers, now }: RemoteOptions): Validator {
  const cache = new OutcomeCache(now)
  const breaker = new CircuitBreaker(now)
  return {
    name,
    async validate(address) {
      if (!covers(address)) return { kind: 'unavailable', reason: `${name} has no data for ${address.country}` }
      const key = canonicalKey(address)
      const cached = cache.get(key)
      if (cached) return cached
      if (!breaker.allows()) return { kind: 'unavailable', reason: `${name} is paused after repeated failures` }
      const outcome = await orUnavailable(name, () => request(address))
      breaker.record(outcome.kind !== 'unavailable')
      if (outcome.kind === 'unavailable') return outcome
      cache.set(key, outcome)
      if (outcome.kind === 'correct') cacheAlternatives(name, outcome, address, cache)
      return outcome
    },
  }
}

async function orUnavailable(name: string, request: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await request()
  } catch (error) {
    return { kind: 'unavailable', reason: `${name}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The server offered them, so they need no request. */
function cacheAlternatives(
  name: string,
  outcome: Outcome & { kind: 'correct' },
  typed: CanonicalAddress,
  cache: OutcomeCache,
): void {
  for (const alternative of outcome.alternatives) {
    const address = alternativeAddress(alternative, typed)
    const key = canonicalKey(address)
    const source = { name, vintage: '' }
    const elements = acceptedElements(address.street, 'street')
    cache.set(key, { kind: 'ok', level: 'street', source, elements, key, community: '', esn: '', psap: '' })
  }
}

class OutcomeCache {
  readonly #outcomes = new Map<string, { outcome: Outcome; until: number }>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  get(key: string): Outcome | undefined {
    const found = this.#outcomes.get(key)
    if (found && found.until > this.#now()) return found.outcome
    this.#outcomes.delete(key)
    return undefined
  }

  set(key: string, outcome: Outcome): void {
    this.#outcomes.delete(key)
    this.#outcomes.set(key, { outcome, until: this.#now() + CACHE_MS })
    const oldest = this.#outcomes.keys().next()
    if (this.#outcomes.size > CACHE_ENTRIES_MAX && !oldest.done) this.#outcomes.delete(oldest.value)
  }
}

class CircuitBreaker {
  readonly #now: () => number
  #failures = 0
  #open_until = 0

  constructor(now: () => number) {
    this.#now = now
  }

  allows(): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true
    if (this.#now() < this.#open_until) return false
    // half-open: one request is sent, others are refused until its outcome is recorded
    this.#open_until = this.#now() + OPEN_MS
    return true
  }

  record(success: boolean): void {
    this.#failures = success ? 0 : this.#failures + 1
    if (this.#failures >= FAILURES_TO_OPEN) this.#open_until = this.#now() + OPEN_MS
  }
}
