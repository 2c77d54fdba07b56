import type { Validator } from './validator.ts'

/** The label of an outcome without a level: only an accepted address has one. */
const NO_LEVEL = 'none'

/** Counts every outcome and its level, without the address. */
export function countedValidator(
  validator: Validator,
  count: (labels: { verdict: string; level: string }) => void,
): Validator {
  return {
    name: validator.name,
    async validate(address, admitted) {
      const outcome = await validator.validate(address, admitted)
      count({ verdict: outcome.kind, level: outcome.kind === 'ok' ? outcome.level : NO_LEVEL })
      return outcome
    },
  }
}
