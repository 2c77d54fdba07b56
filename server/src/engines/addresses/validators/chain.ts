import { alternativeAddress, type CanonicalAddress } from '../address.ts'
import { meetsMinLevel, belowMinLevel, type MinLevel } from './policy.ts'
import type { Accepted, Outcome, Validator } from './validator.ts'

/**
 * Validates against the local data, and with the remote validators, in order, where the local data is postal only. The first
 * available one decides; if none is available, the local outcome is returned. Every alternative is validated the same way
 * before it is offered. The local validator must defer.
 */
export function chainedValidator(local: Validator, remotes: readonly Validator[], min_level: MinLevel): Validator {
  const validateOne = async (address: CanonicalAddress): Promise<Outcome> => {
    const outcome = await local.validate(address)
    if (outcome.kind !== 'ok' || outcome.level !== 'postal') return outcome
    for (const remote of remotes) {
      const remote_outcome = await remote.validate(address)
      if (remote_outcome.kind === 'unavailable') continue
      return remote_outcome.kind === 'ok' ? withMinLevel(remote_outcome, address, min_level) : remote_outcome
    }
    return withMinLevel(outcome, address, min_level)
  }
  return {
    name: 'chain',
    async validate(address) {
      const outcome = await validateOne(address)
      if (outcome.kind !== 'correct') return outcome
      const outcomes = await Promise.all(
        outcome.alternatives.map((alternative) => validateOne(alternativeAddress(alternative, address))),
      )
      const alternatives = outcome.alternatives.filter((_, i) => outcomes[i]?.kind === 'ok')
      if (alternatives.length > 0) return { ...outcome, alternatives }
      const reason =
        'The address was not found, and no similar address could be confirmed. Check the street and number.'
      return { kind: 'not_geocodable', reason, elements: outcome.elements }
    },
  }
}

function withMinLevel(accepted: Accepted, address: CanonicalAddress, min_level: MinLevel): Outcome {
  return meetsMinLevel(accepted.level, min_level) ? accepted : belowMinLevel(address.street, accepted.level, min_level)
}

/** The level label of outcomes that aren't accepted. */
const NO_LEVEL = 'none'

/** Counts outcomes by verdict and level, without the address. */
export function countedValidator(
  validator: Validator,
  count: (labels: { verdict: string; level: string }) => void,
): Validator {
  return {
    name: validator.name,
    async validate(address) {
      const outcome = await validator.validate(address)
      count({ verdict: outcome.kind, level: outcome.kind === 'ok' ? outcome.level : NO_LEVEL })
      return outcome
    },
  }
}
