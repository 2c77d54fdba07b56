import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { UnauthorizedError } from '@demarc/client/light'
import { queries, sendOnce } from './api.ts'
import { sessionKey, signInAgain, type Membership, type Role, type Session } from './session.ts'

/** Who is signed in, for which account, and what they may do. */

/** The session of this browser, and with it the time of the service. */
export const sessionQuery = {
  queryKey: sessionKey,
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      return (await sendOnce('getSession')).data
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
      if (queries.getQueryData(sessionKey) == null) return null
      // the page stays as it is, under the dialog
      await signInAgain()
      return queries.getQueryData<Session>(sessionKey) ?? null
    }
  },
}

/** The session of this browser; null when nobody is signed in. */
export const loadSession = () => queries.ensureQueryData(sessionQuery)

/** Sets the session after a sign-in, or null after a sign-out. */
export const setSession = (session: Session | null) => queries.setQueryData(sessionKey, session)

/** The session of a page that is only there for somebody who is signed in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  if (data == null) throw new Error('A page that needs a session was shown without one.')
  return data
}

export interface Seen {
  /** Null: the operator's own side. */
  account_id: string | null
  membership: Membership | null
  role: Role | null
  side: 'account' | 'operator'
}

/** The account that is seen, and as what. The operator's people may see every account. */
export function useSeen(): Seen {
  const { memberships } = useSession()
  const { account } = useSearch({ strict: false })
  const membership =
    account === undefined
      ? (memberships[0] ?? null)
      : (memberships.find(({ account_id }) => account_id === account) ??
        memberships.find(({ account_id }) => account_id === null) ??
        null)
  const account_id = account ?? membership?.account_id ?? null
  return { account_id, membership, role: membership?.role ?? null, side: account_id === null ? 'operator' : 'account' }
}

/** Why the person may change nothing here; null when they may. For the `disabledReason` of a button. */
export function useReadOnlyReason(): string | null {
  const { role, membership } = useSeen()
  if (role !== 'read_only' && role !== 'operator_read_only') return null
  const whom = role === 'read_only' ? 'one of its owners' : 'somebody who may change things there'
  return `You may only read ${membership?.account_name ?? 'this account'}. Ask ${whom} for another role.`
}
