import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { queries, sendOnce, request } from './api.ts'
import { type Membership, type Session, sessionKey, signInAgain } from './session.ts'
import { type Role, roleAllows } from '@demarc/client/rules'

/** The signed-in person, the account in view, and their permissions. */

/** The session of this browser, including the service's time. */
export const sessionQuery = {
  queryKey: sessionKey,
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    const { data } = await sendOnce('getSession')
    if (data !== null || queries.getQueryData(sessionKey) == null) return data
    // the page stays unchanged under the dialog
    await signInAgain()
    return queries.getQueryData<Session>(sessionKey) ?? null
  },
}

/** The session of this browser; null when signed out. */
export const loadSession = () => queries.ensureQueryData(sessionQuery)

/** Sets the session after a sign-in, or null after a sign-out. */
export const setSession = (session: Session | null) => queries.setQueryData(sessionKey, session)

/** The session, for pages that require one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  if (data == null) throw new Error('A page that needs a session was rendered without one.')
  return data
}

export interface Seen {
  /** Null for the operator's own pages. */
  account_id: string | null
  membership: Membership | null
  role: Role | null
  side: 'account' | 'operator'
}

/** The account in view and the person's role there. The operator's staff can view every account. */
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

/** Why the person cannot make changes here; null when they can. For a button's `disabledReason`. */
export function useReadOnlyReason(): string | null {
  const { role, membership } = useSeen()
  if (role !== 'read_only' && role !== 'operator_read_only') return null
  return `You have read-only access to ${membership?.account_name ?? 'this account'}. Ask an owner to change your role.`
}

/** Permissions by role. */
const decisions = {
  owner: 'Only owners can manage access to this account. Ask an owner.',
  manager: 'Only owners and managers can view and change this. Ask an owner to change your role.',
} as const

/** Whether the role can change what is reserved for owners, or for owners and managers. */
export const mayDecide = (role: Role | null, by: keyof typeof decisions): boolean =>
  roleAllows(role, { principals: [by], access: 'write' })

/** Why the person lacks the permission; null if they have it. */
export function useDecisionDisabledReason(by: keyof typeof decisions): string | null {
  const { role } = useSeen()
  const readOnly = useReadOnlyReason()
  return readOnly ?? (mayDecide(role, by) ? null : decisions[by])
}

/** Signs out and clears the person's data from this window. */
export async function signOut(): Promise<void> {
  await request('signOut')
  sessionStorage.clear()
  // a full page load clears everything in memory
  location.assign('/sign-in')
}
