import type { people, ResponseBody } from '@demarc/client'
import type { SignedInPerson } from '../../platform/actor.ts'
import type { Context, WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { problem } from '../../platform/problem.ts'
import { newSecret, type Vault } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { countFactors, findPerson, membershipsOf, updatePerson, type PersonRow } from '../store.ts'
import type { SignInMethod } from '../tables.ts'
import { personActor, signedIn } from './actor.ts'
import * as store from './store.ts'

/** A session as responses have it. */
export type SessionDocument = ResponseBody<typeof people.getSession>['data']

/** What the database keeps of a session's token. */
export const tokenHash = (vault: Vault, token: string): Buffer => vault.hashSecret(`session:${token}`)

/** Derived, not stored: whoever can read the cookie could read it too, and nobody else can. */
export const csrfToken = (vault: Vault, token: string): string =>
  vault.hashSecret(`csrf:${token}`).toString('base64url')

/** Begins a session and records the sign-in. The token is for the cookie, and in the result and nowhere else. */
export async function beginSession(
  c: WriteContext,
  person: Pick<PersonRow, 'id'>,
  method: SignInMethod,
  { remote_ip, user_agent }: Browser,
): Promise<{ id: string; token: string }> {
  const token = newSecret()
  const id = await store.insertSession(c.tx, {
    person_id: person.id,
    token_hash: tokenHash(c.vault, token),
    method,
    remote_ip,
    user_agent: user_agent?.slice(0, 300) ?? null,
  })
  await store.deleteEndedSessions(c.tx, person.id)
  await updatePerson(c.tx, person.id, { last_signed_in_at: c.clock.now() })
  await recordEvent({ ...c, actor: personActor(person.id, id) }, null, {
    type: 'person.signed_in',
    subject_type: 'person',
    subject_id: person.id,
    data: { method, session_id: id, remote_ip },
  })
  return { id, token }
}

/** The document of a session of the person. `token` is the one of its cookie. */
export async function sessionDocument(
  c: Context,
  { config }: Pick<PeopleDependencies, 'config'>,
  { id: person_id, session_id }: SignedInPerson,
  token: string,
): Promise<SessionDocument> {
  const person = await findPerson(c.tx, person_id)
  const session = await store.findOwnSession(c.tx, person_id, session_id)
  if (!person || !session) throw problem('unauthorized', sessionEnded)
  const memberships = await membershipsOf(c.tx, person_id)
  const factors = await countFactors(c.tx, person_id)
  const { id, name, email, time_zone } = person
  return {
    id: session.id,
    person: {
      id,
      name,
      email,
      time_zone,
      has_password: person.password_hash !== null,
      has_totp: person.totp_secret !== null,
      passkey_count: factors.passkeys,
      recovery_codes_left: factors.recovery_codes,
    },
    memberships: memberships.map((each) => ({ ...each, account_name: each.account_name ?? config.carrier_name })),
    csrf_token: csrfToken(c.vault, token),
    now: c.clock.now().toISOString(),
    started_at: session.started_at.toISOString(),
    idle_expires_at: session.idle_expires_at.toISOString(),
    expires_at: session.expires_at.toISOString(),
    confirmed_until: session.confirmed_until.toISOString(),
  }
}

/** What a session that has ended is refused with. */
export const sessionEnded = 'You are signed out: your session has ended. Sign in again.'

/** Ends the session of the request. */
export async function signOut(c: WriteContext): Promise<void> {
  const { id, session_id } = signedIn(c)
  await store.endSessions(c.tx, id, { id: session_id })
  await recordEvent(c, null, {
    type: 'person.signed_out',
    subject_type: 'person',
    subject_id: id,
    data: { session_id },
  })
}

/** Ends a session of one's own. Throws 404. */
export async function endSession(c: WriteContext, session_id: string): Promise<void> {
  const { id } = signedIn(c)
  if ((await store.endSessions(c.tx, id, { id: session_id })) === 0)
    throw problem('not-found', `You have no session ${session_id}.`)
  await recordEvent(c, null, {
    type: 'person.session_ended',
    subject_type: 'person',
    subject_id: id,
    data: { session_id },
  })
}

/** Ends all sessions of a person but this one. */
export async function endOtherSessions(c: WriteContext): Promise<void> {
  const { id, session_id } = signedIn(c)
  const ended = await store.endSessions(c.tx, id, { except: session_id })
  if (ended === 0) return
  await recordEvent(c, null, {
    type: 'person.other_sessions_ended',
    subject_type: 'person',
    subject_id: id,
    data: { sessions: ended },
  })
}

/** Throws 403 unless the person proved in the last minutes who they are. */
export async function requireConfirmation(c: Context): Promise<void> {
  if (!(await store.isConfirmed(c.tx, signedIn(c).session_id))) throw problem('confirmation-required')
}
