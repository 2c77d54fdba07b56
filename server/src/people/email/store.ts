import { sql } from 'kysely'
import type { Role } from '@demarc/client'
import type { Executor } from '../../platform/db.ts'

/** SQL for proofs of email addresses. */

/** A person who signed in under an address without having proved it. */
export interface Claimant {
  id: string
  /** The account they joined; null: the operator's staff. */
  account_id: string | null
  role: Role
}

/** The people who use this address without proof and belong somewhere, locked until the transaction ends. */
export async function lockClaimantsForUpdate(tx: Executor, email: string): Promise<Claimant[]> {
  const { rows } = await sql<Claimant>`
    select p.id, m.account_id, m.role from person p join membership m on m.person_id = p.id
    where lower(p.email) = lower(${email}) and p.email_proven_at is null order by p.id for update`.execute(tx)
  return rows
}

/** Moves a membership to another person, who keeps their own if they have one there. Returns whether it was moved. */
export async function moveMembership(
  tx: Executor,
  { id, account_id }: Pick<Claimant, 'id' | 'account_id'>,
  to: string,
): Promise<boolean> {
  const isTheirs = sql<boolean>`person_id = ${id} and account_id is not distinct from ${account_id}::bigint`
  const { numAffectedRows } = await sql`
    update membership set person_id = ${to} where ${isTheirs}
      and not exists (select from membership o where o.person_id = ${to} and o.account_id is not distinct from ${account_id}::bigint)`.execute(
    tx,
  )
  await sql`delete from membership where ${isTheirs}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Deletes everything a person signs in with: password, second factors, passkeys, sessions, and known devices. */
export async function deleteCredentials(tx: Executor, person_id: string): Promise<void> {
  await tx
    .updateTable('person')
    .set({ password_hash: null, totp_secret: null, totp_pending: null, totp_step: null })
    .where('id', '=', person_id)
    .execute()
  for (const table of ['passkey', 'recovery_code', 'person_session', 'known_device', 'sign_in_ticket'] as const)
    await tx.deleteFrom(table).where('person_id', '=', person_id).execute()
}
