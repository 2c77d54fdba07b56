import { agreementIntact, factsDigest, sha256 } from './facts.ts'
import type { SignedFacts } from './facts.ts'
import { unprintable } from './fonts.ts'
import { digestPrefix, loaPdf } from './pdf.ts'

/** What is kept of a signing beside the letter. `key_id`, `ip` and `user_agent` tell who signed from where; they are not printed. */
export interface LoaEvidence {
  readonly facts: SignedFacts
  readonly facts_sha256: string
  readonly pdf_sha256: string
  readonly key_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

/** Makes the letter and ties it to its facts. Throws RangeError when a text has signs that cannot be printed: ask `unprintableFields` before. */
export async function seal(
  facts: SignedFacts,
  signer: Pick<LoaEvidence, 'key_id' | 'ip' | 'user_agent'>,
): Promise<{ pdf: Uint8Array; evidence: LoaEvidence }> {
  const fields = Object.keys(unprintableFields(facts))
  if (fields.length > 0) throw new RangeError(`signs that cannot be printed in: ${fields.join(', ')}`)
  const pdf = await loaPdf(facts)
  const { key_id, ip, user_agent } = signer
  return { pdf, evidence: { facts, facts_sha256: factsDigest(facts), pdf_sha256: sha256(pdf), key_id, ip, user_agent } }
}

/** Fields whose text the letter cannot print, with what to say of each: the detail of a 422. */
export function unprintableFields({ form, signature, gaining_carrier }: SignedFacts): Record<string, string[]> {
  const { numbers: _digits, ...texts } = form
  const fields = { ...texts, gaining_carrier, signature_name: signature.name, signature_title: signature.title }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, text]) => {
      const signs = unprintable(text)
      return signs.length === 0
        ? []
        : [[field, [`The letter cannot print ${signs.map(shown).join(' ')}. Write it in Latin letters.`]]]
    }),
  )
}

/** A sign in a sentence; one that cannot be seen by its code. */
const shown = (sign: string) =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(sign)
    ? sign
    : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

export type VerificationFault = 'evidence_changed' | 'another_letter' | 'letter_changed'
export type Verification = { authentic: true } | { authentic: false; fault: VerificationFault; because: string }

/** Is this PDF the letter that was signed, byte for byte, and does the evidence still say what was signed? */
export function verify(pdf: Uint8Array, evidence: LoaEvidence): Verification {
  if (factsDigest(evidence.facts) !== evidence.facts_sha256 || !agreementIntact(evidence.facts))
    return no('evidence_changed', 'The stored facts are not those whose digest was kept at the signing.')
  if (sha256(pdf) === evidence.pdf_sha256)
    return statedDigest(pdf) === evidence.facts_sha256
      ? { authentic: true }
      : no('evidence_changed', 'The kept digest of the letter belongs to a letter of other facts.')
  const stated = statedDigest(pdf)
  return stated !== null && stated !== evidence.facts_sha256
    ? no('another_letter', `This is another letter: it states the facts ${stated}.`)
    : no('letter_changed', 'The file is not the letter that was signed: its bytes differ.')
}

const no = (fault: VerificationFault, because: string): Verification => ({ authentic: false, fault, because })

/** The digest of the facts that a letter names in its keywords; null when there is none. */
export function statedDigest(pdf: Uint8Array): string | null {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')
  const at = text.lastIndexOf(digestPrefix)
  const digest = at === -1 ? '' : text.slice(at + digestPrefix.length, at + digestPrefix.length + 64)
  return /^[0-9a-f]{64}$/.test(digest) ? digest : null
}
