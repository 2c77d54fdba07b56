/** The LOA: its agreement, the form that the customer signs, and validation of the signed form. */

/**
 * The agreement of a Letter of Agency, with the statements that 47 CFR 64.1130 requires. Never edit a version that has been
 * signed: verification compares with its text. Add a new version instead.
 */

export interface Parties {
  /** The losing carrier, as named on the order. */
  readonly losing_carrier: string
  /** The carrier that runs this service. */
  readonly gaining_carrier: string
}

const versions = {
  '1': ({ losing_carrier: from, gaining_carrier: to }: Parties) => [
    `I am the customer of record of the account named in this letter, or the customer has authorized me to change the telephone service of that account. I am at least 18 years old.`,
    `I authorize ${to} to port the telephone numbers listed in this letter from ${from} to ${to}. I appoint ${to} as my agent to order the port and to arrange it with ${from}.`,
    `I authorize ${from} to give ${to} the account and service records of these numbers that are needed for the port.`,
    `I understand that a number can be with only one carrier, that services of ${from} that depend on these numbers may end with the port, and that ${from} may charge a fee for early termination.`,
    `I will keep my service with ${from} until the port is complete.`,
    `I may withdraw this authorization in writing until the numbers have been ported. A fee may apply after the order has been sent.`,
    `My typed name has the same effect as my handwritten signature, and a copy of this letter is as valid as the original.`,
  ],
} as const satisfies Record<string, (parties: Parties) => readonly string[]>

export type AgreementVersion = keyof typeof versions

/** The version of new signings. */
export const currentAgreement: AgreementVersion = '1'

/** The agreement as numbered paragraphs, separated by blank lines. */
export function agreementText(version: AgreementVersion, parties: Parties): string {
  return versions[version](parties)
    .map((paragraph, i) => `${i + 1}. ${paragraph}`)
    .join('\n\n')
}

/** The fields of an order that the LOA states. Never add the PIN or Social Security digits. */
export interface LoaOrder {
  /** The last ten digits of each are used. */
  readonly numbers: readonly string[]
  readonly billing_name: string
  readonly street: string
  readonly street2: string | null
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
  readonly provider: string
  readonly usage_type: string
  readonly company: string
}

/** The attributes of the form on the wire. Numbers are ten digits; the signature is empty until the form is signed. */
export interface LoaForm {
  numbers: string[]
  billing_name: string
  street: string
  street2: string
  city: string
  state: string
  zip: string
  country: string
  provider: string
  usage_type: string
  company: string
  signature_name: string
  signature_title: string
  loa_copy: string
}

export interface Signature {
  readonly name: string
  readonly title: string
}

/** Longest name or title of a signer, in characters. */
export const signatureLimit = 100

/** The form of an order. Text is normalized to NFC, so that equal texts compare equal. */
export function loaForm(
  order: LoaOrder,
  gaining_carrier: string,
  version: AgreementVersion = currentAgreement,
): LoaForm {
  return {
    numbers: order.numbers.map((n) => n.slice(-10)).toSorted(),
    billing_name: text(order.billing_name),
    street: text(order.street),
    street2: text(order.street2),
    city: text(order.city),
    state: text(order.state),
    zip: text(order.zip),
    country: text(order.country),
    provider: text(order.provider),
    usage_type: text(order.usage_type),
    company: text(order.company),
    signature_name: '',
    signature_title: '',
    loa_copy: agreementText(version, { losing_carrier: text(order.provider), gaining_carrier: text(gaining_carrier) }),
  }
}

const text = (value: string | null) => (value ?? '').normalize('NFC')

/** The signature, or the validation errors by field. */
export type FormResult = { ok: true; signature: Signature } | { ok: false; fields: Record<string, string[]> }

/**
 * Compares the returned form with the original, which must come back complete. A missing field or null counts as empty.
 * Signature name and title are required. Numbers may be in any order and may have `+1`; the agreement may have other line
 * breaks. Any other difference, and any unknown field, is an error.
 */
export function validateForm(form: LoaForm, returned: Readonly<Record<string, unknown>>): FormResult {
  const errors = new Map<string, string[]>()
  for (const field of Object.keys(returned))
    if (!isField(form, field)) errors.set(field, ['Is not a field of the form.'])
  for (const field of fieldsOf(form))
    if (!isSignature(field) && !unchanged(form, field, returned[field]))
      errors.set(field, [returned[field] === undefined ? missingError : changedError(field)])
  for (const field of ['signature_name', 'signature_title'] as const) {
    const error = signatureError(returned[field])
    if (error) errors.set(field, [error])
  }
  if (errors.size > 0) return { ok: false, fields: Object.fromEntries(errors) }
  return {
    ok: true,
    signature: {
      name: normalizeSignature(returned['signature_name']),
      title: normalizeSignature(returned['signature_title']),
    },
  }
}

const isField = (form: LoaForm, field: string): field is keyof LoaForm => Object.hasOwn(form, field)

/** `loaForm` returns objects with exactly the fields of the type. */
const fieldsOf = (form: LoaForm) => Object.keys(form) as (keyof LoaForm)[]

const isSignature = (field: string) => field === 'signature_name' || field === 'signature_title'

function unchanged(form: LoaForm, field: keyof LoaForm, value: unknown): boolean {
  if (field === 'numbers') return sameNumbers(form.numbers, value)
  if (value === undefined || value === null) return form[field] === ''
  return typeof value === 'string' && comparable(value) === comparable(form[field])
}

/** Compares as sets. */
function sameNumbers(numbers: readonly string[], value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== numbers.length) return false
  const returned = new Set(
    value.map((n: unknown) => (typeof n === 'string' ? /^(?:\+?1)?(\d{10})$/.exec(n)?.[1] : undefined)),
  )
  return returned.size === numbers.length && numbers.every((n) => returned.has(n))
}

const comparable = (text: string) => text.normalize('NFC').replace(/\r\n?/g, '\n').trim()

const missingError = 'Is missing. Send the complete form back, including the agreement.'

const changedError = (field: string) =>
  field === 'numbers'
    ? 'Differs from the form. Change the numbers on the order, not on the form.'
    : field === 'loa_copy'
      ? 'Differs from the form. The agreement cannot be changed.'
      : 'Differs from the form. Change it on the order, then get the form again.'

function signatureError(value: unknown): string | null {
  if (value === undefined || value === null) return 'Is required.'
  if (typeof value !== 'string') return 'Must be text.'
  const text = normalizeSignature(value)
  if (text === '') return 'Must not be empty. This is the signature.'
  if ([...text].length > signatureLimit) return `At most ${signatureLimit} characters.`
  if (!/\p{L}/u.test(text) || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text)) return 'Must be written with letters.'
  return null
}

/** Trims the signature and collapses spaces. */
const normalizeSignature = (value: unknown) =>
  typeof value === 'string' ? value.normalize('NFC').replace(/[\s]+/g, ' ').trim() : ''
