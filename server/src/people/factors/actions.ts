import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { invalid, problem, throwIfInvalid } from '../../platform/problem.ts'
import type { PeopleDependencies } from '../dependencies.ts'
import { passwordErrors } from '../rules.ts'
import { totpContext } from '../secret-store.ts'
import { requireConfirmation } from '../sessions/actions.ts'
import { signedIn } from '../sessions/actor.ts'
import { endSessions, setConfirmed } from '../sessions/store.ts'
import { isCommonPassword } from '../sign-in/common-passwords.ts'
import { countFactors, findPerson, lockPersonForUpdate, updatePerson, type PersonRow } from '../store.ts'
import { registrationOptions, verifiedRegistration } from './passkeys.ts'
import {
  factorOf,
  passkeyRequest,
  requireOne,
  secondFactorsOf,
  verifyProof,
  type Proof,
  newRecoveryCodes,
  recoveryCodeHash,
} from './proofs.ts'
import * as store from './store.ts'
import { acceptedStep, newTotpSecret, otpauthUrl } from './totp.ts'

/** Records a change to how the requesting person signs in. */
const recordChange = (c: WriteContext, type: string, data: Record<string, unknown> = {}) =>
  recordEvent(c, null, { type, subject_type: 'person', subject_id: signedIn(c).id, data })

/** The requesting person, locked until the transaction ends. */
async function lockOwn(c: WriteContext): Promise<PersonRow> {
  const person = await lockPersonForUpdate(c.tx, signedIn(c).id)
  if (!person) throw new Error('the person of a session does not exist')
  return person
}

/** The ways this person can confirm their identity. The passkey challenge is valid for this session. */
export async function beginConfirmation(c: WriteContext) {
  const { id, session_id } = signedIn(c)
  const person = await lockOwn(c)
  const { options, challenge } = await passkeyRequest(c, id)
  if (challenge !== null) await store.setChallenge(c.tx, session_id, challenge)
  const methods = [
    ...(person.password_hash === null ? [] : ['password' as const]),
    ...(await secondFactorsOf(c, person)),
  ]
  return { methods, passkey_options: options }
}

/** Confirms the person's identity. Throws 422 for a wrong proof, 429 after too many attempts. */
export async function confirmIdentity(
  c: Context,
  dependencies: PeopleDependencies,
  input: Proof & { password?: string | undefined },
  remote_ip: string,
): Promise<void> {
  const { id, session_id } = signedIn(c)
  const { password, totp, recovery_code, passkey } = input
  requireOne({ password, totp, recovery_code, passkey })
  const kind = password === undefined ? factorOf(input) : 'password'
  // a session is a known browser: guesses from elsewhere don't count against it
  const device = `session ${session_id}`
  const succeeded = await dependencies.throttle.attempt({ who: `${kind} ${id}`, remote_ip, device })
  const by_password = password !== undefined && (await isPassword(c, dependencies, password))
  const proved = await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    const challenge = passkey === undefined ? null : await store.useChallenge(tx, session_id)
    const proof = { totp, recovery_code, passkey }
    if (
      !by_password &&
      (password !== undefined || (await verifyProof(within, { person_id: id, challenge }, proof)) === null)
    )
      return false
    await setConfirmed(tx, session_id)
    return true
  })
  if (!proved) {
    const field = Object.entries({ password, totp, recovery_code, passkey }).find(
      ([, value]) => value !== undefined,
    )?.[0]
    throw invalid({ [field ?? 'password']: ['Incorrect or already used.'] })
  }
  await succeeded()
}

async function isPassword(c: Context, { passwords }: PeopleDependencies, password: string): Promise<boolean> {
  const person = await findPerson(c.tx, signedIn(c).id)
  return (await passwords.verify({ email: person?.email ?? '', password }, [person?.password_hash ?? null])) !== null
}

/**
 * Changes the password and ends all other sessions. Throws 422 for a wrong or weak password, and 403 where a first password
 * needs a confirmed identity.
 */
export async function changePassword(
  c: Context,
  dependencies: PeopleDependencies,
  { current_password, new_password }: { current_password?: string | undefined; new_password: string },
  remote_ip: string,
): Promise<void> {
  const { id, session_id } = signedIn(c)
  const person = await findPerson(c.tx, id)
  if (!person) throw new Error('the person of a session does not exist')
  throwIfInvalid(passwordErrors('new_password', new_password, { ...person, is_common: isCommonPassword(new_password) }))
  if (person.password_hash === null) await requireConfirmation(c)
  else {
    if (current_password === undefined) throw invalid({ current_password: ['Is required.'] })
    const attempt = { who: `password ${id}`, remote_ip, device: `session ${session_id}` }
    const succeeded = await dependencies.throttle.attempt(attempt)
    const current = { email: person.email, password: current_password }
    if ((await dependencies.passwords.verify(current, [person.password_hash])) === null)
      throw invalid({ current_password: ['This is not your password.'] })
    await succeeded()
  }
  const password_hash = await dependencies.passwords.hash({ email: person.email, password: new_password })
  await inTransaction(c.db, async (tx) => {
    await updatePerson(tx, id, { password_hash })
    await endSessions(tx, id, { except: session_id })
    await setConfirmed(tx, session_id)
    await recordChange({ ...c, tx }, 'person.password_changed')
  })
}

/** Creates a secret for an authenticator app. It takes effect once one of its codes is entered. Throws 403 and 409. */
export async function beginTotp(c: WriteContext, { config }: PeopleDependencies) {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  if (person.totp_secret !== null)
    throw problem('conflict', 'You have an authenticator app already. Remove it first, then set up the other one.')
  const secret = newTotpSecret()
  await updatePerson(c.tx, person.id, { totp_pending: c.vault.seal(secret, totpContext(person.id)) })
  return { secret, otpauth_url: otpauthUrl(secret, { issuer: config.carrier_name, email: person.email }) }
}

/** Activates the authenticator app that shows this code. Returns new recovery codes. */
export async function confirmTotp(c: WriteContext, code: string): Promise<string[]> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  if (person.totp_pending === null)
    throw problem('conflict', 'No authenticator app is being set up. Begin with POST /v2/person/totp.')
  const secret = c.vault.open(person.totp_pending, totpContext(person.id))
  const step = acceptedStep(secret, code, new Date(), -1)
  if (step === null)
    throw invalid({ code: ['This is not the app’s current code. Check that your phone’s clock is correct.'] })
  await updatePerson(c.tx, person.id, {
    totp_secret: person.totp_pending,
    totp_pending: null,
    totp_step: String(step),
  })
  const codes = await newCodes(c, person.id)
  await recordChange(c, 'person.totp_added')
  return codes
}

/** Removes the authenticator app. */
export async function removeTotp(c: WriteContext): Promise<void> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  if (person.totp_secret === null) throw problem('not-found', 'You have no authenticator app.')
  await updatePerson(c.tx, person.id, { totp_secret: null, totp_pending: null, totp_step: null })
  await dropCodesWithoutFactor(c, { ...person, totp_secret: null })
  await recordChange(c, 'person.totp_removed')
}

/** Replaces all recovery codes with new ones. Throws 409 without a second factor. */
export async function renewRecoveryCodes(c: WriteContext): Promise<string[]> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  if ((await secondFactorsOf(c, person)).length === 0)
    throw problem('conflict', 'Recovery codes stand in for a second factor. Set one up first.')
  const codes = await newCodes(c, person.id)
  await recordChange(c, 'person.recovery_codes_renewed')
  return codes
}

async function newCodes(c: WriteContext, person_id: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  await store.replaceRecoveryCodes(
    c.tx,
    person_id,
    codes.map((code) => recoveryCodeHash(c.vault, person_id, code)),
  )
  return codes
}

async function dropCodesWithoutFactor(c: WriteContext, person: PersonRow): Promise<void> {
  if ((await secondFactorsOf(c, person)).length === 0) await store.replaceRecoveryCodes(c.tx, person.id, [])
}

/** Maximum number of passkeys per person. */
const passkeys_max = 20

/** The options an authenticator needs to create a passkey. */
export async function beginPasskey(c: WriteContext, { config }: PeopleDependencies): Promise<Record<string, unknown>> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  const existing = await store.listPasskeys(c.tx, person.id)
  if (existing.length >= passkeys_max)
    throw problem('conflict', `You have ${passkeys_max} passkeys. Remove one you no longer use.`)
  const { options, challenge } = await registrationOptions(c, person, existing, config.carrier_name)
  await store.setChallenge(c.tx, signedIn(c).session_id, challenge)
  return options
}

/** Adds the passkey that the authenticator created. The first second factor also gets recovery codes. */
export async function addPasskey(
  c: WriteContext,
  { name, passkey }: { name: string; passkey: { id: string; response: object } },
): Promise<{ row: store.PasskeyRow; recovery_codes: string[] | null }> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  const challenge = await store.useChallenge(c.tx, signedIn(c).session_id)
  if (challenge === null)
    throw problem(
      'conflict',
      'The request to add this passkey has expired, or the passkey was already added. Start again.',
    )
  const made = await verifiedRegistration(c, passkey, challenge)
  if (!made) throw invalid({ passkey: ['The authenticator’s response does not match. Start again.'] })
  const is_first = (await secondFactorsOf(c, person)).length === 0
  const row = await store.insertPasskey(c.tx, {
    person_id: person.id,
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey),
    counter: String(made.counter),
    transports: made.transports ?? [],
    name,
    created_at: c.clock.now(),
  })
  if (!row) throw problem('conflict', 'This passkey was already added.')
  const recovery_codes = is_first ? await newCodes(c, person.id) : null
  await recordChange(c, 'person.passkey_added', { passkey_id: row.id, name })
  return { row, recovery_codes }
}

/** Removes a passkey. Throws 404, and 409 if the person has no other way to sign in. */
export async function removePasskey(c: WriteContext, passkey_id: string): Promise<void> {
  await requireConfirmation(c)
  const person = await lockOwn(c)
  const name = await store.deletePasskey(c.tx, person.id, passkey_id)
  if (name === undefined) throw problem('not-found', `You have no passkey ${passkey_id}.`)
  const { passkeys } = await countFactors(c.tx, person.id)
  if (passkeys === 0 && person.password_hash === null && !(await store.hasOpenId(c.tx, person.id)))
    throw problem(
      'conflict',
      'This passkey is your only way to sign in. Choose a password first, or add another passkey.',
    )
  await dropCodesWithoutFactor(c, person)
  await recordChange(c, 'person.passkey_removed', { passkey_id, name })
}

/** Changes the requesting person's name or time zone. */
export async function updateOwn(
  c: WriteContext,
  changes: { name?: string | undefined; time_zone?: string | null | undefined },
): Promise<void> {
  const { name, time_zone } = changes
  const changed = Object.entries({ name, time_zone }).filter(([, value]) => value !== undefined)
  if (changed.length === 0) return
  await updatePerson(c.tx, signedIn(c).id, Object.fromEntries(changed))
  await recordChange(c, 'person.updated', { fields: changed.map(([field]) => field) })
}
