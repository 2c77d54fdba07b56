import { createHash } from 'node:crypto'
import { agreementText, loaForm } from './form.ts'
import type { AgreementVersion, LoaForm, LoaOrder, Signature } from './form.ts'

/** What was signed: the facts, their digest, and the age of the signature. */

export interface SignedFacts {
  /** Version of this structure; part of what is signed. */
  readonly schema: 'loa-facts/1'
  readonly port_order_id: string
  readonly gaining_carrier: string
  readonly form: Omit<LoaForm, 'signature_name' | 'signature_title' | 'loa_copy'>
  readonly agreement: { readonly version: AgreementVersion; readonly text: string }
  readonly signature: { readonly name: string; readonly title: string; readonly signed_at: string }
}

export interface Signing {
  readonly port_order_id: string
  readonly order: LoaOrder
  readonly gaining_carrier: string
  readonly version: AgreementVersion
  readonly signature: Signature
  readonly signed_at: Date
}

/** The facts of a signing. `loaForm` picks the fields one by one, so that secrets of the order are never included. */
export function signedFacts({
  port_order_id,
  order,
  gaining_carrier,
  version,
  signature,
  signed_at,
}: Signing): SignedFacts {
  const {
    signature_name: _name,
    signature_title: _title,
    loa_copy: text,
    ...form
  } = loaForm(order, gaining_carrier, version)
  return {
    schema: 'loa-facts/1',
    port_order_id,
    gaining_carrier: gaining_carrier.normalize('NFC'),
    form,
    agreement: { version, text },
    signature: { name: signature.name, title: signature.title, signed_at: signed_at.toISOString() },
  }
}

/** Values of canonical JSON. There are no numbers, because no signed fact is a number. */
export type Canonical = string | boolean | null | readonly Canonical[] | { readonly [key: string]: Canonical }

/** Canonical JSON: keys sorted by UTF-16 code units, no whitespace (RFC 8785 without numbers). */
export function canonicalJson(value: Canonical): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

const isList = (value: object): value is readonly Canonical[] => Array.isArray(value)

/** SHA-256 of the facts as canonical JSON, in lower-case hex. */
export function factsDigest(facts: SignedFacts): string {
  return sha256(canonicalJson(asCanonical(facts)))
}

/** The spread makes the interface assignable to an index signature. */
function asCanonical({ form, agreement, signature, ...rest }: SignedFacts): Canonical {
  return { ...rest, form: { ...form }, agreement: { ...agreement }, signature: { ...signature } }
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export interface LoaStatus extends LoaAge {
  /** Fields of the order that differ from the signed form. */
  changed: string[]
}

/** The age of a signed LOA, and the fields of the order that have changed since it was signed. */
export function loaStatus(facts: SignedFacts, order: LoaOrder, now: Date): LoaStatus {
  const form = loaForm(order, facts.gaining_carrier, facts.agreement.version)
  const changed = Object.entries(facts.form).flatMap(([field, signed]) => {
    const current = Object.entries(form).find(([name]) => name === field)?.[1] ?? ''
    return canonicalJson(signed) === canonicalJson(current) ? [] : [field]
  })
  return { ...loaAge(new Date(facts.signature.signed_at), now), changed }
}

/** Is the signed agreement the text of its version? False only if one of the two was edited. */
export function agreementIntact(facts: SignedFacts): boolean {
  const parties = { losing_carrier: facts.form.provider, gaining_carrier: facts.gaining_carrier }
  return agreementText(facts.agreement.version, parties) === facts.agreement.text
}

/** Losing carriers do not accept an LOA older than 30 days. We warn from day 26. */
export const loaAgeLimits = { warn_days: 25, refuse_days: 30 } as const

export interface LoaAge {
  /** Whole days since the signature. */
  age_days: number
  age: 'fresh' | 'aging' | 'stale'
}

export function loaAge(signed_at: Date, now: Date): LoaAge {
  const age_days = Math.floor((now.getTime() - signed_at.getTime()) / (24 * 60 * 60 * 1000))
  const age = age_days > loaAgeLimits.refuse_days ? 'stale' : age_days > loaAgeLimits.warn_days ? 'aging' : 'fresh'
  return { age_days, age }
}
