import { useQuery } from '@tanstack/react-query'
import { queries, seenAccount } from '../api.ts'
import { sessionKey, type Session } from '../session.ts'
import { detailNames, fieldOf, noDetails, type Details } from './fields.ts'

/** A port order before it is created. It has no id for the URL yet, so it lives in the query cache and in `sessionStorage`. */
export interface Draft {
  /** The pasted text. */
  text: string
  /** The numbers to port. */
  numbers: readonly string[]
  details: Details
}

const empty: Draft = { text: '', numbers: [], details: noDetails }

const keyOf = () => ['draft of a port order', seenAccount()]

/** The account's draft and its setter. The draft survives reloads of this window. */
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

/** Drafts are per person, even in the same window. */
const storageKey = () =>
  `demarc.port-order.${queries.getQueryData<Session | null>(sessionKey)?.person.id}.${seenAccount()}`

function keptDraft(): Draft {
  const text = sessionStorage.getItem(storageKey())
  return text === null ? empty : (JSON.parse(text) as Draft)
}

/** Stored until the window closes, without secrets. */
function keep(draft: Draft): void {
  const details = { ...draft.details }
  for (const name of detailNames) if (fieldOf(name).secret === true) details[name] = ''
  sessionStorage.setItem(storageKey(), JSON.stringify({ ...draft, details }))
}
