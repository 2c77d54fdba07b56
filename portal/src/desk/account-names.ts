import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'

/** What accounts are called; those beyond the first page of them by their id. */
export function useAccountNames(): (id: string) => string {
  const { data } = useQuery({ ...q('listAccounts', { query: { limit: 200 } }), staleTime: 60_000 })
  const names = new Map(data?.data.map(({ id, attributes: { name } }) => [id, name]))
  return (id) => names.get(id) ?? `Account ${id}`
}
