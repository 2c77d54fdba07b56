import type { people, ResponseBody } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { problem } from '../../platform/problem.ts'
import { newSecret } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { passkeyRequest, secondFactorsOf, verifyProof, type Proof } from '../factors/proofs.ts'
import { beginSession, sessionDocument, type SessionDocument } from '../sessions/actions.ts'
import { findPerson, findPersonByEmail, membershipsOf, updatePerson, type PersonRow } from '../store.ts'
import type { SignInMethod } from '../tables.ts'
import * as store from './store.ts'

type Unfinished = Extract<ResponseBody<typeof people.signIn>['data'], { status: 'second_factor' }>

/** A session with its cookie's token, or a ticket for one more step. */
export type SignInResult = { session: SessionDocument; token: string } | Unfinished

const wrong = () => problem('unauthorized', 'The e-mail address or the password is wrong.')

/**
 * Signs in the person with this password, or returns a ticket for the second factor. Throws the same 401 after the same time
 * for an unknown person, a wrong password, a person without a password, and a person without memberships; 429 after too many
 * attempts.
 */
export async function signIn(
  c: Context,
  dependencies: PeopleDependencies,
  { email, password }: { email: string; password: string },
  browser: Browser,
): Promise<SignInResult> {
  const succeeded = await dependencies.throttle.attempt(email, browser.remote_ip)
  const person = await findPersonByEmail(c.tx, email)
  const { matches, outdated } = await dependencies.passwords.verify(password, person?.password_hash ?? null)
  if (!person || !matches || !(await belongsSomewhere(c, person))) throw wrong()
  await succeeded()
  if (outdated) await updatePerson(c.tx, person.id, { password_hash: await dependencies.passwords.hash(password) })
  return await inTransaction(
    c.db,
    async (tx) => await continueSignIn({ ...c, tx }, dependencies, person, 'password', browser),
  )
}

const belongsSomewhere = async (c: Context, { id }: PersonRow) => (await membershipsOf(c.tx, id)).length > 0

/** After the first step, in a transaction: the session, or a ticket if the person has a second factor. */
export async function continueSignIn(
  c: WriteContext,
  dependencies: PeopleDependencies,
  person: PersonRow,
  method: SignInMethod,
  browser: Browser,
): Promise<SignInResult> {
  const methods = await secondFactorsOf(c, person)
  if (methods.length === 0) return await beginIn(c, dependencies, person, method, browser)
  const { options, challenge } = await passkeyRequest(c, person.id)
  const ticket = newSecret()
  const passkey_challenge = challenge
  await store.insertTicket(c.tx, ticketHash(c, ticket), { person_id: person.id, method, passkey_challenge })
  return { status: 'second_factor', ticket, methods, passkey_options: options }
}

/** Starts the session of an identified person, in a transaction. */
export async function beginIn(
  c: WriteContext,
  dependencies: PeopleDependencies,
  person: Pick<PersonRow, 'id'>,
  method: SignInMethod,
  browser: Browser,
): Promise<{ session: SessionDocument; token: string }> {
  const { id: session_id, token } = await beginSession(c, person, method, browser)
  return { session: await sessionDocument(c, dependencies, { id: person.id, session_id }, token), token }
}

const ticketHash = (c: Context, ticket: string) => c.vault.hashSecret(`ticket:${ticket}`)

/** Starts a passkey sign-in without an e-mail address: the authenticator identifies the person. */
export async function beginPasskeySignIn(
  c: Context,
): Promise<{ ticket: string; passkey_options: Record<string, unknown> }> {
  const { options, challenge } = await passkeyRequest(c, null)
  const ticket = newSecret()
  await store.insertTicket(c.tx, ticketHash(c, ticket), {
    person_id: null,
    method: 'passkey',
    passkey_challenge: challenge,
  })
  return { ticket, passkey_options: options ?? {} }
}

/** Finishes a sign-in. Throws 401 for an expired ticket, and for a code or passkey that is not the person's. */
export async function confirmSignIn(
  c: Context,
  dependencies: PeopleDependencies,
  { ticket, ...proof }: Proof & { ticket: string },
  browser: Browser,
): Promise<{ session: SessionDocument; token: string }> {
  const hash = ticketHash(c, ticket)
  // count the attempt before trying it, whatever the outcome
  const found = await store.useTicket(c.db, hash)
  if (!found) throw problem('unauthorized', 'This sign-in took too long, or too many attempts. Begin again.')
  const who = found.person_id ?? `ticket ${hash.toString('hex')}`
  const succeeded = await dependencies.throttle.attempt(`factor ${who}`, browser.remote_ip)
  const result = await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    const asked = { person_id: found.person_id, challenge: found.passkey_challenge }
    const person_id = await verifyProof(within, asked, proof)
    if (person_id === null || (await membershipsOf(tx, person_id)).length === 0) return null
    if (!(await store.deleteTicket(tx, hash))) return null
    return await beginIn(within, dependencies, { id: person_id }, found.method, browser)
  })
  if (!result)
    throw problem('unauthorized', 'That is not right, or it was used before. Try again, or use another method.')
  await succeeded()
  return result
}

/** Signs in a person of the demo cast. Throws 404 in production, and for anyone else. */
export async function signInAsDemoPerson(
  c: Context,
  dependencies: PeopleDependencies,
  person_id: string,
  browser: Browser,
): Promise<{ session: SessionDocument; token: string }> {
  const person = dependencies.config.mode === 'demo' ? await findPerson(c.tx, person_id) : undefined
  if (!person || person.demo_story === null || !(await belongsSomewhere(c, person)))
    throw problem('not-found', 'There is no person with this id in the demo cast.')
  return await inTransaction(c.db, async (tx) => await beginIn({ ...c, tx }, dependencies, person, 'demo', browser))
}
