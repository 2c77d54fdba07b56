import type { Validator } from './validator.ts'

/** The label of a verdict that has no level: only an accepted address was checked to one. */
const NO_LEVEL = 'none'

/** Tells of every verdict and how deep it was checked, and nothing of the address. */
export function countedValidator(
  validator: Validator,
  count: (seen: { verdict: string; level: string }) => void,
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
