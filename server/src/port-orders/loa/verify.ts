import { agreementIntact, factsDigest, sha256 } from './facts.ts'
import type { SignedFacts } from './facts.ts'
import { digestPrefix, loaPdf, unprintable } from './pdf.ts'

/** Evidence of a signing. `key_id` or `person_id`, `ip` and `user_agent` identify the signer and are not printed on the LOA. */
export interface LoaEvidence {
  readonly facts: SignedFacts
  readonly facts_sha256: string
  readonly pdf_sha256: string
  readonly key_id: string | null
  readonly person_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

/** Renders the LOA and its evidence. Throws RangeError for characters that cannot be printed: check `unprintableFields` first. */
export async function signPdf(
  facts: SignedFacts,
  signer: Pick<LoaEvidence, 'key_id' | 'person_id' | 'ip' | 'user_agent'>,
): Promise<{ pdf: Uint8Array; evidence: LoaEvidence }> {
  const fields = Object.keys(unprintableFields(facts))
  if (fields.length > 0) throw new RangeError(`characters that cannot be printed in: ${fields.join(', ')}`)
  const pdf = await loaPdf(facts)
  return { pdf, evidence: { facts, facts_sha256: factsDigest(facts), pdf_sha256: sha256(pdf), ...signer } }
}

/** Validation errors of fields that the LOA cannot print, by field. */
export function unprintableFields({ form, signature, gaining_carrier }: SignedFacts): Record<string, string[]> {
  const { numbers: _digits, ...texts } = form
  const fields = { ...texts, gaining_carrier, signature_name: signature.name, signature_title: signature.title }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, text]) => {
      const characters = unprintable(text)
      return characters.length === 0
        ? []
        : [[field, [`The LOA cannot print ${characters.map(visible).join(' ')}. Use Latin letters.`]]]
    }),
  )
}

/** A character as messages show it; an invisible one as its code point. */
const visible = (character: string) =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(character)
    ? character
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

export type VerificationError = 'evidence_changed' | 'other_loa' | 'loa_changed'
export type Verification = { authentic: true } | { authentic: false; error: VerificationError; reason: string }

/** Is this PDF the signed LOA, byte for byte, and is the evidence unchanged? */
export function verify(pdf: Uint8Array, evidence: LoaEvidence): Verification {
  if (factsDigest(evidence.facts) !== evidence.facts_sha256 || !agreementIntact(evidence.facts))
    return failed(
      'evidence_changed',
      'The stored facts do not match the digest that was stored when the LOA was signed.',
    )
  if (sha256(pdf) === evidence.pdf_sha256)
    return statedDigest(pdf) === evidence.facts_sha256
      ? { authentic: true }
      : failed('evidence_changed', 'The stored digest of the LOA does not match the stored facts.')
  const stated = statedDigest(pdf)
  return stated !== null && stated !== evidence.facts_sha256
    ? failed('other_loa', `This is a different LOA. It states facts with the digest ${stated}.`)
    : failed('loa_changed', 'The file is not the signed LOA. Its bytes differ.')
}

const failed = (error: VerificationError, reason: string): Verification => ({ authentic: false, error, reason })

/** The digest of the facts in the keywords of an LOA; null if the file has none. */
export function statedDigest(pdf: Uint8Array): string | null {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')
  const at = text.lastIndexOf(digestPrefix)
  const digest = at === -1 ? '' : text.slice(at + digestPrefix.length, at + digestPrefix.length + 64)
  return /^[0-9a-f]{64}$/.test(digest) ? digest : null
}
