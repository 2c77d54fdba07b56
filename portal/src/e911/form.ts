import type { e911 } from '@demarc/client'

/** What is typed of an address, as it is typed. */
export const addressFields = [
  'label',
  'first_name',
  'last_name',
  'street_number',
  'street_name',
  'address_type',
  'address_type_number',
  'city',
  'state',
  'country',
  'zip',
] as const
export type AddressField = (typeof addressFields)[number]
export type AddressForm = Readonly<Record<AddressField, string>>

export const emptyForm: AddressForm = {
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

/** The form as it is filled for an address that is kept. */
export const formOf = (attributes: Readonly<Record<AddressField, string | null>>): AddressForm => {
  const texts = addressFields.map((field) => [field, attributes[field] ?? ''] as const)
  return { ...emptyForm, ...Object.fromEntries(texts) }
}

/** What is sent. Which texts are allowed is the service's to say, so every one of them is sent as it was typed. */
export const attributesOf = (form: AddressForm) => form as unknown as e911.E911Input

const optional: readonly AddressField[] = ['address_type', 'address_type_number']

/** Whether enough is typed for a check: every field that is needed has something. */
export const isComplete = (form: AddressForm): boolean =>
  addressFields.every((field) => optional.includes(field) || form[field].trim() !== '')

/** The body that validates, creates and changes an address. */
export const bodyOf = (form: AddressForm) => ({ data: { type: 'e911' as const, attributes: attributesOf(form) } })

/** A text in parts: those that are not in the text that was typed are `changed`. Words are compared, in any case. */
export function differences(typed: string, corrected: string): { text: string; changed: boolean }[] {
  const known = new Set(typed.toUpperCase().split(/\s+/))
  return corrected
    .split(/(\s+)/)
    .map((text) => ({ text, changed: text.trim() !== '' && !known.has(text.toUpperCase()) }))
}
