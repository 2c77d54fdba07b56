/** The LOA: its agreement, the form that the customer signs, and validation of the signed form. */

/**
 * The agreement of a Letter of Agency. A version that was signed is never edited: a new text gets a new version, because
 * verification compares with the old one. The points are those that 47 CFR 64.1130 requires of such a letter.
 */

export interface Parties {
  /** The losing carrier, as named on the order. */
  readonly losing_carrier: string
  /** The carrier that runs this service. */
  readonly gaining_carrier: string
}

const versions = {
  '1': ({ losing_carrier: from, gaining_carrier: to }: Parties) => [
    `I hold the account named in this letter, or the account holder has authorized me to change its telephone service. I am at least 18 years old.`,
    `I want the telephone numbers listed in this letter moved from ${from} to ${to}. I appoint ${to} as my agent to order the move and to do with ${from} whatever the move needs.`,
    `${from} may give ${to} the account and service records of these numbers, so far as the move needs them.`,
    `I understand that a number can be with one carrier only, that services of ${from} which depend on these numbers may end with the move, and that ${from} may charge for an agreement that ends early.`,
    `I keep the service of ${from} until the move is done.`,
    `I may withdraw this letter in writing until the numbers have moved. A fee may apply once the order has been sent.`,
    `My typed name has the same effect as my signature by hand, and a copy of this letter counts as much as the letter.`,
  ],
} as const satisfies Record<string, (parties: Parties) => readonly string[]>

export type AgreementVersion = keyof typeof versions

/** The version of new signings. */
export const currentAgreement: AgreementVersion = '1'

/** The text of the LOA form: numbered paragraphs with a blank line between them. */
export function agreementText(version: AgreementVersion, parties: Parties): string {
  return versions[version](parties)
    .map((paragraph, i) => `${i + 1}. ${paragraph}`)
    .join('\n\n')
}

/** The fields of an order that the LOA states. PIN and social security digits must never be among them. */
export interface LoaOrder {
  /** `+1` and ten digits. */
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

/** The form's attributes on the wire. Numbers are ten digits; the signature is empty until it is signed. */
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

/** Longest name and title of a signer, in characters. */
export const signatureLimit = 100

/** The form of an order, to be signed. Text is normalized to NFC, so that equal texts compare equal. */
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

/** The signature, or the validation errors by field: the detail of a 422. */
export type FormResult = { ok: true; signature: Signature } | { ok: false; fields: Record<string, string[]> }

/**
 * Compares the returned form with the original one, which must come back whole: an absent field, like null, is the same as an
 * empty one. Both signatures are required. Numbers may be in another sequence or with `+1`, and the agreement may have other
 * line breaks. Any other difference, and any unknown field, is an error.
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

/** A form has its own fields only, as its type says. */
const fieldsOf = (form: LoaForm) => Object.keys(form) as (keyof LoaForm)[]

const isSignature = (field: string) => field === 'signature_name' || field === 'signature_title'

function unchanged(form: LoaForm, field: keyof LoaForm, value: unknown): boolean {
  if (field === 'numbers') return sameNumbers(form.numbers, value)
  if (value === undefined || value === null) return form[field] === ''
  return typeof value === 'string' && comparable(value) === comparable(form[field])
}

/** As sets: the form has each number once. */
function sameNumbers(numbers: readonly string[], value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== numbers.length) return false
  const returned = new Set(
    value.map((n: unknown) => (typeof n === 'string' ? /^(?:\+?1)?(\d{10})$/.exec(n)?.[1] : undefined)),
  )
  return returned.size === numbers.length && numbers.every((n) => returned.has(n))
}

const comparable = (text: string) => text.normalize('NFC').replace(/\r\n?/g, '\n').trim()

const missingError = 'Is missing. Send the whole form back, with its agreement.'

const changedError = (field: string) =>
  field === 'numbers'
    ? 'Differs from the form. Numbers are changed on the order, not on the form.'
    : field === 'loa_copy'
      ? 'Differs from the form. The agreement cannot be changed.'
      : 'Differs from the form. Change it on the order, then get the form again.'

function signatureError(value: unknown): string | null {
  if (value === undefined || value === null) return 'Is required.'
  if (typeof value !== 'string') return 'Must be text.'
  const text = normalizeSignature(value)
  if (text === '') return 'Must not be empty: it is the signature.'
  if ([...text].length > signatureLimit) return `At most ${signatureLimit} characters.`
  if (!/\p{L}/u.test(text) || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text)) return 'Must be written in letters.'
  return null
}

/** A signature as it is stored: one space between words. */
const normalizeSignature = (value: unknown) =>
  typeof value === 'string' ? value.normalize('NFC').replace(/[\s]+/g, ' ').trim() : ''
