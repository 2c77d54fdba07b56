import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { actorName, type Actor } from './actor.ts'
import { sqlState, type Db, type Executor, type Log, type Tx } from './db.ts'
import { invalid, problem } from './problem.ts'
import type { SecretColumns } from './secret-columns.ts'
import type { Vault } from './secrets.ts'

/** How long a key and its response are kept. */
export const retention_h = 24

/** Lease of a claimed key: after a crash, the key can be used again once it expires. */
export const lease_s = 30
const renewal_s = lease_s / 3
const release_retry_ms = 1_000

declare module './db.ts' {
  interface Database {
    idempotency_key: {
      actor: string
      key: string
      fingerprint: Buffer | null
      status: number | null
      response: string | null
      held_until: Date | null
      created_at: Date
    }
  }
}

/** An actor's key, claimed at a time of the service's clock. */
export interface Claim {
  actor: Actor
  key: string
  now: Date
}

export interface StoredResponse {
  status: number
  /** JSON text; empty if the response has no body. */
  body: string
}

/** A stored response: its sealed body, and the fingerprint of its request. */
export interface SealedResponse {
  fingerprint: Buffer
  status: number
  sealed_body: string
}

/** Returns the validated header: 1–255 visible ASCII characters. Throws 422. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid({ 'Idempotency-Key': ['Must be 1 to 255 visible ASCII characters, once.'] })
}

/**
 * Digest of everything that identifies a request: the selected account, method, path with query, and the bytes or digest of the
 * body. It is never stored unkeyed.
 */
export const requestDigest = (actor: Actor, method: string, url: string, body: Buffer): Buffer =>
  createHash('sha256')
    .update(`${actor.account_id ?? ''} ${method} ${url}\n`)
    .update(body)
    .digest()

/**
 * The stored form of a fingerprint. It is keyed because a body may contain a PIN, which hashing every possible body would
 * reveal.
 */
const fingerprint = (vault: Vault, claim: Claim, digest: Buffer): Buffer =>
  vault.hashSecret(fingerprintText(claim, digest))

const fingerprintText = (claim: Claim, digest: Buffer) => `${sealContext(claim)}:${digest.toString('hex')}`

/**
 * Claims the key. Returns null if it is unused or has expired: run the operation and call `storeResponse`. Otherwise returns
 * the first request's response. Without `lease_s` the claim lasts as long as `tx`, which must be the transaction of the effect,
 * and a concurrent duplicate waits for its end. With `lease_s` the claim is committed immediately, and duplicates are refused
 * until the response is stored or the lease expires. Throws 409 while the first request is in progress.
 */
export async function claimKey(
  tx: Tx,
  claim: Claim,
  { lease_s = null as number | null } = {},
): Promise<SealedResponse | null> {
  const { key, now } = claim
  const stale = new Date(now.getTime() - retention_h * 3_600_000)
  try {
    const { rows } = await sql`
      insert into idempotency_key as k (actor, key, created_at, held_until)
      values (${actorName(claim.actor)}, ${key}, ${now}, now() + make_interval(secs => ${lease_s}::int))
      on conflict (actor, key) do update
        set fingerprint = null, status = null, response = null, created_at = excluded.created_at, held_until = excluded.held_until
        where k.created_at < ${stale} or (k.status is null and k.held_until < now())
      returning key`.execute(tx)
    if (rows.length > 0) return null
  } catch (error) {
    // 55P03, lock_not_available: the duplicate still holds the row lock after lock_timeout
    if (sqlState(error) === '55P03') throw inProgress(1, error)
    throw error
  }
  const stored = await findResponse(tx, claim)
  if (!stored) throw inProgress(await retryAfter(tx, claim))
  return stored
}

/** The response of the first request with the key; null while there is none, or its retention is over. */
export async function findResponse(db: Executor, claim: Claim): Promise<SealedResponse | null> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'response'])
    .where(ofClaim(claim))
    .where('created_at', '>=', new Date(claim.now.getTime() - retention_h * 3_600_000))
    .executeTakeFirst()
  if (!row?.fingerprint || row.status === null || row.response === null) return null
  return { fingerprint: row.fingerprint, status: row.status, sealed_body: row.response }
}

/** When the lease of a claim has expired, seconds; while it is being renewed, when it will be known whether it still is. */
async function retryAfter(tx: Tx, claim: Claim): Promise<number> {
  const { rows } = await sql<{ left_s: number | null }>`
    select ceil(extract(epoch from held_until - now()))::int as left_s from idempotency_key where ${ofClaim(claim)}`.execute(
    tx,
  )
  const left_s = rows[0]?.left_s ?? 1
  return left_s > lease_s - renewal_s ? renewal_s : Math.max(1, left_s)
}

const inProgress = (retry_after_s: number, cause?: unknown) =>
  problem('conflict', 'A request with this Idempotency-Key is still in progress. Send it again in a moment.', {
    cause,
    headers: { 'retry-after': String(retry_after_s) },
  })

const ofClaim = ({ actor, key }: Claim) => sql<boolean>`actor = ${actorName(actor)} and key = ${key}`

/** Opens a stored response. Throws 422 unless the key was used with this very request. */
export function openResponse(stored: SealedResponse, vault: Vault, claim: Claim, digest: Buffer): StoredResponse {
  if (!vault.verifySecret(fingerprintText(claim, digest), stored.fingerprint))
    throw problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.',
    )
  return { status: stored.status, body: vault.open(stored.sealed_body, sealContext(claim)) }
}

/** Stores the response, sealed because it may contain a secret; in the transaction of the effect, where there is one. */
export async function storeResponse(
  tx: Executor,
  vault: Vault,
  claim: Claim,
  digest: Buffer,
  { status, body }: StoredResponse,
): Promise<void> {
  await tx
    .updateTable('idempotency_key')
    .set({
      fingerprint: fingerprint(vault, claim, digest),
      status,
      response: vault.seal(body, sealContext(claim)),
      held_until: null,
    })
    .where(ofClaim(claim))
    .execute()
}

const sealContext = ({ actor, key }: Claim) => contextOf(actorName(actor), key)
const contextOf = (actor: string, key: string) => `idempotency:${actor}:${key}`

/** Fingerprints are left out: a request that is repeated after its pepper was removed gets a problem, for a day at most. */
export const idempotencySecrets: SecretColumns = {
  sealed: [
    {
      table: 'idempotency_key',
      column: 'response',
      id: { actor: 'text', key: 'text' },
      contextOf: ({ actor = '', key = '' }) => contextOf(actor, key),
    },
  ],
  hashed: [],
}

/** Renews the lease of a committed claim until the returned function is called. */
export function startLeaseRenewal(db: Db, claim: Claim, log: Log): () => void {
  const renew = async () => {
    try {
      await sql`
        update idempotency_key set held_until = now() + make_interval(secs => ${lease_s}::int)
        where ${ofClaim(claim)} and status is null`.execute(db)
    } catch (error) {
      // the lease outlasts two failed renewals
      log.warn({ err: error }, 'could not renew the lease of an idempotency key')
    }
  }
  const timer = setInterval(() => void renew(), renewal_s * 1000)
  return () => clearInterval(timer)
}

/**
 * Deletes a committed claim: its request failed, and the key may be used again. If that fails, because the request failed with
 * the database, it is tried again until the lease has expired.
 */
export async function releaseClaim(db: Db, claim: Claim, log: Log): Promise<void> {
  const expires_at = performance.now() + lease_s * 1000
  const release = async (): Promise<boolean> => {
    try {
      // another request may have claimed the key after this claim expired
      await db
        .deleteFrom('idempotency_key')
        .where(ofClaim(claim))
        .where('created_at', '=', claim.now)
        .where('status', 'is', null)
        .execute()
      return true
    } catch (error) {
      log.warn({ err: error }, 'could not release an idempotency key')
      return performance.now() >= expires_at
    }
  }
  const releaseLater = async () => {
    do await sleep(release_retry_ms, undefined, { ref: false })
    while (!(await release()))
  }
  if (!(await release())) void releaseLater()
}

/** Deletes keys whose retention is over. */
export async function deleteExpiredKeys(tx: Tx, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency_key')
    .where('created_at', '<', new Date(now.getTime() - retention_h * 3_600_000))
    .execute()
}
