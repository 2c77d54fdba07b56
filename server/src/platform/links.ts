import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { deriveKey } from './secrets.ts'

/** What a link grants: one file of one account, until it expires. */
export interface LinkGrant {
  account_id: string
  /** The resource type of the id, so that a link to an export does not open a document of the same id. */
  subject: string
  id: string
  expires_at: Date
  /** SHA-256 of the file (64 hex), when the link must become invalid if the file is rebuilt. */
  digest?: string
}

/** The query parameters of a signed link. `expires` is in milliseconds since 1970, as exact as `expires_at`. */
export interface LinkParams {
  account: string
  expires: string
  digest?: string
  signature: string
}

/** The requested resource, which must equal what was signed. */
export interface LinkTarget {
  subject: string
  id: string
  account_id?: string
  digest?: string
}

export type LinkCheck =
  | { outcome: 'ok'; account_id: string; digest: string | null; expires_at: Date }
  /** Signed by this service, but expired. Safe to disclose. */
  | { outcome: 'expired' }
  | { outcome: 'invalid' }

export interface Links {
  /** Signs a link and returns its query parameters. */
  signLink(grant: LinkGrant): LinkParams
  /** Checks an unparsed query. The signature is compared in constant time, and before any other parameter is trusted. */
  checkLink(params: Readonly<Record<string, unknown>>, target: LinkTarget, now: Date): LinkCheck
}

const LINK_LABEL = 'demarc/link/v1'

/**
 * Creates the signer. `keys` is key material as for the vault (it may be the same: the keys derived here are unrelated). The
 * first key signs; all are accepted.
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
    checkLink(params, target, now) {
      const parsed = readParams(params)
      if (parsed === null) return { outcome: 'invalid' }
      const signature = Buffer.from(parsed.signature, 'base64url')
      const matching = keys.filter((key) => timingSafeEqual(sign(key, target.subject, target.id, parsed), signature))
      if (matching.length === 0) return { outcome: 'invalid' }
      if (target.account_id !== undefined && target.account_id !== parsed.account) return { outcome: 'invalid' }
      if (target.digest !== undefined && target.digest !== parsed.digest) return { outcome: 'invalid' }
      const expires_at = new Date(Number(parsed.expires))
      if (now.getTime() >= expires_at.getTime()) return { outcome: 'expired' }
      return { outcome: 'ok', account_id: parsed.account, digest: parsed.digest ?? null, expires_at }
    },
  }
}

function sign(key: KeyObject, subject: string, id: string, signed: Omit<LinkParams, 'signature'>): Buffer {
  // A JSON array is unambiguous; joined strings could be split elsewhere.
  const message = JSON.stringify([subject, id, signed.account, signed.expires, signed.digest ?? null])
  return createHmac('sha256', key).update(message, 'utf8').digest()
}

/** Bounds the length of every parameter. A repeated one arrives as an array and is refused here. */
function readParams(params: Readonly<Record<string, unknown>>): LinkParams | null {
  const { account, expires, digest, signature } = params
  if (typeof account !== 'string' || !/^\d{1,19}$/.test(account)) return null
  if (typeof expires !== 'string' || !/^\d{1,15}$/.test(expires)) return null
  if (typeof signature !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(signature)) return null
  if (digest === undefined) return { account, expires, signature }
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return null
  return { account, expires, digest, signature }
}
