import { useQuery } from '@tanstack/react-query'
import { qAs } from '../../api.ts'

export interface Names {
  /** Null: our own affairs. */
  accountName(id: string | null): string
  /** Of our own people. */
  personName(id: string): string | undefined
}

/** What accounts and our own people are called; those beyond the first page of each by their id. */
export function useNames(): Names {
  const query = { limit: 200 }
  const { data: accounts } = useQuery({ ...qAs(null, 'listAccounts', { query }), staleTime: 60_000 })
  const { data: people } = useQuery({ ...qAs(null, 'listPeople', { query }), staleTime: 60_000 })
  const account = new Map(accounts?.data.map(({ id, attributes: { name } }) => [id, name]))
  const person = new Map(people?.data.map(({ id, name }) => [id, name]))
  return {
    accountName: (id) => (id === null ? 'Ourselves' : (account.get(id) ?? `Account ${id}`)),
    personName: (id) => person.get(id),
  }
}
