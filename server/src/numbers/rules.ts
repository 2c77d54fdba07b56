import { canadianProvinces, numbers as api } from '@demarc/client'
import type { NumberType } from './tables.ts'

/** Monthly cost of a number in dollars. */
export const monthlyCosts = { longcode: '1.2500', 'toll-free': '2.0000' } as const satisfies Record<NumberType, string>

/** The type of an 11-digit number, by its area code. */
export const numberTypeOf = (value: string): NumberType =>
  api.tollFreeCodes.includes(value.slice(1, 4)) ? 'toll-free' : 'longcode'

/** The country of a number, by its state or province. Numbers without one are in the carrier's country, US. */
export const countryOf = (state: string | null | undefined): 'US' | 'CA' =>
  canadianProvinces.some((each) => each === state) ? 'CA' : 'US'

/** An entry in a list of new numbers, without members refused by its shape. */
export type NewNumberEntry = { value?: string | undefined; number_type?: NumberType | undefined } | undefined

/**
 * Validates numbers to be added to an account: not listed twice, of the type their area code has, and not already on an account
 * (`taken`). Returns errors by field, `numbers.3.value`.
 */
export function newNumberErrors(
  inputs: readonly NewNumberEntry[],
  taken: ReadonlySet<string>,
): Record<string, string[]> {
  const field_errors: Record<string, string[]> = {}
  const duplicates = repetitions(inputs.map((input) => input?.value))
  for (const [i, { value, number_type } = {}] of inputs.entries()) {
    if (value === undefined) continue
    const duplicate_of = duplicates.get(i)
    const messages = duplicate_of === undefined ? [] : [repeated(duplicate_of)]
    if (taken.has(value)) messages.push('Is already on an account.')
    if (messages.length > 0) field_errors[`numbers.${i}.value`] = messages
    const expected = numberTypeOf(value)
    if (number_type !== undefined && number_type !== expected)
      field_errors[`numbers.${i}.number_type`] = [
        `Must be "${expected}", because area code ${value.slice(1, 4)} is for those.`,
      ]
  }
  return field_errors
}

/** Validates a number's caller ID name. Returns errors by field; `cnam_error` is the error of the name itself. */
export function cnamErrors(number_type: NumberType, cnam_error: string | null): Record<string, string[]> {
  return {
    ...(number_type === 'longcode' ? {} : { number: ['Toll-free numbers cannot have a caller ID name.'] }),
    ...(cnam_error === null ? {} : { cnam_id: [cnam_error] }),
  }
}

/** Validates a number's emergency address. Returns errors by field; `found` is whether the account has it. */
export function e911Errors(number_type: NumberType, e911_id: string, found: boolean): Record<string, string[]> {
  if (number_type === 'toll-free') return { number: ['Toll-free numbers cannot have emergency service.'] }
  return found ? {} : { e911_id: [`No emergency address ${e911_id} is on this account.`] }
}

/** For each repeated value, the index of its first occurrence, keyed by the index of the repetition. */
export function repetitions(values: readonly (string | undefined)[]): Map<number, number> {
  const first = new Map<string, number>()
  const found = new Map<number, number>()
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, i)
    else found.set(i, earlier)
  }
  return found
}

/** The error for a number already listed at `index`. */
export const repeated = (index: number): string => `Is the same number as numbers.${index}.`

/** Numbers that start with these digits, as a half-open range of 11-digit values; null if none can. */
export function prefixRange(digits: string): { from: string; below: string } | null {
  if (digits.length > 11) return null
  const size = 10n ** BigInt(11 - digits.length)
  const from = BigInt(digits) * size
  return { from: String(from), below: String(from + size) }
}
