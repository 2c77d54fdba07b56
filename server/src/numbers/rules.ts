import { numbers as api } from '@demarc/client'
import type { NumberType } from './tables.ts'

/** What a number costs a month, dollars. */
export const monthlyCosts = { longcode: '1.2500', 'toll-free': '2.0000' } as const satisfies Record<NumberType, string>

/** What an 11-digit number is by its area code. */
export const numberTypeOf = (value: string): NumberType =>
  api.tollFreeCodes.includes(value.slice(1, 4)) ? 'toll-free' : 'longcode'

const provinces: readonly string[] = 'AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' ')

/** The country a number belongs to, by its state or province; numbers without one count as the carrier's own, US. */
export const countryOf = (state: string | null | undefined): 'US' | 'CA' =>
  typeof state === 'string' && provinces.includes(state) ? 'CA' : 'US'

/** An entry of a list of new numbers, without what its shape refuses. */
export type NewNumberEntry = { value?: string | undefined; number_type?: NumberType | undefined } | undefined

/**
 * Errors of numbers that are to be put on an account: listed twice, of a type other than their area code's, or already on
 * an account (`taken`). By field, `numbers.3.value`.
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
        `Must be "${expected}": that is what area code ${value.slice(1, 4)} is for.`,
      ]
  }
  return field_errors
}

/** Errors of setting a number's caller-ID name, by field; `cnam_error` is the error of the name itself. Empty: none. */
export function cnamErrors(number_type: NumberType, cnam_error: string | null): Record<string, string[]> {
  return {
    ...(number_type === 'longcode' ? {} : { number: ['Toll-free numbers have no caller-ID name.'] }),
    ...(cnam_error === null ? {} : { cnam_id: [cnam_error] }),
  }
}

/** Errors of setting a number's emergency address, by field; `found` says whether the account has it. Empty: none. */
export function e911Errors(number_type: NumberType, e911_id: string, found: boolean): Record<string, string[]> {
  if (number_type === 'toll-free') return { number: ['Is toll-free: emergency service goes with long codes only.'] }
  return found ? {} : { e911_id: [`No emergency address ${e911_id} is on this account.`] }
}

/** Of each value that is repeated, the index of its first occurrence; by the index of the repetition. */
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

/** The error of a number that a list has before, at `index`. */
export const repeated = (index: number): string => `Is the same number as numbers.${index}.`

/** The numbers that begin with some digits, as a half-open range of 11-digit values; null when none can. */
export function prefixRange(digits: string): { from: string; below: string } | null {
  if (digits.length > 11) return null
  const size = 10n ** BigInt(11 - digits.length)
  const from = BigInt(digits) * size
  return { from: String(from), below: String(from + size) }
}
