import { useQuery } from '@tanstack/react-query'
import { qAs } from '../api.ts'

/** Looks up the name of one of the operator's people by id, among the first 200. */
export type PersonName = (id: string) => string | undefined

export function usePersonName(): PersonName {
  const { data } = useQuery({ ...qAs(null, 'listPeople', { query: { limit: 200 } }), staleTime: 60_000 })
  const names = new Map(data?.data.map(({ id, name }) => [id, name]))
  return (id) => names.get(id)
}
