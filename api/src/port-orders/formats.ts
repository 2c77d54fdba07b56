import { canadianProvinces, usStates } from '../states.ts'

/** The formats of details and their error messages, shared by request bodies and the preflight check. */

export const formatErrors = {
  billing_name: 'Must be a first and last name.',
  billing_number: 'Must be a US or Canadian telephone number, like +12065550100.',
  company: 'Is required when the usage type is Business.',
  email: 'Must be an email address, like anna@example.com.',
  emails: 'Must be email addresses, like anna@example.com, separated by commas.',
  last_4_ssn: 'Must be exactly the last four digits.',
  mask: 'Is the masked value from a response. Leave the field out to keep the stored value.',
  state: 'Must be the two-letter code of a state or province.',
  zip: { US: 'Must be a ZIP code: five digits.', CA: 'Must be a postal code like K1A 0B1.' },
} as const

/** States and provinces of service addresses, including military mail. */
export const portOrderStates = [...usStates, 'AA', 'AE', 'AP', ...canadianProvinces] as const

export const isFullName = (text: string): boolean => text.trim().split(/\s+/).length >= 2

export const isLastFourDigits = (text: string): boolean => /^\d{4}$/.test(text)

export const isEmail = (text: string): boolean => /^[^\s@,;<>]+@[^\s@,;<>.]+(\.[^\s@,;<>.]+)+$/.test(text.trim())

/** One or more addresses, separated by commas or semicolons. */
export const areEmails = (text: string): boolean => text.split(/[,;]/).every(isEmail)

/** `+1` and ten digits. */
export const isE164 = (text: string): boolean => /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(text)

/** Normalizes a number of the North American plan in any notation to `+1` and ten digits; null when it is not one. */
export function readNumber(text: string): string | null {
  if (isE164(text)) return text
  if (!/^[\s\d()+.\-/]{10,24}$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  const e164 = `+${digits.length === 10 ? '1' : ''}${digits}`
  return isE164(e164) ? e164 : null
}

/** A PIN or Social Security digits as responses mask them. */
export const isMask = (text: string): boolean => text.startsWith('****')
