import { useQuery } from '@tanstack/react-query'
import { queries, seenAccount } from '../api.ts'
import { noDetails, type Details } from './fields.ts'

/** A port order before it is created: it has no id yet that a URL could have, so it is in the query cache. */
export interface Draft {
  /** As it was pasted. */
  text: string
  /** Those that go along. */
  numbers: readonly string[]
  details: Details
}

const empty: Draft = { text: '', numbers: [], details: noDetails }

const keyOf = () => ['draft of a port order', seenAccount()]

/** The draft of this account, and how to change it. It stays while the portal is open. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const queryKey = keyOf()
  const { data } = useQuery({
    queryKey,
    queryFn: () => queries.getQueryData<Draft>(queryKey) ?? empty,
    initialData: empty,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  return [data, (change) => queries.setQueryData<Draft>(queryKey, (before) => ({ ...(before ?? empty), ...change }))]
}

export const dropDraft = () => queries.removeQueries({ queryKey: keyOf() })
