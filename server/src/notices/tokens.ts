import { notices } from '@demarc/client'
import type { Vault } from '../platform/secrets.ts'

/** Tokens in links that unsubscribe a person without signing in, from one kind of notice or from all. */

export interface Unsubscription {
  person_id: string
  /** Null for all kinds. */
  kind: notices.NoticeKind | null
}

const signed = (person_id: string, kind: string) => `unsubscribe:${person_id}:${kind}`

export const unsubscribeToken = (vault: Vault, { person_id, kind }: Unsubscription): string =>
  [person_id, kind ?? 'all', vault.hashSecret(signed(person_id, kind ?? 'all')).toString('base64url')].join('.')

/** Null for a token that this service did not issue. */
export function readUnsubscribeToken(vault: Vault, token: string): Unsubscription | null {
  const [person_id = '', name = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !/^\d{1,18}$/.test(person_id)) return null
  if (!vault.verifySecret(signed(person_id, name), Buffer.from(signature, 'base64url'))) return null
  const kind = notices.noticeKindNames.find((each) => each === name)
  return name === 'all' ? { person_id, kind: null } : kind === undefined ? null : { person_id, kind }
}
