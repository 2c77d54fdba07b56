import { alternativeAddress, canonicalKey, type CanonicalAddress } from '../address.ts'
import { acceptedElements } from '../match/elements.ts'
import type { Outcome, Validator } from './validator.ts'

export const REMOTE_TIMEOUT_MS = 3_000
export const MOST_ANSWER_BYTES = 256 * 1024
/** Failures in a row that stop the questions, and for how long. */
const FAILURES_TO_OPEN = 5
const OPEN_MS = 30_000
const KEEP_MS = 24 * 60 * 60 * 1_000
const MOST_KEPT = 10_000

export interface RemoteOptions {
  name: string
  /** Asks the server once. What it throws counts as unavailable. */
  ask(address: CanonicalAddress): Promise<Outcome>
  /** Whether the server speaks of such an address at all. */
  covers(address: CanonicalAddress): boolean
  /** Milliseconds, only ever forward. */
  now(): number
}

/**
 * A remote validator with what every one of them needs: answers are kept for a day, a server that keeps failing is left
 * alone for a while and then tried with one question, and no failure is thrown at the caller.
 */
export function remoteValidator({ name, ask, covers, now }: RemoteOptions): Validator {
  const kept = new Kept(now)
  const breaker = new Breaker(now)
  return {
    name,
    async validate(address) {
      if (!covers(address)) return { kind: 'unavailable', why: `${name} has no data for ${address.country}` }
      const key = canonicalKey(address)
      const known = kept.get(key)
      if (known) return known
      if (!breaker.admits()) return { kind: 'unavailable', why: `${name} is being left alone after repeated failures` }
      const outcome = await asked(name, () => ask(address))
      breaker.note(outcome.kind !== 'unavailable')
      if (outcome.kind === 'unavailable') return outcome
      kept.set(key, outcome)
      if (outcome.kind === 'correct') keepAlternatives(name, outcome, address, kept)
      return outcome
    },
  }
}

async function asked(name: string, ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask()
  } catch (error) {
    return { kind: 'unavailable', why: `${name}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The server named them as addresses it has, which is as good as asking it again. */
function keepAlternatives(
  name: string,
  outcome: Outcome & { kind: 'correct' },
  typed: CanonicalAddress,
  kept: Kept,
): void {
  for (const alternative of outcome.alternatives) {
    const address = alternativeAddress(alternative, typed)
    const key = canonicalKey(address)
    const source = { name, vintage: '' }
    const elements = acceptedElements(address.street, 'street')
    kept.set(key, { kind: 'ok', level: 'street', source, elements, key, community: '', esn: '', psap: '' })
  }
}

class Kept {
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
    this.#outcomes.set(key, { outcome, until: this.#now() + KEEP_MS })
    const oldest = this.#outcomes.keys().next()
    if (this.#outcomes.size > MOST_KEPT && !oldest.done) this.#outcomes.delete(oldest.value)
  }
}

class Breaker {
  readonly #now: () => number
  #failures = 0
  #open_until = 0

  constructor(now: () => number) {
    this.#now = now
  }

  admits(): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true
    if (this.#now() < this.#open_until) return false
    // one question goes through; those that come meanwhile wait for its answer to be noted
    this.#open_until = this.#now() + OPEN_MS
    return true
  }

  note(good: boolean): void {
    this.#failures = good ? 0 : this.#failures + 1
    if (this.#failures >= FAILURES_TO_OPEN) this.#open_until = this.#now() + OPEN_MS
  }
}
