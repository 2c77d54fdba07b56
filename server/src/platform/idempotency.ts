import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { actorName, type Actor } from './actor.ts'
import { sqlState, type Tx } from './db.ts'
import { invalid, problem } from './problem.ts'
import type { Vault } from './secrets.ts'

/** How long a key is remembered. */
export const remembered_h = 24

declare module './db.ts' {
  interface Database {
    idempotency_key: {
      actor: string
      key: string
      fingerprint: Buffer | null
      status: number | null
      answer: string | null
      created_at: Date
    }
  }
}

export interface StoredAnswer {
  status: number
  /** JSON text; empty for none. */
  body: string
}

/** The header's value, checked: 1–255 visible ASCII characters. Throws 422. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid({ 'Idempotency-Key': ['Must be 1 to 255 visible ASCII characters, once.'] })
}

/** What makes two requests the same: method, path with query, and the bytes of the body. */
export const fingerprint = (method: string, url: string, body: Buffer): Buffer =>
  createHash('sha256').update(`${method} ${url}\n`).update(body).digest()

/**
 * Claims the key in the transaction of the effect. `first`: nobody used it; go on and `keepAnswer`. Otherwise the answer of
 * the first request. A concurrent twin waits for the first to commit. Throws 422 for another request under the same key,
 * 409 when the first takes longer than the lock timeout.
 */
export async function claimIdempotencyKey(
  tx: Tx,
  vault: Vault,
  actor: Actor,
  key: string,
  print: Buffer | null,
  now: Date,
): Promise<'first' | { answer: StoredAnswer; fingerprint: Buffer }> {
  const name = actorName(actor)
  const stale = new Date(now.getTime() - remembered_h * 3_600_000)
  try {
    const { rows } = await sql`
      insert into idempotency_key as k (actor, key, fingerprint, created_at) values (${name}, ${key}, ${print}, ${now})
      on conflict (actor, key) do update set fingerprint = excluded.fingerprint, created_at = excluded.created_at, status = null, answer = null
        where k.created_at < ${stale}
      returning key`.execute(tx)
    if (rows.length > 0) return 'first'
  } catch (error) {
    // 55P03: the twin still holds the row when our patience ends
    if (sqlState(error) === '55P03')
      throw problem(
        'conflict',
        'A request with this Idempotency-Key is still being worked on. Send it again in a moment.',
        { cause: error },
      )
    throw error
  }
  const row = await tx
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'answer'])
    .where('actor', '=', name)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!row?.fingerprint || row.status === null || row.answer === null)
    throw problem('conflict', 'A request with this Idempotency-Key did not finish. Send it again in a moment.')
  if (print !== null) assertSameRequest(row.fingerprint, print)
  return {
    answer: { status: row.status, body: vault.open(row.answer, idempotencyContext(name, key)) },
    fingerprint: row.fingerprint,
  }
}

/** Throws 422 unless the key was used with this very request. */
export function assertSameRequest(kept: Buffer, print: Buffer): void {
  if (!kept.equals(print))
    throw problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used with another request in the last 24 hours. Take a new key.',
    )
}

/** Keeps the answer, sealed because it may hold a secret, in the same transaction as the effect. */
export async function keepAnswer(
  tx: Tx,
  vault: Vault,
  actor: Actor,
  key: string,
  print: Buffer,
  answer: StoredAnswer,
): Promise<void> {
  const name = actorName(actor)
  await tx
    .updateTable('idempotency_key')
    .set({ fingerprint: print, status: answer.status, answer: vault.seal(answer.body, idempotencyContext(name, key)) })
    .where('actor', '=', name)
    .where('key', '=', key)
    .execute()
}

const idempotencyContext = (actor: string, key: string) => `idempotency:${actor}:${key}`

/** Forgets keys older than they are remembered. */
export async function forgetOldKeys(tx: Tx, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency_key')
    .where('created_at', '<', new Date(now.getTime() - remembered_h * 3_600_000))
    .execute()
}
