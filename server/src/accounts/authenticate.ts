import type { Actor } from '../platform/actor.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Log } from '../platform/db.ts'
import { networkOf, waitOf } from '../platform/rate-limit.ts'
import { invalid, problem, type Problem } from '../platform/problem.ts'
import type { Vault } from '../platform/secrets.ts'
import { createSharedCounter } from '../platform/shared-counter.ts'
import { boundedKey } from '../platform/window-counts.ts'
import * as store from './store.ts'

/** Failed sign-ins allowed before further ones get 429, per key and per address, over all processes. */
export const failureLimits = {
  by_key: { points: 20, duration_s: 60 },
  by_address: { points: 100, duration_s: 60 },
  /** Look-ups still allowed for an address over its limit, so that clients there with a correct secret can sign in. */
  lookups: { points: 5, duration_s: 1 },
} as const

const cache_ms = 30_000
/** How long a changed key stays out of the cache: longer than any statement runs, so that an earlier read is never stored. */
const uncached_ms = 20_000
const cacheEntries_max = 10_000
const touch_ms = 60_000

export interface Authentication {
  /** Throws 401, or 429 after too many failures. */
  authenticate(authorization: string | undefined, remote_ip: string, act_for: string | undefined): Promise<Actor>
  /** Removes a key from the cache because it is changing or has changed. */
  invalidate(access_key: string): void
  /** Whether change notifications arrive. Nothing is cached while they don't. */
  setSubscribed(now: boolean): void
  close(): Promise<void>
}

/**
 * Authenticates requests by HTTP Basic. Keys are cached for 30 s and invalidated as soon as the database reports a change. Only
 * failures count against the limits: a correct secret always passes, so a stranger who guesses cannot lock a customer out. The
 * exception is the stranger's own address, where a key this process has not cached may be throttled, because each look-up is a
 * query.
 */
export function createAuthentication(options: { db: Db; vault: Vault; clock: Clock; log: Log }): Authentication {
  const { db, vault, clock, log } = options
  const keys = createKeyCache(db)
  const used = new Map<string, Date>()
  const outdated = rehashOutdated(options)
  const failures = countFailures(db, vault)

  const isValid = (credential: store.Credential | null, secret_key: string): credential is store.Credential => {
    const secret_matches = vault.verifySecret(
      secret_key,
      credential ? Buffer.from(credential.secret_hash, 'hex') : null,
    )
    return (
      secret_matches &&
      credential !== null &&
      credential.revoked_at === null &&
      (credential.expires_at === null || credential.expires_at > clock.now())
    )
  }

  // every refusal costs two comparisons, one look-up, and one count, whether or not the key exists, so timing reveals nothing
  const signIn = async ({ access_key, secret_key }: BasicCredentials, remote_ip: string): Promise<store.Credential> => {
    const { credential: cached, is_fresh } = keys.cached(access_key)
    const was_valid = isValid(cached, secret_key)
    if (was_valid && is_fresh) return cached
    if (!was_valid && !(await failures.mayLookUp(remote_ip))) throw await failures.refusal(access_key, remote_ip)
    const credential = await keys.lookUp(access_key)
    if (isValid(credential, secret_key)) return outdated.rehash(credential, secret_key)
    throw await failures.refusal(access_key, remote_ip)
  }

  const flush = async () => {
    if (used.size === 0) return
    const batch = [...used].map(([access_key, at]) => ({ access_key, at }))
    used.clear()
    try {
      await store.touchKeys(db, batch)
    } catch (error) {
      log.warn({ err: error }, 'could not record the last use of keys')
    }
  }
  const flushing = setInterval(() => void flush(), touch_ms)
  flushing.unref()

  return {
    async authenticate(authorization, remote_ip, act_for) {
      const credentials = readBasic(authorization)
      if (!credentials)
        throw problem('unauthorized', 'Authentication failed. Send HTTP Basic credentials: access key and secret key.')
      const credential = await signIn(credentials, remote_ip)
      used.set(credential.access_key, clock.now())
      return await actorOf(db, credential, act_for)
    },
    invalidate: keys.invalidate,
    setSubscribed: keys.setSubscribed,
    async close() {
      clearInterval(flushing)
      await Promise.all([flush(), outdated.finish()])
    },
  }
}

interface KeyCache extends Pick<Authentication, 'invalidate' | 'setSubscribed'> {
  /** The cached key, or null. One that is not fresh must be looked up again. */
  cached(access_key: string): { credential: store.Credential | null; is_fresh: boolean }
  /** Reads the key from the database. Null if unknown. */
  lookUp(access_key: string): Promise<store.Credential | null>
}

/** Reads made before a change, or while change notifications are down, are not cached. */
function createKeyCache(db: Db): KeyCache {
  const cache = new Map<string, { credential: store.Credential; until: number }>()
  const changed = new Map<string, number>()
  let subscribed = false
  const changedRecently = (access_key: string) => (changed.get(access_key) ?? 0) > performance.now()
  return {
    cached(access_key) {
      const entry = cache.get(access_key)
      return { credential: entry?.credential ?? null, is_fresh: entry !== undefined && entry.until > performance.now() }
    },
    async lookUp(access_key) {
      // not shaped like a key, so there is nothing to look up; the database also rejects U+0000
      if (!/^[A-Za-z0-9]{1,64}$/.test(access_key)) return null
      const subscribed_before = subscribed
      const credential = (await store.findCredential(db, access_key)) ?? null
      if (credential && subscribed_before && subscribed && !changedRecently(access_key)) {
        if (cache.size >= cacheEntries_max) cache.clear()
        cache.set(access_key, { credential, until: performance.now() + cache_ms })
      }
      return credential
    },
    invalidate(access_key) {
      cache.delete(access_key)
      for (const [key, until] of changed) if (until <= performance.now()) changed.delete(key)
      changed.set(access_key, performance.now() + uncached_ms)
    },
    setSubscribed(now) {
      subscribed = now
      cache.clear()
    },
  }
}

/** Hashes the secrets of keys again whose hash was made with another pepper than the current one. */
function rehashOutdated({ db, vault, log }: { db: Db; vault: Vault; log: Log }) {
  const storing = new Set<Promise<void>>()
  return {
    /** Returns the key unchanged: the new hash is stored after the response, and invalidates the cached key. */
    rehash(credential: store.Credential, secret_key: string): store.Credential {
      if (!vault.isOutdated(Buffer.from(credential.secret_hash, 'hex'))) return credential
      const change = store
        .replaceHash(db, credential, vault.hashSecret(secret_key).toString('hex'))
        .catch((error: unknown) => log.warn({ err: error }, 'could not hash a key again; retrying at its next use'))
        .finally(() => storing.delete(change))
      storing.add(change)
      return credential
    },
    finish: async () => void (await Promise.all(storing)),
  }
}

interface Failures {
  /** Counts a failed sign-in and returns its problem: 401, or 429 after too many. */
  refusal(access_key: string, remote_ip: string): Promise<Problem>
  /** Whether a key may be looked up for this address: rarely, once too many sign-ins have failed. */
  mayLookUp(remote_ip: string): Promise<boolean>
}

function countFailures(db: Db, vault: Vault): Failures {
  const counter = createSharedCounter(db)
  const limitOf = (name: keyof typeof failureLimits, subject: string) => ({
    key: boundedKey(vault, `failed_keys:${name}`, subject),
    ...failureLimits[name],
  })
  return {
    async refusal(access_key, remote_ip) {
      const address = limitOf('by_address', networkOf(remote_ip))
      const key = limitOf('by_key', access_key.slice(0, 100))
      // an address over its limit must not cost a statement for each guess
      const limits = counter.isReached(address) ? [address] : [address, key]
      const counts = await Promise.all(limits.map(async (limit) => ({ limit, ...(await counter.count(limit)) })))
      const waits_ms = counts.filter(({ used, limit }) => used > limit.points).map(({ resets_in_ms }) => resets_in_ms)
      if (waits_ms.length === 0)
        return problem(
          'unauthorized',
          'Authentication failed. Use your access key as user name and its secret as password.',
        )
      return problem('rate-limited', 'Too many failed sign-ins. Wait before trying again.', {
        headers: { 'retry-after': waitOf(Math.max(...waits_ms)) },
      })
    },
    async mayLookUp(remote_ip) {
      const network = networkOf(remote_ip)
      if (!counter.isReached(limitOf('by_address', network))) return true
      return (await counter.count(limitOf('lookups', network))).used <= failureLimits.lookups.points
    },
  }
}

async function actorOf(db: Db, credential: store.Credential, act_for: string | undefined): Promise<Actor> {
  const { key_id, access_key, scopes } = credential
  if (credential.kind === 'account' && credential.account_id !== null)
    return { kind: 'account', account_id: credential.account_id, key_id, access_key, scopes }
  return { kind: 'operator', account_id: await accountToActFor(db, act_for), key_id, access_key, scopes }
}

/** Throws 422 when an operator's `Demarc-Account` names no account. Ignoring it would give access to all accounts. */
export async function accountToActFor(db: Db, act_for: string | undefined): Promise<string | null> {
  if (act_for === undefined) return null
  if (/^\d{1,18}$/.test(act_for) && (await store.existingAccounts(db, [act_for])).size > 0) return act_for
  throw invalid({ 'Demarc-Account': ['Must be the ID of an account.'] })
}

interface BasicCredentials {
  access_key: string
  secret_key: string
}

function readBasic(header: string | undefined): BasicCredentials | null {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]{1,1000})$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 1 ? null : { access_key: text.slice(0, colon), secret_key: text.slice(colon + 1) }
}
