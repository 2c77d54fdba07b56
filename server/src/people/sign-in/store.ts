import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { limits } from '../rules.ts'
import type { SignInMethod } from '../tables.ts'

/** A sign-in that waits for one more step. */
export interface Ticket {
  person_id: string | null
  method: SignInMethod
  passkey_challenge: string | null
}

export async function insertTicket(tx: Executor, token_hash: Buffer, ticket: Ticket): Promise<void> {
  // those that nobody came back for
  await sql`delete from sign_in_ticket where created_at < now() - make_interval(mins => ${sql.lit(limits.ticket_min)})`.execute(
    tx,
  )
  await tx
    .insertInto('sign_in_ticket')
    .values({ token_hash, ...ticket })
    .execute()
}

/** The ticket, with one attempt counted; undefined when there is none, it is too old, or it has no attempt left. */
export async function useTicket(db: Executor, token_hash: Buffer): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket>`
    update sign_in_ticket set attempts = attempts + 1
    where token_hash = ${token_hash} and attempts < ${sql.lit(limits.ticket_attempts)} and created_at > now() - make_interval(mins => ${sql.lit(limits.ticket_min)})
    returning person_id, method, passkey_challenge`.execute(db)
  return rows[0]
}

/** Whether there was one: of two requests with the same ticket, one ends it. */
export async function deleteTicket(tx: Executor, token_hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sign_in_ticket')
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
