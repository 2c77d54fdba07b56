import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { deriveKey } from './secrets.ts'

/** What a link grants: one file of one account, until a moment. */
export interface LinkGrant {
  account_id: string
  /** What kind of thing the id belongs to, so that a link to an export does not open a document of the same number. */
  subject: string
  id: string
  expires_at: Date
  /** SHA-256 of the file (64 hex), where the link must not survive a rebuilt file. */
  digest?: string
}

/** The query parameters of a signed link. `expires` is in milliseconds since 1970, so that it says exactly what `expires_at` says. */
export interface LinkParams {
  account: string
  expires: string
  digest?: string
  signature: string
}

/** What the request itself says the link is for. What is given here must be what was signed. */
export interface LinkFacts {
  subject: string
  id: string
  account_id?: string
  digest?: string
}

export type LinkVerdict =
  | { verdict: 'ok'; account_id: string; digest: string | null; expires_at: Date }
  /** Signed by us, and over. Safe to say so to whoever holds it. */
  | { verdict: 'expired' }
  | { verdict: 'bad' }

export interface Links {
  /** Signs a link: the parameters to put into the query. */
  signLink(grant: LinkGrant): LinkParams
  /** Checks a query as it came in, unparsed. The signature is compared in constant time, and before anything else is believed. */
  checkLink(params: Readonly<Record<string, unknown>>, facts: LinkFacts, now: Date): LinkVerdict
}

const LINK_LABEL = 'demarc/link/v1'

/**
 * Makes the signer. `keys` is key material as for the vault (the same may be used: the keys derived here are unrelated);
 * the first signs, all are accepted.
 */
export function createLinks(options: { keys: readonly (string | Uint8Array)[] }): Links {
  const keys = options.keys.map((material) => deriveKey(material, LINK_LABEL))
  const [signing_key] = keys
  if (signing_key === undefined) throw new Error('At least one key is needed to sign links.')

  return {
    signLink({ account_id, subject, id, expires_at, digest }) {
      const signed = {
        account: account_id,
        expires: String(expires_at.getTime()),
        ...(digest === undefined ? {} : { digest }),
      }
      const params = { ...signed, signature: sign(signing_key, subject, id, signed).toString('base64url') }
      if (readParams(params) === null)
        throw new Error('A link needs a decimal account id, a valid time and a SHA-256 digest.')
      return params
    },
    checkLink(params, facts, now) {
      const given = readParams(params)
      if (given === null) return { verdict: 'bad' }
      const signature = Buffer.from(given.signature, 'base64url')
      const ours = keys.filter((key) => timingSafeEqual(sign(key, facts.subject, facts.id, given), signature))
      if (ours.length === 0) return { verdict: 'bad' }
      if (facts.account_id !== undefined && facts.account_id !== given.account) return { verdict: 'bad' }
      if (facts.digest !== undefined && facts.digest !== given.digest) return { verdict: 'bad' }
      const expires_at = new Date(Number(given.expires))
      if (now.getTime() >= expires_at.getTime()) return { verdict: 'expired' }
      return { verdict: 'ok', account_id: given.account, digest: given.digest ?? null, expires_at }
    },
  }
}

function sign(key: KeyObject, subject: string, id: string, signed: Omit<LinkParams, 'signature'>): Buffer {
  // A JSON array has one reading only; joined strings could be cut elsewhere.
  const message = JSON.stringify([subject, id, signed.account, signed.expires, signed.digest ?? null])
  return createHmac('sha256', key).update(message, 'utf8').digest()
}

/** Bounds every parameter; a repeated one arrives as an array and is refused here. */
function readParams(params: Readonly<Record<string, unknown>>): LinkParams | null {
  const { account, expires, digest, signature } = params
  if (typeof account !== 'string' || !/^\d{1,19}$/.test(account)) return null
  if (typeof expires !== 'string' || !/^\d{1,15}$/.test(expires)) return null
  if (typeof signature !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(signature)) return null
  if (digest === undefined) return { account, expires, signature }
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return null
  return { account, expires, digest, signature }
}
