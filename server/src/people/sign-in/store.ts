import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { limits } from '../rules.ts'
import type { SignInMethod } from '../tables.ts'

/** A sign-in that needs one more step. */
export interface Ticket {
  person_id: string | null
  method: SignInMethod
  passkey_challenge: string | null
}

export async function insertTicket(tx: Executor, token_hash: Buffer, ticket: Ticket): Promise<void> {
  // deletes abandoned ones
  await sql`delete from sign_in_ticket where created_at < now() - make_interval(mins => ${sql.lit(limits.ticket_min)})`.execute(
    tx,
  )
  await tx
    .insertInto('sign_in_ticket')
    .values({ token_hash, ...ticket })
    .execute()
}

/** Counts one attempt and returns the ticket. Undefined if it doesn't exist, is too old, or has no attempts left. */
export async function useTicket(db: Executor, token_hash: Buffer): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket>`
    update sign_in_ticket set attempts = attempts + 1
    where token_hash = ${token_hash} and attempts < ${sql.lit(limits.ticket_attempts)} and created_at > now() - make_interval(mins => ${sql.lit(limits.ticket_min)})
    returning person_id, method, passkey_challenge`.execute(db)
  return rows[0]
}

/** Whether the ticket existed: of two requests with the same ticket, only one ends it. */
export async function deleteTicket(tx: Executor, token_hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sign_in_ticket')
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
