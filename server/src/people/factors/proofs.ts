import type { people } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { invalid } from '../../platform/problem.ts'
import { totpContext } from '../secret-store.ts'
import { countFactors, lockPersonForUpdate, updatePerson, type PersonRow } from '../store.ts'
import { personActor } from '../sessions/actor.ts'
import { authenticationOptions, verifiedCounter, type PasskeyOptions } from './passkeys.ts'
import * as store from './store.ts'
import { acceptedStep } from './totp.ts'
import { randomInt } from 'node:crypto'
import type { Vault } from '../../platform/secrets.ts'

/** Proofs of identity other than a password. */

/** Exactly one of them is present. */
export interface Proof {
  totp?: string | undefined
  recovery_code?: string | undefined
  passkey?: { id: string } | undefined
}

/** The kind of a proof. Each has its own limit, so that wrong codes of one kind don't block another. */
export const factorOf = ({ totp, recovery_code }: Proof): people.SecondFactor =>
  totp !== undefined ? 'totp' : recovery_code !== undefined ? 'recovery_code' : 'passkey'

/** The person's second factors. Recovery codes replace one but don't count as one. */
export async function secondFactorsOf(c: Context, person: PersonRow): Promise<people.SecondFactor[]> {
  const { passkeys, recovery_codes } = await countFactors(c.tx, person.id)
  const factors: people.SecondFactor[] = [
    ...(person.totp_secret === null ? [] : ['totp' as const]),
    ...(passkeys === 0 ? [] : ['passkey' as const]),
  ]
  return factors.length > 0 && recovery_codes > 0 ? [...factors, 'recovery_code'] : factors
}

/** The options an authenticator must sign: for one person's passkeys, or for any passkey (null). */
export async function passkeyRequest(
  c: Context,
  person_id: string | null,
): Promise<PasskeyOptions | { options: null; challenge: null }> {
  const existing = person_id === null ? null : await store.listPasskeys(c.tx, person_id)
  if (existing?.length === 0) return { options: null, challenge: null }
  return await authenticationOptions(c, existing)
}

/** Throws 422 unless exactly one of these is present. */
export function requireOne(proofs: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(proofs)
  if (names.filter((name) => proofs[name] !== undefined).length === 1) return
  throw invalid(Object.fromEntries(names.map((name) => [name, [`Give exactly one of ${names.join(', ')}.`]])))
}

/**
 * The person whose identity was proved, or null. A code works once, and so does a challenge. Without a known person it must be
 * a passkey whose authenticator verified its user.
 */
export async function verifyProof(
  c: WriteContext,
  { person_id, challenge }: { person_id: string | null; challenge: string | null },
  { totp, recovery_code, passkey }: Proof,
): Promise<string | null> {
  requireOne({ totp, recovery_code, passkey })
  if (passkey !== undefined) return challenge === null ? null : await byPasskey(c, person_id, challenge, passkey)
  if (person_id === null) return null
  const proved =
    totp === undefined ? await byRecoveryCode(c, person_id, recovery_code ?? '') : await byTotp(c, person_id, totp)
  if (!proved) await recordFailure(c, person_id, totp === undefined ? 'recovery_code' : 'totp')
  return proved ? person_id : null
}

const recordFailure = (c: WriteContext, person_id: string, method: people.SecondFactor) =>
  recordEvent({ ...c, actor: personActor(person_id) }, null, {
    type: 'person.second_factor_refused',
    subject_type: 'person',
    subject_id: person_id,
    data: { method },
  })

async function byTotp(c: WriteContext, person_id: string, code: string): Promise<boolean> {
  const person = await lockPersonForUpdate(c.tx, person_id)
  if (!person || person.totp_secret === null) return false
  const secret = c.vault.open(person.totp_secret, totpContext(person_id))
  // by the real time, which authenticator apps use
  const step = acceptedStep(secret, code, new Date(), Number(person.totp_step ?? -1))
  if (step === null) return false
  await updatePerson(c.tx, person_id, { totp_step: String(step) })
  return true
}

async function byRecoveryCode(c: WriteContext, person_id: string, code: string): Promise<boolean> {
  const hashes = c.vault.hashesOf(recoveryCodeText(person_id, code))
  if (!(await store.useRecoveryCode(c.tx, person_id, hashes, c.clock.now()))) return false
  await recordEvent({ ...c, actor: personActor(person_id) }, null, {
    type: 'person.recovery_code_used',
    subject_type: 'person',
    subject_id: person_id,
    data: { left: (await countFactors(c.tx, person_id)).recovery_codes },
  })
  return true
}

async function byPasskey(
  c: WriteContext,
  person_id: string | null,
  challenge: string,
  passkey: { id: string },
): Promise<string | null> {
  const row = await store.lockPasskeyForUpdate(c.tx, passkey.id)
  if (!row || (person_id !== null && row.person_id !== person_id)) return null
  const counter = await verifiedCounter(c, row, passkey, { challenge, verifies_user: person_id === null })
  if (counter === null) {
    await recordFailure(c, row.person_id, 'passkey')
    return null
  }
  await store.updatePasskey(c.tx, row.id, { counter: String(counter), last_used_at: c.clock.now() })
  return row.person_id
}

/** Recovery codes for people who lose their authenticator. Each works once. */

const count = 10
/** Omits letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** New codes of 49 bits, in two groups of five characters. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const letters = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
    return `${letters.slice(0, 5)}-${letters.slice(5)}`
  })

/** The form of a code that the database stores, independent of how it was typed. */
export const recoveryCodeHash = (vault: Vault, person_id: string, code: string): Buffer =>
  vault.hashSecret(recoveryCodeText(person_id, code))

const recoveryCodeText = (person_id: string, code: string) =>
  `recovery:${person_id}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`
