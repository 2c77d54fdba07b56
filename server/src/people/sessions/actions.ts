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

/** A session as responses show it. */
export type SessionDocument = NonNullable<ResponseBody<typeof people.getSession>['data']>

/** The form of a session token that the database stores. */
const tokenHash = (vault: Vault, token: string): Buffer => vault.hashSecret(`session:${token}`)

/** The forms of a session token that the database may have. */
export const tokenHashes = (vault: Vault, token: string): Buffer[] => vault.hashesOf(`session:${token}`)

/** Derived from the session token rather than stored: only someone with the cookie can compute it. */
const csrfToken = (vault: Vault, token: string): string => vault.hashSecret(`csrf:${token}`).toString('base64url')

/** Whether a request has the CSRF token of its session. */
export const isCsrfToken = (vault: Vault, token: string, csrf_token: string): boolean =>
  vault.verifySecret(`csrf:${token}`, Buffer.from(csrf_token, 'base64url'))

/** Starts a session and records the sign-in. The token, for the cookie, is only in this result. */
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

/** The document of a person's session. `token` is the one in its cookie. */
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

/** The problem returned for an expired session. */
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

/** Ends one of the person's sessions. Throws 404. */
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

/** Throws 403 unless the person recently confirmed their identity. */
export async function requireConfirmation(c: Context): Promise<void> {
  if (!(await store.isConfirmed(c.tx, signedIn(c).session_id))) throw problem('confirmation-required')
}
