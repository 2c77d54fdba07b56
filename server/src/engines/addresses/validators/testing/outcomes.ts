import assert from 'node:assert/strict'
import type { Outcome } from '../validator.ts'

/** For tests: the alternatives as one line each. */
export function alternatives(outcome: Outcome): string[] {
  assert.equal(outcome.kind, 'correct', JSON.stringify(outcome))
  if (outcome.kind !== 'correct') return []
  return outcome.alternatives.map(
    ({ street_number, street_name, city, state, zip }) => `${street_number} ${street_name}, ${city}, ${state} ${zip}`,
  )
}

/** For tests: the level of an accepted address, or the kind of any other outcome. */
export function level(outcome: Outcome): string {
  return outcome.kind === 'ok' ? outcome.level : outcome.kind
}
