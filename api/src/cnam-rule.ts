/**
 * Rules for caller ID names. The server enforces them, and the portal shows them while a person types. 15 characters is the
 * size of the name field of GR-1188 (generic CNAM). The other limits keep names readable on phones, and prevent telephone
 * numbers from being used as names.
 */
export const cnamLimits = { length_max: 15 } as const

const allowed = /^[A-Za-z0-9 \-_.,@+&'/"]*$/

/** The validation errors of a caller ID name; empty when it is valid. */
export function cnamErrors(value: string): string[] {
  const errors: string[] = []
  const length = [...value].length
  if (length === 0) errors.push('Must not be empty.')
  if (length > cnamLimits.length_max) errors.push(`At most ${cnamLimits.length_max} characters; this has ${length}.`)
  if (!allowed.test(value)) errors.push(`Only letters, digits, space and - _ . , @ + & ' / " are shown by telephones.`)
  if (length > 0 && !/[A-Za-z]/.test(value)) errors.push('Must contain at least one letter.')
  if (resemblesNumber(value)) errors.push('Must not look like a telephone number.')
  if (length > 0 && value.trim() !== value) errors.push('Must not begin or end with a space.')
  return errors
}

/** The form in which names are stored and compared. */
export const cnamStored = (value: string): string => value.toUpperCase()

/** Seven or more digits with only separators or a short prefix such as TEL. */
const resemblesNumber = (value: string) =>
  (value.match(/\d/g)?.length ?? 0) >= 7 && value.replace(/[\d\s\-+./_,]/g, '').length <= 3
