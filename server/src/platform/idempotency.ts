import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { actorName, type Actor } from './actor.ts'
import { sqlState, type Db, type Executor, type Log, type Tx } from './db.ts'
import { invalid, problem } from './problem.ts'
import type { Vault } from './secrets.ts'

/** How long a key is remembered. */
export const remembered_h = 24

/** How long a process that died keeps a key from being used again. */
export const lease_s = 30

declare module './db.ts' {
  interface Database {
    idempotency_key: {
      actor: string
      key: string
      fingerprint: Buffer | null
      status: number | null
      answer: string | null
      held_until: Date | null
      created_at: Date
    }
  }
}

/** Whose key, and the service's time. */
export interface Claim {
  actor: Actor
  key: string
  now: Date
}

export interface StoredAnswer {
  status: number
  /** JSON text; empty for none. */
  body: string
}

/** An answer as it is kept: sealed, with what its request was. */
export interface KeptAnswer {
  fingerprint: Buffer
  status: number
  answer: string
}

/** The header's value, checked: 1–255 visible ASCII characters. Throws 422. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid({ 'Idempotency-Key': ['Must be 1 to 255 visible ASCII characters, once.'] })
}

/** What makes two requests the same: the account acted for, method, path with query, and the bytes or digest of the body. */
export const fingerprint = (actor: Actor, method: string, url: string, body: Buffer): Buffer =>
  createHash('sha256')
    .update(`${actor.account_id ?? ''} ${method} ${url}\n`)
    .update(body)
    .digest()

/**
 * Claims the key. Null: nobody used it, or not for a day; go on and `keepAnswer`. Otherwise the answer of the first request.
 * Without `held_s` the claim lasts as long as `tx`, which must be the transaction of the effect: a twin waits for its end.
 * With it the claim is committed at once and others are refused until it is settled or so many seconds have passed.
 * Throws 409 while a first request is not done.
 */
export async function claimKey(
  tx: Tx,
  claim: Claim,
  { held_s = null as number | null } = {},
): Promise<KeptAnswer | null> {
  const { key, now } = claim
  const stale = new Date(now.getTime() - remembered_h * 3_600_000)
  try {
    const { rows } = await sql`
      insert into idempotency_key as k (actor, key, created_at, held_until)
      values (${actorName(claim.actor)}, ${key}, ${now}, now() + make_interval(secs => ${held_s}::int))
      on conflict (actor, key) do update
        set fingerprint = null, status = null, answer = null, created_at = excluded.created_at, held_until = excluded.held_until
        where k.created_at < ${stale} or (k.status is null and k.held_until < now())
      returning key`.execute(tx)
    if (rows.length > 0) return null
  } catch (error) {
    // 55P03: the twin still holds the row when our patience ends
    if (sqlState(error) === '55P03') throw stillWorking(error)
    throw error
  }
  const row = await tx
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'answer'])
    .where(ofClaim(claim))
    .executeTakeFirst()
  if (!row?.fingerprint || row.status === null || row.answer === null) throw stillWorking()
  return { fingerprint: row.fingerprint, status: row.status, answer: row.answer }
}

const stillWorking = (cause?: unknown) =>
  problem('conflict', 'A request with this Idempotency-Key is still being worked on. Send it again in a moment.', {
    cause,
  })

const ofClaim = ({ actor, key }: Claim) => sql<boolean>`actor = ${actorName(actor)} and key = ${key}`

/** Opens a kept answer. Throws 422 unless the key was used with this very request. */
export function answerOf(kept: KeptAnswer, vault: Vault, claim: Claim, print: Buffer): StoredAnswer {
  if (!kept.fingerprint.equals(print))
    throw problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used with another request in the last 24 hours. Take a new key.',
    )
  return { status: kept.status, body: vault.open(kept.answer, sealContext(claim)) }
}

/** Keeps the answer, sealed because it may hold a secret; where there is a transaction of the effect, in that. */
export async function keepAnswer(
  tx: Executor,
  vault: Vault,
  claim: Claim,
  print: Buffer,
  { status, body }: StoredAnswer,
): Promise<void> {
  await tx
    .updateTable('idempotency_key')
    .set({ fingerprint: print, status, answer: vault.seal(body, sealContext(claim)), held_until: null })
    .where(ofClaim(claim))
    .execute()
}

const sealContext = ({ actor, key }: Claim) => `idempotency:${actorName(actor)}:${key}`

/** Holds a committed claim until the function that it gives is called. */
export function keepHolding(db: Db, claim: Claim, log: Log): () => void {
  const renew = async () => {
    try {
      await sql`
        update idempotency_key set held_until = now() + make_interval(secs => ${lease_s}::int)
        where ${ofClaim(claim)} and status is null`.execute(db)
    } catch (error) {
      // the lease outlives two missed beats; the next one tells
      log.warn({ err: error }, 'could not hold an idempotency key')
    }
  }
  const beat = setInterval(() => void renew(), (lease_s * 1000) / 3)
  return () => clearInterval(beat)
}

/** Takes a committed claim back: its request failed, and the key may be used again. */
export async function forgetClaim(db: Db, claim: Claim): Promise<void> {
  await db.deleteFrom('idempotency_key').where(ofClaim(claim)).where('status', 'is', null).execute()
}

/** Forgets keys older than they are remembered. */
export async function forgetOldKeys(tx: Tx, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency_key')
    .where('created_at', '<', new Date(now.getTime() - remembered_h * 3_600_000))
    .execute()
}
