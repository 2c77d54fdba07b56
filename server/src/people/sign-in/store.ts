import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { limits } from '../rules.ts'
import type { SignInMethod } from '../tables.ts'

/** A sign-in that needs one more step. */
export interface Ticket {
  person_id: string
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
  await sql`
    delete from sign_in_ticket where person_id = ${ticket.person_id} and token_hash in (
      select token_hash from sign_in_ticket where person_id = ${ticket.person_id}
      order by created_at desc, token_hash offset ${sql.lit(limits.tickets)})`.execute(tx)
}

/** Counts one attempt and returns the ticket. Undefined if it doesn't exist, is too old, or has no attempts left. */
export async function useTicket(db: Executor, token_hashes: readonly Buffer[]): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket>`
    update sign_in_ticket set attempts = attempts + 1
    where token_hash = any(${token_hashes}::bytea[]) and attempts < ${sql.lit(limits.ticket_attempts)} and created_at > now() - make_interval(mins => ${sql.lit(limits.ticket_min)})
    returning person_id, method, passkey_challenge`.execute(db)
  return rows[0]
}

/** Whether the ticket existed: of two requests with the same ticket, only one ends it. */
export async function deleteTicket(tx: Executor, token_hashes: readonly Buffer[]): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sign_in_ticket')
    .where('token_hash', 'in', token_hashes)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Marks a passkey ticket as used. False if it was used before. */
export async function spendPasskeyTicket(tx: Executor, token_hashes: readonly Buffer[]): Promise<boolean> {
  // older ones are refused for their age
  await sql`delete from used_passkey_ticket where used_at < now() - make_interval(mins => ${sql.lit(limits.ticket_min)})`.execute(
    tx,
  )
  const inserted = tx
    .insertInto('used_passkey_ticket')
    .values(token_hashes.map((token_hash) => ({ token_hash })))
    .onConflict((oc) => oc.doNothing())
    .returning('token_hash')
  // under every pepper, because a process may still have another one as its current
  return (await inserted.execute()).length === token_hashes.length
}
