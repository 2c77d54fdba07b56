import { useQuery } from '@tanstack/react-query'
import { queries, seenAccount } from '../api.ts'
import { sessionKey, type Session } from '../session.ts'
import { detailNames, fieldOf, noDetails, type Details } from './fields.ts'

/** A port order before it is created: it has no id yet that a URL could have, so it is in the query cache, and kept in the window's storage. */
export interface Draft {
  /** As it was pasted. */
  text: string
  /** Those that go along. */
  numbers: readonly string[]
  details: Details
}

const empty: Draft = { text: '', numbers: [], details: noDetails }

const keyOf = () => ['draft of a port order', seenAccount()]

/** The draft of this account, and how to change it. It stays while the window is open, also when it is loaded again. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const queryKey = keyOf()
  const { data } = useQuery({
    queryKey,
    queryFn: () => queries.getQueryData<Draft>(queryKey) ?? empty,
    initialData: keptDraft,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  const change = (changed: Partial<Draft>) => {
    const draft = { ...(queries.getQueryData<Draft>(queryKey) ?? empty), ...changed }
    queries.setQueryData<Draft>(queryKey, draft)
    keep(draft)
  }
  return [data, change]
}

export function dropDraft(): void {
  queries.removeQueries({ queryKey: keyOf() })
  sessionStorage.removeItem(storageKey())
}

/** Another person who signs in in the same window has a draft of their own. */
const storageKey = () =>
  `demarc.port-order.${queries.getQueryData<Session | null>(sessionKey)?.person.id}.${seenAccount()}`

function keptDraft(): Draft {
  const text = sessionStorage.getItem(storageKey())
  return text === null ? empty : (JSON.parse(text) as Draft)
}

/** The browser keeps it until the window is closed, without what is never shown again in full. */
function keep(draft: Draft): void {
  const details = { ...draft.details }
  for (const name of detailNames) if (fieldOf(name).secret === true) details[name] = ''
  sessionStorage.setItem(storageKey(), JSON.stringify({ ...draft, details }))
}
