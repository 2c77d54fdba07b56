import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { qAs, type Body } from '../api.ts'

/** Accounts, as the operator's people search them on every page, whichever account is seen. */

/** So many are offered at once. */
const offered = 20

/** Accounts whose name has the text, or whose id it is; the oldest where there is no text. */
export function useAccountSearch(text: string): Body<'listAccounts'>['data'] {
  const search = text.trim()
  const query = { limit: offered, ...(search === '' ? {} : { search }) }
  const { data } = useQuery({ ...qAs(null, 'listAccounts', { query }), placeholderData: keepPreviousData })
  return data?.data ?? []
}

/** What an account is called; null while that is not known, or where there is none. */
export function useAccountName(account_id: string | null): string | null {
  const { data } = useQuery({
    ...qAs(null, 'getAccount', { params: { account_id: account_id ?? '' } }),
    enabled: account_id !== null,
    staleTime: Infinity,
  })
  return account_id === null ? null : (data?.data.attributes.name ?? null)
}
