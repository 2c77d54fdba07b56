import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import type { PasskeyTable } from '../tables.ts'

export type PasskeyRow = Selectable<PasskeyTable>

const columns = [
  'id',
  'person_id',
  'credential_id',
  'public_key',
  'counter',
  'transports',
  'name',
  'created_at',
  'last_used_at',
] as const satisfies (keyof PasskeyTable)[]

export async function replaceRecoveryCodes(tx: Executor, person_id: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_code').where('person_id', '=', person_id).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((code_hash) => ({ person_id, code_hash, used_at: null })))
    .execute()
}

/** Uses a recovery code. False if it doesn't exist or was used. */
export async function useRecoveryCode(
  tx: Executor,
  person_id: string,
  code_hashes: readonly Buffer[],
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('person_id', '=', person_id)
    .where('code_hash', 'in', code_hashes)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Oldest first. */
export async function listPasskeys(db: Executor, person_id: string): Promise<PasskeyRow[]> {
  return await db
    .selectFrom('passkey')
    .select(columns)
    .where('person_id', '=', person_id)
    .orderBy('id')
    .limit(100)
    .execute()
}

/** Finds a passkey by the authenticator's id for it, locked until the transaction ends. */
export async function lockPasskeyForUpdate(tx: Executor, credential_id: string): Promise<PasskeyRow | undefined> {
  return await tx
    .selectFrom('passkey')
    .select(columns)
    .where('credential_id', '=', credential_id)
    .forUpdate()
    .executeTakeFirst()
}

/** Undefined if the passkey is already registered. */
export async function insertPasskey(
  tx: Executor,
  passkey: Omit<PasskeyRow, 'id' | 'last_used_at'>,
): Promise<PasskeyRow | undefined> {
  return await tx
    .insertInto('passkey')
    .values({ ...passkey, last_used_at: null })
    .onConflict((oc) => oc.doNothing())
    .returning(columns)
    .executeTakeFirst()
}

export async function updatePasskey(
  tx: Executor,
  id: string,
  use: { counter: string; last_used_at: Date },
): Promise<void> {
  await tx.updateTable('passkey').set(use).where('id', '=', id).execute()
}

/** Deletes a passkey of the person and returns its name. */
export async function deletePasskey(tx: Executor, person_id: string, id: string): Promise<string | undefined> {
  const deleted = tx.deleteFrom('passkey').where('person_id', '=', person_id).where('id', '=', id).returning('name')
  return (await deleted.executeTakeFirst())?.name
}

/** Stores the challenge that the authenticator must sign in this session. */
export async function setChallenge(tx: Executor, session_id: string, challenge: string): Promise<void> {
  await sql`update person_session set passkey_challenge = ${challenge}, challenged_at = now() where id = ${session_id}`.execute(
    tx,
  )
}

/** Takes the stored challenge for one use, if it is less than five minutes old. */
export async function useChallenge(tx: Executor, session_id: string): Promise<string | null> {
  const { rows } = await sql<{ challenge: string | null }>`
    with asked as (select id, passkey_challenge as challenge from person_session
      where id = ${session_id} and challenged_at > now() - interval '5 minutes' for update)
    update person_session s set passkey_challenge = null from asked where s.id = asked.id returning asked.challenge`.execute(
    tx,
  )
  return rows[0]?.challenge ?? null
}

/** Whether the person signs in through an identity provider. */
export async function hasOpenId(db: Executor, person_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('openid_identity')
    .select('issuer')
    .where('person_id', '=', person_id)
    .executeTakeFirst()
  return row !== undefined
}
