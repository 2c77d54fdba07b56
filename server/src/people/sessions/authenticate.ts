import { accountToActFor } from '../../accounts/index.ts'
import { noAccount, type Actor } from '../../platform/actor.ts'
import type { Deps } from '../../platform/context.ts'
import type { Authenticate, Credentials } from '../../platform/http/serve.ts'
import { problem } from '../../platform/problem.ts'
import { rightsFor } from '../rules.ts'
import { isCsrfToken, sessionEnded, tokenHashes } from './actions.ts'
import { sessionTokenIn } from './cookie.ts'
import * as store from './store.ts'

/** Authenticates by access key. Throws 401, or 429 after too many failures. */
type AuthenticateKey = (
  authorization: string | undefined,
  remote_ip: string,
  act_for: string | undefined,
) => Promise<Actor>

/** Uses the access key if there is one, otherwise the session. */
export function byKeyOrSession(byKey: AuthenticateKey, deps: Pick<Deps, 'db' | 'vault' | 'public_url'>): Authenticate {
  return async (credentials) => {
    const token = credentials.authorization === undefined ? sessionTokenIn(credentials.cookie, deps.public_url) : null
    // only the portal's pages send this header
    const is_page = credentials.authorization === undefined && credentials.csrf_token !== undefined
    if (token === null && is_page) throw problem('unauthorized', 'You are not signed in.')
    if (token === null) return await byKey(credentials.authorization, credentials.remote_ip, credentials.act_for)
    return await bySession(deps, token, credentials)
  }
}

/**
 * The actor of a session, with the person's current rights: nothing is cached, so a change applies from the next request on, in
 * every process. Throws 401, and 403 for a change without the session's CSRF token.
 */
async function bySession(deps: Pick<Deps, 'db' | 'vault'>, token: string, credentials: Credentials): Promise<Actor> {
  const { db, vault } = deps
  const session = await liveSession(deps, token)
  if (!session) throw problem('unauthorized', sessionEnded)
  const isSafe = credentials.method === 'GET' || credentials.method === 'HEAD'
  if (!isSafe && !isCsrfToken(vault, token, credentials.csrf_token ?? '')) throw problem('csrf-token-required')
  const person = { id: session.person_id, session_id: session.id }
  const rights = rightsFor(session.memberships, credentials.act_for ?? null)
  if (!rights) return { kind: 'person', account_id: noAccount, person, role: null }
  const { account_id, role } = rights
  if (account_id !== null) return { kind: 'account', account_id, person, role }
  return { kind: 'operator', account_id: await accountToActFor(db, credentials.act_for), person, role }
}

/** The session of a token, if it has not ended. Reading it keeps it alive. */
export async function liveSession(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  token: string,
): Promise<store.SessionRights | undefined> {
  const session = await store.findSession(db, tokenHashes(vault, token))
  if (session?.is_stale === true) await store.touchSession(db, session.id)
  return session
}
