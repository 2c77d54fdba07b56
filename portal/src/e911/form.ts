import type { e911 } from '@demarc/client'

/** The form's values, as typed. */
export const emptyForm = {
  label: '',
  first_name: '',
  last_name: '',
  street_number: '',
  street_name: '',
  address_type: '',
  address_type_number: '',
  city: '',
  state: '',
  country: 'US',
  zip: '',
}
export type AddressForm = Readonly<typeof emptyForm>
export type AddressField = keyof AddressForm

/** Object.keys loses the type of a literal's keys. */
export const addressFields = Object.keys(emptyForm) as readonly AddressField[]

/** The form's values for a stored address. */
export const formOf = (attributes: Readonly<Record<AddressField, string | null>>): AddressForm => {
  const texts = addressFields.map((field) => [field, attributes[field] ?? ''] as const)
  return { ...emptyForm, ...Object.fromEntries(texts) }
}

/** The request's fields. Values are sent as typed, because the service validates them. */
export const attributesOf = (form: AddressForm) => form as unknown as e911.E911Input

const optional: readonly AddressField[] = ['address_type', 'address_type_number']

/** Whether every required field has a value. */
export const isComplete = (form: AddressForm): boolean =>
  addressFields.every((field) => optional.includes(field) || form[field].trim() !== '')

/** The body that validates, creates and changes an address. */
export const bodyOf = (form: AddressForm) => ({ data: { type: 'e911' as const, attributes: attributesOf(form) } })

/** Splits a text into parts; words missing from the typed text are `changed`. Ignores case. */
export function differences(typed: string, corrected: string): { text: string; changed: boolean }[] {
  const known = new Set(typed.toUpperCase().split(/\s+/))
  return corrected
    .split(/(\s+)/)
    .map((text) => ({ text, changed: text.trim() !== '' && !known.has(text.toUpperCase()) }))
}
