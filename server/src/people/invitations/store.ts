import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import type { InvitationTable } from '../tables.ts'

export type InvitationRow = Omit<Selectable<InvitationTable>, 'token_hash' | 'ended_at'>

const columns = ['account_id', 'id', 'email', 'role', 'invited_by', 'created_at', 'expires_at'] as const

const isOf = (account_id: string | null) => sql<boolean>`account_id is not distinct from ${account_id}::bigint`
const isOpen = (now: Date) => sql<boolean>`ended_at is null and expires_at > ${now}`

export async function insertInvitation(
  tx: Executor,
  invitation: Omit<InvitationRow, 'id'> & { token_hash: Buffer },
): Promise<InvitationRow> {
  return await tx
    .insertInto('invitation')
    .values({ ...invitation, ended_at: null })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Ends an address's open or expired invitation. */
export async function endInvitationOf(
  tx: Executor,
  account_id: string | null,
  email: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('invitation')
    .set({ ended_at: now })
    .where(isOf(account_id))
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .where('ended_at', 'is', null)
    .execute()
}

/** Open invitations, oldest first. */
export async function listInvitations(
  db: Executor,
  account_id: string | null,
  now: Date,
  page: { limit: number; offset: number },
): Promise<InvitationRow[]> {
  return await db
    .selectFrom('invitation')
    .select(columns)
    .where(isOf(account_id))
    .where(isOpen(now))
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

/** Ends an open invitation. Undefined if there is none. */
export async function endInvitation(
  tx: Executor,
  account_id: string | null,
  id: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  return await tx
    .updateTable('invitation')
    .set({ ended_at: now })
    .where(isOf(account_id))
    .where('id', '=', id)
    .where(isOpen(now))
    .returning(columns)
    .executeTakeFirst()
}

/** The open invitation of a link. */
export async function findInvitation(db: Executor, token_hash: Buffer, now: Date): Promise<InvitationRow | undefined> {
  return await db
    .selectFrom('invitation')
    .select(columns)
    .where('token_hash', '=', token_hash)
    .where(isOpen(now))
    .executeTakeFirst()
}

/** The open invitations of an address. */
export async function listInvitationsOf(db: Executor, email: string, now: Date): Promise<InvitationRow[]> {
  return await db
    .selectFrom('invitation')
    .select(columns)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .where(isOpen(now))
    .orderBy('id')
    .limit(100)
    .execute()
}
