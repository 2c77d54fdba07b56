import { accountOf } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid, notFound } from '../platform/problem.ts'
import { newAccessKey, newSecret, newWebhookSecret } from '../platform/secrets.ts'
import * as store from './store.ts'

/** For how long the replaced signing secret signs too. */
export const previousSecretValid_h = 24

const signingContext = (account_id: string) => `account:${account_id}:signing_secret`

/** A new account with a signing secret of its own. */
export async function createAccount(c: WriteContext, name: string): Promise<store.AccountRow> {
  const id = await store.nextAccountId(c.tx)
  const now = c.clock.now()
  const signing_secret = c.vault.seal(newWebhookSecret(), signingContext(id))
  const account = await store.insertAccount(c.tx, { id, name, created_at: now, signing_secret })
  await recordEvent(c.tx, c.actor, id, now, {
    type: 'account.created',
    subject_type: 'account',
    subject_id: id,
    data: { name },
  })
  return account
}

/** Issues a key; the secret is in the result and nowhere else. Throws 404 for an unknown account. */
export async function createKey(
  c: WriteContext,
  account_id: string,
  wish: { name: string; scopes?: string[] | undefined; expires_at?: string | null | undefined },
): Promise<{ key: store.KeyRow; secret_key: string }> {
  await requireAccount(c, account_id)
  const now = c.clock.now()
  const expires_at = wish.expires_at ? new Date(wish.expires_at) : null
  if (expires_at && expires_at <= now) throw invalid({ expires_at: ['Must be in the future.'] })
  const secret_key = newSecret()
  const key = await store.insertKey(c.tx, {
    account_id,
    access_key: newAccessKey('ak'),
    secret_hash: c.vault.hashSecret(secret_key).toString('hex'),
    name: wish.name,
    scopes: wish.scopes ?? ['read', 'write'],
    created_at: now,
    expires_at,
  })
  const data = { access_key: key.access_key, name: key.name, scopes: key.scopes }
  await recordEvent(c.tx, c.actor, account_id, now, {
    type: 'access_key.created',
    subject_type: 'access_key',
    subject_id: key.id,
    data,
  })
  return { key, secret_key }
}

/**
 * Revokes a key at once, everywhere: the database tells every process that caches it; `forget` this one, which must not
 * trust it between the commit and that word. Throws 404 when there is none that works.
 */
export async function revokeKey(
  c: WriteContext,
  account_id: string,
  key_id: string,
  forget: (access_key: string) => void,
): Promise<void> {
  await requireAccount(c, account_id)
  const now = c.clock.now()
  const access_key = await store.revokeKey(c.tx, account_id, key_id, now)
  if (access_key === undefined) throw notFound(`No key ${key_id} that still works`)
  forget(access_key)
  await recordEvent(c.tx, c.actor, account_id, now, {
    type: 'access_key.revoked',
    subject_type: 'access_key',
    subject_id: key_id,
  })
}

/** A key for the carrier's staff or systems. */
export async function createOperatorKey(
  c: WriteContext,
  name: string,
): Promise<{ access_key: string; secret_key: string }> {
  const access_key = newAccessKey('ok')
  const secret_key = newSecret()
  const now = c.clock.now()
  await store.insertOperatorKey(c.tx, {
    access_key,
    secret_hash: c.vault.hashSecret(secret_key).toString('hex'),
    name,
    created_at: now,
  })
  await recordEvent(c.tx, c.actor, null, now, {
    type: 'operator_key.created',
    subject_type: 'operator_key',
    subject_id: access_key,
    data: { name },
  })
  return { access_key, secret_key }
}

/** Throws 404 unless the actor can see the account. */
export async function requireAccount(c: Context, account_id: string): Promise<store.AccountRow> {
  const account = await store.findAccount(c.tx, c.actor, account_id)
  if (!account) throw notFound(`No account ${account_id}`)
  return account
}

/** The secrets that sign an account's notifications now: the current one first, then the replaced one while it is valid. */
export async function signingSecrets(
  c: Context,
  account_id: string,
): Promise<{ secrets: string[]; previous_valid_until: Date | null }> {
  const row = await store.findSigningSecret(c.tx, account_id)
  if (!row) throw notFound(`No account ${account_id}`)
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

/** Replaces the actor's account's signing secret; the old one signs beside it for a day. */
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
  await recordEvent(c.tx, c.actor, account_id, now, {
    type: 'signing_secret.rotated',
    subject_type: 'account',
    subject_id: account_id,
  })
  return { secret, previous_valid_until }
}

/** Whether all these keys work now, each with its secret. */
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
