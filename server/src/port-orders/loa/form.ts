import { agreementText, currentAgreement } from './agreement.ts'
import type { AgreementVersion } from './agreement.ts'

/** The LOA form: what the account holder gets to sign, and whether what comes back is that form, signed and otherwise unchanged. */

/** What the letter states about an order. PIN and social security digits are not among it and must never be. */
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

/** The form of an order, to be signed. Text is brought to NFC, so that two ways of writing one letter are one. */
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

/** The signature, or every field that stands against it with what is wrong: the detail of a 422. */
export type Returned = { ok: true; signature: Signature } | { ok: false; fields: Record<string, string[]> }

/**
 * Compares the form that came back with the form that was given out. Both signatures are needed. A field that was left
 * out was not changed; null is as good as empty. Numbers may come back in another sequence or with `+1`, line ends of
 * the agreement in another fashion. Anything else that differs, and any field that is not of the form, is refused.
 */
export function checkReturned(form: LoaForm, returned: Readonly<Record<string, unknown>>): Returned {
  const faults = new Map<string, string[]>()
  for (const [field, value] of Object.entries(returned)) {
    if (!isField(form, field)) faults.set(field, ['Is not a field of the form.'])
    else if (!isSignature(field) && !unchanged(form, field, value)) faults.set(field, [changedWords(field)])
  }
  for (const field of ['signature_name', 'signature_title'] as const) {
    const fault = signatureFault(returned[field])
    if (fault) faults.set(field, [fault])
  }
  if (faults.size > 0) return { ok: false, fields: Object.fromEntries(faults) }
  return { ok: true, signature: { name: tidy(returned['signature_name']), title: tidy(returned['signature_title']) } }
}

const isField = (form: LoaForm, field: string): field is keyof LoaForm => Object.hasOwn(form, field)

const isSignature = (field: string) => field === 'signature_name' || field === 'signature_title'

function unchanged(form: LoaForm, field: keyof LoaForm, value: unknown): boolean {
  if (field === 'numbers') return sameNumbers(form.numbers, value)
  if (value === null) return form[field] === ''
  return typeof value === 'string' && plain(value) === plain(form[field])
}

/** As sets: the form has each number once. */
function sameNumbers(numbers: readonly string[], value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== numbers.length) return false
  const returned = new Set(
    value.map((n: unknown) => (typeof n === 'string' ? /^(?:\+?1)?(\d{10})$/.exec(n)?.[1] : undefined)),
  )
  return returned.size === numbers.length && numbers.every((n) => returned.has(n))
}

const plain = (text: string) => text.normalize('NFC').replace(/\r\n?/g, '\n').trim()

const changedWords = (field: string) =>
  field === 'numbers'
    ? 'Differs from the form. Numbers are changed on the order, not on the form.'
    : field === 'loa_copy'
      ? 'Differs from the form. The agreement is signed as it stands.'
      : 'Differs from the form. Change it on the order, then get the form again.'

function signatureFault(value: unknown): string | null {
  if (value === undefined || value === null) return 'Is required.'
  if (typeof value !== 'string') return 'Must be text.'
  const text = tidy(value)
  if (text === '') return 'Must not be empty: it is the signature.'
  if ([...text].length > signatureLimit) return `At most ${signatureLimit} characters.`
  if (!/\p{L}/u.test(text) || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text)) return 'Must be written in letters.'
  return null
}

/** A signature as it is kept: one space between words. */
const tidy = (value: unknown) => (typeof value === 'string' ? value.normalize('NFC').replace(/[\s]+/g, ' ').trim() : '')
