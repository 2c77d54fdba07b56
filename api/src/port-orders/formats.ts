import { canadianProvinces, usStates } from '../states.ts'

/**
 * The formats of single details, with the words of their refusal: one place for the bodies that write an order and for the
 * preflight check of one.
 */

export const formatErrors = {
  billing_name: 'Must be a first and a last name.',
  billing_number: 'Must be a telephone number of the US or Canada, like +12065550100.',
  company: 'Is required with usage type Business.',
  email: 'Must be an e-mail address, like anna@example.com.',
  emails: 'Must be e-mail addresses, like anna@example.com, with commas between them.',
  last_4_ssn: 'Exactly the last four digits.',
  mask: 'Is the mask that responses show. Leave the field out to keep its value.',
  state: 'Must be the two letters of a state or province.',
  zip: { US: 'Must be a ZIP code: five digits.', CA: 'Must be a postal code like K1A 0B1.' },
} as const

/** States and provinces of service addresses: those with ZIP codes of their own, military mail, and Canada's. */
export const portOrderStates = [...usStates, 'AA', 'AE', 'AP', ...canadianProvinces] as const

export const isFullName = (text: string): boolean => text.trim().split(/\s+/).length >= 2

export const isLastFourDigits = (text: string): boolean => /^\d{4}$/.test(text)

export const isEmail = (text: string): boolean => /^[^\s@,;<>]+@[^\s@,;<>.]+(\.[^\s@,;<>.]+)+$/.test(text.trim())

/** One address or several, with commas or semicolons between them. */
export const areEmails = (text: string): boolean => text.split(/[,;]/).every(isEmail)

/** The notation of orders: `+1` and ten digits. */
export const isE164 = (text: string): boolean => /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(text)

/** Normalizes a number of the North American plan in any notation to `+1` and ten digits; null when it is not one. */
export function readNumber(text: string): string | null {
  if (!/^[\s\d()+.\-/]{10,24}$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  const e164 = `+${digits.length === 10 ? '1' : ''}${digits}`
  return isE164(e164) ? e164 : null
}

/** A PIN or social security digits as responses show them. */
export const isMask = (text: string): boolean => text.startsWith('****')
