import type * as z from 'zod'

/** Validation messages, the same in API, client, CLI, and portal. */

export const required = 'Is required.'
/** The message for a field that does not exist. */
export const notKnown = 'Is not a known field.'
/** The message for text that is not Unicode, and that UTF-8 cannot encode. */
export const unpairedSurrogate = 'Contains an unpaired surrogate (half of a character).'

/** A schema's message for invalid values; a missing value gets the message for a required field. */
export const requiredOr = (message: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? required : message),
})

const kinds: Record<string, string> = {
  string: 'Must be text.',
  number: 'Must be a number.',
  int: 'Must be a whole number.',
  boolean: 'Must be true or false.',
  array: 'Must be a list.',
  object: 'Must be an object.',
  record: 'Must be an object.',
}

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** Validation messages for Zod's issues. A schema with its own message overrides them. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? required : (kinds[issue.expected] ?? `Must be of type ${issue.expected}.`)
    case 'invalid_value':
      return issue.input === undefined ? required : `Must be ${oneOf(issue.values)}.`
    case 'invalid_union':
      return issue.input === undefined ? required : 'Is not in a supported form.'
    case 'unrecognized_keys':
      return notKnown
    case 'too_small':
      return small(issue)
    case 'too_big':
      return big(issue)
    default:
      return undefined
  }
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1 ? `"${String(values[0])}"` : `one of: ${values.map(String).join(', ')}`

function small(issue: Extract<Issue, { code: 'too_small' }>): string {
  if (issue.origin === 'string')
    return issue.minimum === 1 ? 'Must not be empty.' : `At least ${issue.minimum} characters.`
  if (issue.origin === 'array') return `At least ${issue.minimum} ${Number(issue.minimum) === 1 ? 'entry' : 'entries'}.`
  return `Must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}.`
}

function big(issue: Extract<Issue, { code: 'too_big' }>): string {
  if (issue.origin === 'string') return `At most ${issue.maximum} characters.`
  if (issue.origin === 'array') return `At most ${issue.maximum} entries.`
  return `Must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}.`
}
