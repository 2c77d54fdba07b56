import { allOperatorRights, hasAllOperatorRights, type OperatorScope } from '@demarc/client'
import { accountOf } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import { newAccessKey, newSecret, newWebhookSecret } from '../platform/secrets.ts'
import { signingContext } from './secret-store.ts'
import * as store from './store.ts'

/** How long a replaced signing secret stays valid. */
export const previousSecretValid_h = 24

/** Creates an account with its own signing secret. */
export async function createAccount(c: WriteContext, name: string): Promise<store.AccountRow> {
  const id = await store.nextAccountId(c.tx)
  const now = c.clock.now()
  const signing_secret = c.vault.seal(newWebhookSecret(), signingContext(id))
  const account = await store.insertAccount(c.tx, { id, name, created_at: now, signing_secret })
  await recordEvent(c, id, {
    type: 'account.created',
    subject_type: 'account',
    subject_id: id,
    data: { name },
  })
  return account
}

/** Validates the expiry of a new key. Returns errors by field. */
export const expiryErrors = (c: Context, expires_at: string | null | undefined): Record<string, string[]> =>
  expires_at && new Date(expires_at) <= c.clock.now() ? { expires_at: ['Must be in the future.'] } : {}

/** Issues a key. The secret is only in this result. Throws 404 for an unknown account, and 409 for a closed one. */
export async function createKey(
  c: WriteContext,
  account_id: string,
  input: { name: string; scopes?: string[] | undefined; expires_at?: string | null | undefined },
): Promise<{ key: store.KeyRow; secret_key: string }> {
  const { closed_at } = await requireAccount(c, account_id)
  if (closed_at) throw problem('conflict', `Account ${account_id} is closed.`)
  const now = c.clock.now()
  throwIfInvalid(expiryErrors(c, input.expires_at))
  const expires_at = input.expires_at ? new Date(input.expires_at) : null
  const secret_key = newSecret()
  const key = await store.insertKey(c.tx, {
    account_id,
    access_key: newAccessKey('ak'),
    secret_hash: c.vault.hashSecret(secret_key).toString('hex'),
    name: input.name,
    scopes: input.scopes ?? ['read', 'write'],
    created_at: now,
    expires_at,
  })
  const data = { access_key: key.access_key, name: key.name, scopes: key.scopes }
  await recordEvent(c, account_id, {
    type: 'access_key.created',
    subject_type: 'access_key',
    subject_id: key.id,
    data,
  })
  return { key, secret_key }
}

/**
 * Revokes a key with immediate effect: the database notifies every process that caches it, and `invalidate` covers this process
 * between the commit and that notification. Throws 404 if there is no such key or it is already revoked.
 */
export async function revokeKey(
  c: WriteContext,
  account_id: string,
  key_id: string,
  invalidate: (access_key: string) => void,
): Promise<void> {
  await requireAccount(c, account_id)
  const now = c.clock.now()
  const access_key = await store.revokeKey(c.tx, account_id, key_id, now)
  if (access_key === undefined) throw notFound(c.actor, `No active key ${key_id}`)
  invalidate(access_key)
  await recordEvent(c, account_id, {
    type: 'access_key.revoked',
    subject_type: 'access_key',
    subject_id: key_id,
  })
}

/** How long a key works after it has been replaced. */
export const rotatedKeyValid_h = 24

/** Issues a replacement for a key, which keeps working for another day. Throws 404 if the key doesn't exist or no longer works. */
export async function rotateKey(
  c: WriteContext,
  account_id: string,
  key_id: string,
): Promise<{ key: store.KeyRow; secret_key: string }> {
  const now = c.clock.now()
  const replaced = await store.findKey(c.tx, account_id, key_id)
  const expired = replaced?.expires_at && replaced.expires_at <= now
  if (!replaced || replaced.revoked_at || expired) throw notFound(c.actor, `No active key ${key_id}`)
  const until = new Date(now.getTime() + rotatedKeyValid_h * 3_600_000)
  const { name, scopes, expires_at } = replaced
  if (!expires_at || expires_at > until) await store.setKeyExpiry(c.tx, account_id, key_id, until)
  const made = await createKey(c, account_id, { name, scopes, expires_at: expires_at?.toISOString() })
  await recordEvent(c, account_id, {
    type: 'access_key.rotated',
    subject_type: 'access_key',
    subject_id: key_id,
    data: { replaced_by: made.key.access_key },
  })
  return made
}

/** Name of a demo installation's operator key. Production refuses to start until it is revoked. */
export const demoOperatorName = 'demo operator'

/** Validates the name of a new operator key. Returns errors by field. */
export const operatorKeyErrors = (c: Context, name: string | undefined): Record<string, string[]> =>
  name === demoOperatorName && c.actor.kind === 'operator'
    ? { name: ['The demo’s own key has this name. Choose another name.'] }
    : {}

/** Issues a key for the carrier's staff or systems, with full access unless it gets scopes. The secret is only in this result. */
export async function createOperatorKey(
  c: WriteContext,
  name: string,
  scopes: readonly OperatorScope[] = allOperatorRights,
): Promise<{ key: store.OperatorKeyRow; secret_key: string }> {
  throwIfInvalid(operatorKeyErrors(c, name))
  const secret_key = newSecret()
  const key = await store.insertOperatorKey(c.tx, {
    access_key: newAccessKey('ok'),
    secret_hash: c.vault.hashSecret(secret_key).toString('hex'),
    name,
    scopes: [...scopes],
    created_at: c.clock.now(),
  })
  await recordEvent(c, null, {
    type: 'operator_key.created',
    subject_type: 'operator_key',
    subject_id: key.id,
    data: { access_key: key.access_key, name, scopes: key.scopes },
  })
  return { key, secret_key }
}

/**
 * Revokes an operator key with immediate effect, like `revokeKey`. Throws 404 if there is no such key or it is already revoked,
 * and 409 for the last one with full access, which would leave the carrier without access.
 */
export async function revokeOperatorKey(
  c: WriteContext,
  key_id: string,
  invalidate: (access_key: string) => void,
): Promise<void> {
  // lock all of them: two keys that revoke each other at the same time must not leave none
  const working = await store.lockWorkingOperatorKeysForUpdate(c.tx)
  const key = working.find(({ id }) => id === key_id)
  if (!key) throw problem('not-found', `There is no active operator key ${key_id}.`)
  const full_access = working.filter(({ scopes }) => hasAllOperatorRights(scopes))
  if (full_access.length === 1 && full_access.includes(key))
    throw problem(
      'conflict',
      'This is the last active operator key with full access, and the carrier would lose access without it. Issue another one with POST /operator/keys, then revoke this one.',
    )
  invalidate(await store.revokeOperatorKey(c.tx, key_id, c.clock.now()))
  await recordEvent(c, null, { type: 'operator_key.revoked', subject_type: 'operator_key', subject_id: key_id })
}

/** Throws 404 unless the actor can see the account. */
export async function requireAccount(c: Context, account_id: string): Promise<store.AccountRow> {
  const account = await store.findAccount(c.tx, c.actor, account_id)
  if (!account) throw problem('not-found', `There is no account ${account_id}.`)
  return account
}

/** The secrets that sign an account's notifications: the current one first, then the replaced one while it is valid. */
export async function signingSecrets(
  c: Context,
  account_id: string,
): Promise<{ secrets: string[]; previous_valid_until: Date | null }> {
  const row = await store.findSigningSecret(c.tx, account_id)
  if (!row) throw problem('not-found', `There is no account ${account_id}.`)
  const valid =
    row.previous_signing_secret !== null &&
    row.previous_valid_until !== null &&
    row.previous_valid_until > c.clock.now()
  const sealed = [
    row.signing_secret,
    ...(valid && row.previous_signing_secret !== null ? [row.previous_signing_secret] : []),
  ]
  return {
    secrets: sealed.map((s) => c.vault.open(s, signingContext(account_id))),
    previous_valid_until: valid ? row.previous_valid_until : null,
  }
}

/** Replaces the signing secret of the actor's account. The old one also signs for another day. */
export async function rotateSigningSecret(c: WriteContext): Promise<{ secret: string; previous_valid_until: Date }> {
  const account_id = accountOf(c.actor)
  const now = c.clock.now()
  const secret = newWebhookSecret()
  const previous_valid_until = new Date(now.getTime() + previousSecretValid_h * 3_600_000)
  await store.replaceSigningSecret(
    c.tx,
    account_id,
    c.vault.seal(secret, signingContext(account_id)),
    previous_valid_until,
  )
  await recordEvent(c, account_id, {
    type: 'signing_secret.rotated',
    subject_type: 'account',
    subject_id: account_id,
  })
  return { secret, previous_valid_until }
}

/** Whether all of these keys are valid, each with its secret. */
export async function keysWork(
  deps: Deps,
  keys: readonly { access_key: string; secret_key: string }[],
): Promise<boolean> {
  for (const { access_key, secret_key } of keys) {
    const found = await store.findCredential(deps.db, access_key)
    if (
      !found ||
      found.revoked_at !== null ||
      !deps.vault.verifySecret(secret_key, Buffer.from(found.secret_hash, 'hex'))
    )
      return false
  }
  return true
}
