/**
 * What may stand in a caller-ID name. Both ends need it: the server refuses, the portal shows it while one types.
 * 15 characters is the size of the name field of GR-1188 (generic CNAM); the other limits keep a name readable on the
 * displays that show it and stop a number from posing as a name.
 */
export const cnamLimits = { length_max: 15 } as const

const allowed = /^[A-Za-z0-9 \-_.,@+&'/"]*$/

/** Everything wrong with a caller-ID name, as sentences; empty when it is fine. */
export function cnamFaults(value: string): string[] {
  const faults: string[] = []
  const length = [...value].length
  if (length === 0) faults.push('Must not be empty.')
  if (length > cnamLimits.length_max) faults.push(`At most ${cnamLimits.length_max} characters; this has ${length}.`)
  if (!allowed.test(value)) faults.push(`Only letters, digits, space and - _ . , @ + & ' / " are shown by telephones.`)
  if (length > 0 && !/[A-Za-z]/.test(value)) faults.push('Must have at least one letter.')
  if (looksLikeNumber(value)) faults.push('Must not look like a telephone number.')
  if (length > 0 && value.trim() !== value) faults.push('Must not begin or end with a space.')
  return faults
}

/** Stored and compared in this form. */
export const cnamStored = (value: string): string => value.toUpperCase()

/** Seven or more digits with nothing but separators or a short prefix such as TEL beside them. */
const looksLikeNumber = (value: string) =>
  (value.match(/\d/g)?.length ?? 0) >= 7 && value.replace(/[\d\s\-+./_,]/g, '').length <= 3
