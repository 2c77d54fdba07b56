import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'

/** Returns false if the account is closed. */
export async function setClosed(tx: Executor, account_id: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update account set closed_at = ${now} where id = ${account_id} and closed_at is null`.execute(tx)
  return numAffectedRows === 1n
}

/**
 * Revokes an account's keys, ends its invitations, its calendar link, and the sessions of people who belong to nothing else. Returns the
 * access keys. People who do belong to something else lose the account, because closed accounts give no rights.
 */
export async function endAccess(tx: Executor, account_id: string, now: Date): Promise<string[]> {
  await sql`update invitation set ended_at = ${now} where account_id = ${account_id} and ended_at is null`.execute(tx)
  await sql`delete from port_order_calendar where account_id = ${account_id}`.execute(tx)
  await sql`delete from person_session s using membership m where m.person_id = s.person_id and m.account_id = ${account_id}
    and not exists (select from membership o where o.person_id = s.person_id and o.account_id is distinct from ${account_id})`.execute(
    tx,
  )
  const { rows } = await sql<{ access_key: string }>`
    update access_key set revoked_at = ${now} where account_id = ${account_id} and revoked_at is null returning access_key`.execute(
    tx,
  )
  return rows.map(({ access_key }) => access_key)
}

/** Null lifts the hold. Returns false if the account is held already, or not held. */
export async function setHold(
  tx: Executor,
  account_id: string,
  hold: { held_at: Date; hold_reason: string; held_by: string } | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update account set held_at = ${hold?.held_at ?? null}, hold_reason = ${hold?.hold_reason ?? null}, held_by = ${hold?.held_by ?? null}
    where id = ${account_id} and (held_at is null) = ${hold !== null}`.execute(tx)
  return numAffectedRows === 1n
}
