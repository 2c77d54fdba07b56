import { accountToActFor } from '../../accounts/index.ts'
import { noAccount, type Actor } from '../../platform/actor.ts'
import type { Deps } from '../../platform/context.ts'
import type { Authenticate, Credentials } from '../../platform/http/serve.ts'
import { problem } from '../../platform/problem.ts'
import { isSameSecret } from '../../platform/secrets.ts'
import { rightsFor } from '../rules.ts'
import { csrfToken, sessionEnded, tokenHash } from './actions.ts'
import { sessionTokenIn } from './cookie.ts'
import * as store from './store.ts'

/** Authenticates by access key. Throws 401, or 429 after too many failures. */
type AuthenticateKey = (
  authorization: string | undefined,
  remote_ip: string,
  act_for: string | undefined,
) => Promise<Actor>

/** Uses the access key if there is one, otherwise the session. */
export function byKeyOrSession(byKey: AuthenticateKey, deps: Pick<Deps, 'db' | 'vault'>): Authenticate {
  return async (given) => {
    const token = given.authorization === undefined ? sessionTokenIn(given.cookie) : null
    // only the portal's pages send this header
    const is_page = given.authorization === undefined && given.csrf_token !== undefined
    if (token === null && is_page) throw problem('unauthorized', 'You are not signed in.')
    if (token === null) return await byKey(given.authorization, given.remote_ip, given.act_for)
    return await bySession(deps, token, given)
  }
}

/**
 * The actor of a session, with the person's current rights: nothing is cached, so a change applies from the next request on, in
 * every process. Throws 401, and 403 for a change without the session's CSRF token.
 */
async function bySession({ db, vault }: Pick<Deps, 'db' | 'vault'>, token: string, given: Credentials): Promise<Actor> {
  const session = await store.findSession(db, tokenHash(vault, token))
  if (!session) throw problem('unauthorized', sessionEnded)
  const isSafe = given.method === 'GET' || given.method === 'HEAD'
  if (!isSafe && !isSameSecret(given.csrf_token ?? '', csrfToken(vault, token))) throw problem('csrf-token-required')
  if (session.is_stale) await store.touchSession(db, session.id)
  const person = { id: session.person_id, session_id: session.id }
  const rights = rightsFor(session.memberships, given.act_for ?? null)
  if (!rights) return { kind: 'person', account_id: noAccount, person, role: null }
  const { account_id, role } = rights
  if (account_id !== null) return { kind: 'account', account_id, person, role }
  return { kind: 'operator', account_id: await accountToActFor(db, given.act_for), person, role }
}
