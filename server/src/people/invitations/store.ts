import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { countRows } from '../../platform/rows.ts'
import type { InvitationTable } from '../tables.ts'

export type InvitationRow = Omit<Selectable<InvitationTable>, 'token_hash' | 'ended_at' | 'mail_token'>

const columns = [
  'account_id',
  'id',
  'email',
  'role',
  'invited_by',
  'created_at',
  'expires_at',
  'mail',
  'opened_at',
] as const

const isOf = (account_id: string | null) => sql<boolean>`account_id is not distinct from ${account_id}::bigint`
const isOpen = (now: Date) => sql<boolean>`ended_at is null and expires_at > ${now}`

/** Until the transaction ends, no one else invites to this account, or to the operator's staff. */
export async function lockInvitations(tx: Executor, account_id: string | null): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('invitations', coalesce(${account_id}::bigint, 0)))`.execute(
    tx,
  )
}

export async function insertInvitation(
  tx: Executor,
  invitation: Omit<InvitationRow, 'id' | 'opened_at'> & { token_hash: Buffer; mail_token: string | null },
): Promise<InvitationRow> {
  return await tx
    .insertInto('invitation')
    .values({ ...invitation, ended_at: null, opened_at: null })
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
    .set({ ended_at: now, mail_token: null })
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
    .set({ ended_at: now, mail_token: null })
    .where(isOf(account_id))
    .where('id', '=', id)
    .where(isOpen(now))
    .returning(columns)
    .executeTakeFirst()
}

/** The open invitation of a link. */
export async function findInvitation(
  db: Executor,
  token_hashes: readonly Buffer[],
  now: Date,
): Promise<InvitationRow | undefined> {
  return await db
    .selectFrom('invitation')
    .select(columns)
    .where('token_hash', 'in', token_hashes)
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

/** An invitation that waits to be mailed, with its sealed token. Undefined once it was sent or has ended. */
export async function findDueInvitation(
  db: Executor,
  id: string,
  now: Date,
): Promise<(InvitationRow & { mail_token: string }) | undefined> {
  const row = await db
    .selectFrom('invitation')
    .select([...columns, 'mail_token'])
    .where('id', '=', id)
    .where('mail', '=', 'due')
    .where(isOpen(now))
    .executeTakeFirst()
  return row && row.mail_token !== null ? { ...row, mail_token: row.mail_token } : undefined
}

/** Records the outcome of an invitation's message. */
export async function recordInvitationMail(db: Executor, id: string, mail: 'sent' | 'failed'): Promise<void> {
  await db.updateTable('invitation').set({ mail, mail_token: null }).where('id', '=', id).execute()
}

/** Records that the mailed link of an open invitation was opened. */
export async function recordOpened(db: Executor, id: string, opened_at: Date): Promise<void> {
  await db.updateTable('invitation').set({ opened_at }).where('id', '=', id).where('ended_at', 'is', null).execute()
}

/** How many invitations were mailed since then: by this account or the operator, and of those to this address. */
export async function countMailed(
  db: Executor,
  account_id: string | null,
  email: string,
  since: Date,
): Promise<{ total: number; to_address: number }> {
  const { rows } = await sql<{ total: number; to_address: number }>`
    select count(*)::int as total, (count(*) filter (where lower(email) = lower(${email})))::int as to_address
    from invitation where ${isOf(account_id)} and created_at > ${since} and mail <> 'none'`.execute(db)
  return rows[0] ?? { total: 0, to_address: 0 }
}

/** Open invitations of all accounts and the operator's staff whose link is not mailed. */
export const countUnmailedInvitations = (db: Executor, now: Date): Promise<number> =>
  countRows(db, 'invitation', sql<boolean>`${isOpen(now)} and mail in ('none', 'due')`)
