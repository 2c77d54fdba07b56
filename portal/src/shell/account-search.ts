import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Body, qAs } from '../api.ts'

/** Account search for the operator's staff, independent of the account in view. */

/** The number of suggestions. */
const offered = 20

/** Accounts that match a name or id; the oldest accounts if the text is empty. */
export function useAccountSearch(text: string): Body<'listAccounts'>['data'] {
  const search = text.trim()
  const query = { limit: offered, ...(search === '' ? {} : { search }) }
  const { data } = useQuery({ ...qAs(null, 'listAccounts', { query }), placeholderData: keepPreviousData })
  return data?.data ?? []
}

/** An account's name; null while loading, or if the account doesn't exist. */
export function useAccountName(account_id: string | null): string | null {
  const { data } = useQuery({
    ...qAs(null, 'getAccount', { params: { account_id: account_id ?? '' } }),
    enabled: account_id !== null,
    staleTime: Infinity,
  })
  return account_id === null ? null : (data?.data.attributes.name ?? null)
}

/** An account's name, for the operator's staff; its id until the name is loaded. */
export const AccountName = ({ of }: { of: string }) => useAccountName(of) ?? `Account ${of}`
