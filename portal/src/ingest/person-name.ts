import { useQuery } from '@tanstack/react-query'
import { qAs } from '../api.ts'

/** Finds what one of the operator's own people is called, by the id; beyond the first 200 nobody is found. */
export type PersonName = (id: string) => string | undefined

export function usePersonName(): PersonName {
  const { data } = useQuery({ ...qAs(null, 'listPeople', { query: { limit: 200 } }), staleTime: 60_000 })
  const names = new Map(data?.data.map(({ id, name }) => [id, name]))
  return (id) => names.get(id)
}
