import type { people, ResponseBody } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { problem } from '../../platform/problem.ts'
import { newSecret, SealError } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { knownDevice, knownDeviceOf, registerDevice } from '../devices/actions.ts'
import { factorOf, passkeyRequest, secondFactorsOf, verifyProof, type Proof } from '../factors/proofs.ts'
import { limits } from '../rules.ts'
import { beginSession, sessionDocument, type SessionDocument } from '../sessions/actions.ts'
import { findPerson, listPeopleByEmail, membershipsOf, updatePerson, type PersonRow } from '../store.ts'
import type { SignInMethod } from '../tables.ts'
import * as store from './store.ts'

type Unfinished = Extract<ResponseBody<typeof people.signIn>['data'], { status: 'second_factor' }>

/** A session with its cookie's token, or a ticket for one more step. */
export type SignInResult = SignedIn | Unfinished

/** A session, with the tokens for the cookies of the session and the browser. */
export interface SignedIn {
  session: SessionDocument
  token: string
  device: string
}

const wrong = () => problem('unauthorized', 'The email address or the password is wrong.')

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
  const { throttle } = dependencies
  const { remote_ip } = browser
  const known = await knownDeviceOf(c, email, browser)
  const attempts = [await throttle.attempt({ who: email, remote_ip, device: known?.id ?? null })]
  const namesakes = await listPeopleByEmail(c.tx, email)
  const hashes = namesakes.map(({ password_hash }) => password_hash)
  const matched = await dependencies.passwords.verify({ email, password }, hashes)
  const person = matched === null ? undefined : namesakes[matched.index]
  // this browser is known to one of the people who use the address; for anyone else it is like any other
  if (known && !(person && known.person_ids.has(person.id)))
    attempts.push(await throttle.attempt({ who: email, remote_ip, device: null }))
  if (!person) throw wrong()
  for (const succeeded of attempts) await succeeded()
  if (matched?.outdated === true)
    await updatePerson(c.tx, person.id, { password_hash: await dependencies.passwords.hash({ email, password }) })
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
): Promise<SignedIn> {
  const { id: session_id, token } = await beginSession(c, person, method, browser)
  const device = await registerDevice(c, person.id, browser)
  return { session: await sessionDocument(c, dependencies, { id: person.id, session_id }, token), token, device }
}

const ticketHash = (c: Context, ticket: string) => c.vault.hashSecret(`ticket:${ticket}`)

/** Starts a passkey sign-in without an email address: the authenticator identifies the person. */
export async function beginPasskeySignIn(
  c: Context,
): Promise<{ ticket: string; passkey_options: Record<string, unknown> }> {
  const { options, challenge } = await passkeyRequest(c, null)
  // sealed, not stored: anyone can ask for one
  const asked: PasskeyTicket = { challenge: challenge ?? '', until: Date.now() + limits.ticket_min * 60_000 }
  return { ticket: c.vault.seal(JSON.stringify(asked), passkeyContext), passkey_options: options ?? {} }
}

/** Finishes a sign-in. Throws 401 for an expired ticket, and for a code or passkey that is not the person's. */
export async function confirmSignIn(
  c: Context,
  dependencies: PeopleDependencies,
  { ticket, ...proof }: Proof & { ticket: string },
  browser: Browser,
): Promise<SignedIn> {
  const hashes = c.vault.hashesOf(`ticket:${ticket}`)
  const sealed = openPasskeyTicket(c, ticket)
  // count the attempt before trying it, whatever the outcome
  const found = sealed ?? (await store.useTicket(c.db, hashes))
  if (!found) throw problem('unauthorized', 'This sign-in took too long, or too many attempts. Begin again.')
  const { person_id } = found
  const succeeded = await dependencies.throttle.attempt({
    who: `${factorOf(proof)} ${person_id ?? ticketHash(c, ticket).toString('hex')}`,
    remote_ip: browser.remote_ip,
    device: person_id === null ? null : await knownDevice(c, person_id, browser),
  })
  const result = await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    const proven = await verifyProof(within, { person_id, challenge: found.passkey_challenge }, proof)
    if (proven === null || (await membershipsOf(tx, proven)).length === 0) return null
    if (!(await (sealed ? store.spendPasskeyTicket(tx, hashes) : store.deleteTicket(tx, hashes)))) return null
    return await beginIn(within, dependencies, { id: proven }, found.method, browser)
  })
  if (!result) throw problem('unauthorized', 'Incorrect or already used. Try again, or use another method.')
  await succeeded()
  return result
}

interface PasskeyTicket {
  challenge: string
  /** Real time. */
  until: number
}

const passkeyContext = 'sign-in:passkey'

/** The request in a ticket of `beginPasskeySignIn`; null for any other ticket, or one that is too old. */
function openPasskeyTicket(
  { vault }: Pick<Context, 'vault'>,
  ticket: string,
): { person_id: null; method: 'passkey'; passkey_challenge: string } | null {
  try {
    // sealed by the function above
    const { challenge, until } = JSON.parse(vault.open(ticket, passkeyContext)) as PasskeyTicket
    return until > Date.now() ? { person_id: null, method: 'passkey', passkey_challenge: challenge } : null
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** Signs in a person of the demo cast. Throws 404 in production, and for anyone else. */
export async function signInAsDemoPerson(
  c: Context,
  dependencies: PeopleDependencies,
  person_id: string,
  browser: Browser,
): Promise<SignedIn> {
  const person = dependencies.config.mode === 'demo' ? await findPerson(c.tx, person_id) : undefined
  if (!person || person.demo_story === null || !(await belongsSomewhere(c, person)))
    throw problem('not-found', 'There is no person with this ID in the demo cast.')
  return await inTransaction(c.db, async (tx) => await beginIn({ ...c, tx }, dependencies, person, 'demo', browser))
}
