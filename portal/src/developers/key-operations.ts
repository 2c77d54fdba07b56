import { useQuery } from '@tanstack/react-query'
import { type Body, q, request, useChangeBy, useRead } from '../api.ts'

/** The operations for keys of the account in view (null), or for those of any account as the operator's staff. */

export type KeyOwner = string | null

export function useKeys(account_id: KeyOwner, enabled: boolean) {
  const query = { limit: 200 }
  const own = useRead('listOwnKeys', { query }, { enabled: enabled && account_id === null })
  const listed = q('listKeys', { params: { account_id: account_id ?? '' }, query })
  const theirs = useQuery({ ...listed, enabled: enabled && account_id !== null })
  return account_id === null ? own : theirs
}

/** Creates a key; only the response contains its secret. */
export const useMakeKey = (account_id: KeyOwner) =>
  useChangeBy(async (attributes: { name: string; scopes: string[] }) => {
    const body = { data: { type: 'access_key' as const, attributes } }
    if (account_id === null) return await request('createOwnKey', { body })
    return await request('createKey', { params: { account_id }, body })
  })

/** Creates a key with the same settings; the old one works for another day. */
export const useRotateKey = (account_id: KeyOwner) =>
  useChangeBy(async ({ id: key_id }: Key) => {
    if (account_id === null) return await request('rotateOwnKey', { params: { key_id } })
    return await request('rotateKey', { params: { account_id, key_id } })
  })

export const useRevokeKey = (account_id: KeyOwner, onDone: () => void) =>
  useChangeBy(async ({ id: key_id }: Key): Promise<void> => {
    if (account_id === null) await request('revokeOwnKey', { params: { key_id } })
    else await request('revokeKey', { params: { account_id, key_id } })
  }, onDone)

export type Key = Body<'listOwnKeys'>['data'][number]
