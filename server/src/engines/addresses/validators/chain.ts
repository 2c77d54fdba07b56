import { alternativeAddress, type CanonicalAddress } from '../address.ts'
import { suffices, tooShallow, type MinLevel } from './policy.ts'
import type { Accepted, Outcome, Validator } from './validator.ts'

/**
 * Asks the local data first, and the remote validators, in their order, for addresses where it can check city and code
 * only. The first that answers decides; when none does, the local verdict stands. Whatever is offered has been judged
 * by the same rules. The local validator must be one that defers.
 */
export function chainedValidator(local: Validator, remotes: readonly Validator[], min_level: MinLevel): Validator {
  const judge = async (address: CanonicalAddress): Promise<Outcome> => {
    const outcome = await local.validate(address)
    if (outcome.kind !== 'ok' || outcome.level !== 'postal') return outcome
    for (const remote of remotes) {
      const answer = await remote.validate(address)
      if (answer.kind !== 'unavailable') return answer.kind === 'ok' ? required(answer, address, min_level) : answer
    }
    return required(outcome, address, min_level)
  }
  return {
    name: 'chain',
    async validate(address) {
      const outcome = await judge(address)
      if (outcome.kind !== 'correct') return outcome
      const judged = await Promise.all(
        outcome.alternatives.map((alternative) => judge(alternativeAddress(alternative, address))),
      )
      const alternatives = outcome.alternatives.filter((_, i) => judged[i]?.kind === 'ok')
      if (alternatives.length > 0) return { ...outcome, alternatives }
      const why = 'The address was not found, and nothing like it could be confirmed. Check street and number.'
      return { kind: 'not_geocodable', why, elements: outcome.elements }
    },
  }
}

function required(accepted: Accepted, address: CanonicalAddress, min_level: MinLevel): Outcome {
  return suffices(accepted.level, min_level) ? accepted : tooShallow(address.street, accepted.level, min_level)
}
