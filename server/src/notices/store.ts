import { sql, type Insertable } from 'kysely'
import type { notices } from '@demarc/client'
import type { Executor } from '../platform/db.ts'
import type { MailState } from './rules.ts'
import type { NoticeRecipientTable, NoticeTable } from './tables.ts'

/** All SQL of notices. Recipients see a notice while they belong to its account. */

export interface EventRow {
  id: string
  chain_id: string
  type: string
  subject_id: string
  occurred_at: Date
  data: Record<string, unknown>
}

export async function findEvent(db: Executor, id: string): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select id, chain_id, type, subject_id, occurred_at, data from event where id = ${id}`.execute(db)
  return rows[0]
}

/** One notice per event: a second insert changes nothing. Returns its id either way. */
export async function insertNotice(tx: Executor, row: Insertable<NoticeTable>): Promise<string> {
  await tx
    .insertInto('notice')
    .values(row)
    .onConflict((c) => c.column('event_id').doNothing())
    .execute()
  const found = await tx
    .selectFrom('notice')
    .select('id')
    .where('event_id', '=', row.event_id)
    .executeTakeFirstOrThrow()
  return found.id
}

/** One row per person and notice. Returns the new ones. */
export async function insertRecipients(
  tx: Executor,
  rows: readonly Pick<NoticeRecipientTable, 'person_id' | 'notice_id' | 'account_id' | 'mail'>[],
): Promise<{ person_id: string; mail: MailState }[]> {
  if (rows.length === 0) return []
  return await tx
    .insertInto('notice_recipient')
    .values([...rows])
    .onConflict((c) => c.columns(['person_id', 'notice_id']).doNothing())
    .returning(['person_id', 'mail'])
    .execute()
}

export interface Preference {
  person_id: string
  kind: notices.NoticeKind
  delivery: notices.NoticeDelivery
}

/** Whether notices to staff, and those to the people of accounts, are for a person. */
export async function audiencesOf(db: Executor, person_id: string): Promise<{ staff: boolean; accounts: boolean }> {
  const { rows } = await sql<{ staff: boolean; accounts: boolean }>`
    select coalesce(bool_or(role = 'operator'), false) as staff, coalesce(bool_or(account_id is not null), false) as accounts
    from membership where person_id = ${person_id}`.execute(db)
  return rows[0] ?? { staff: false, accounts: false }
}

/** The preferences these people have set. */
export async function preferencesOf(db: Executor, person_ids: readonly string[]): Promise<Preference[]> {
  const { rows } = await sql<Preference>`
    select person_id, kind, delivery from notice_preference where person_id = any(${[...person_ids]}::bigint[])`.execute(
    db,
  )
  return rows
}

export async function putPreferences(
  tx: Executor,
  person_id: string,
  chosen: readonly Omit<Preference, 'person_id'>[],
  changed_at: Date,
): Promise<void> {
  await tx
    .insertInto('notice_preference')
    .values(chosen.map((each) => ({ ...each, person_id, changed_at })))
    .onConflict((c) =>
      c.columns(['person_id', 'kind']).doUpdateSet({ delivery: (eb) => eb.ref('excluded.delivery'), changed_at }),
    )
    .execute()
}

/** How many notices each of these people got since then, counting up to `most`. */
export async function countRecent(
  db: Executor,
  person_ids: readonly string[],
  since: Date,
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ person_id: string; n: number }>`
    select p.id as person_id, count(*)::int as n
    from unnest(${[...person_ids]}::bigint[]) as p (id)
    cross join lateral (
      select n.created_at from notice_recipient r join notice n on n.id = r.notice_id
      where r.person_id = p.id order by r.notice_id desc limit ${most}) recent
    where recent.created_at > ${since} group by p.id`.execute(db)
  return new Map(rows.map(({ person_id, n }) => [person_id, n]))
}

/** Selects a person's own notices: of one account, or of all accounts and the operator (null). */
export interface Reader {
  person_id: string
  account_id: string | null
}

/** Notices of accounts that the person has left are kept but not shown. */
const isShown = ({ person_id, account_id }: Reader) => sql<boolean>`r.person_id = ${person_id}
  and (${account_id}::bigint is null or r.account_id = ${account_id})
  and exists (select from membership m where m.person_id = r.person_id and m.account_id is not distinct from r.account_id)`

export interface ShownNotice {
  id: string
  /** Both are null for the operator's staff. */
  account_id: string | null
  account_name: string | null
  kind: notices.NoticeKind
  title: string
  body: string
  path: string
  occurred_at: Date
  read_at: Date | null
  mail: MailState
  mailed_at: Date | null
  mail_failure: string | null
}

const shownColumns = sql`n.id, n.account_id, a.name as account_name, n.kind, n.title, n.body, n.path, n.occurred_at,
  r.read_at, r.mail, r.mailed_at, r.mail_failure`
const shownTables = sql`notice_recipient r
  join notice n on n.id = r.notice_id left join account a on a.id = n.account_id`

/** Newest first. */
export async function listNotices(
  db: Executor,
  reader: Reader,
  unread: boolean | undefined,
  page: { limit: number; offset: number },
): Promise<ShownNotice[]> {
  const { rows } = await sql<ShownNotice>`
    select ${shownColumns} from ${shownTables}
    where ${isShown(reader)} and (${unread ?? null}::boolean is null or (r.read_at is null) = ${unread ?? null})
    order by n.occurred_at desc, n.id desc limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countUnread(db: Executor, reader: Reader): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from notice_recipient r where ${isShown(reader)} and r.read_at is null`.execute(db)
  return rows[0]?.n ?? 0
}

/** Notices with these ids, or all (null). */
export async function markRead(
  tx: Executor,
  reader: Reader,
  ids: readonly string[] | null,
  read_at: Date,
): Promise<void> {
  await sql`
    update notice_recipient r set read_at = ${read_at}
    where ${isShown(reader)} and r.read_at is null
      and (${ids === null} or r.notice_id = any(${ids === null ? [] : [...ids]}::bigint[]))`.execute(tx)
}

export interface Mail extends ShownNotice {
  person_id: string
  name: string
  email: string
}

/** The notice to mail and its recipient. Undefined if it was sent or the person has left the account. */
export async function findDueMail(db: Executor, person_id: string, notice_id: string): Promise<Mail | undefined> {
  const { rows } = await sql<Mail>`
    select ${shownColumns}, p.id as person_id, p.name, p.email from ${shownTables} join person p on p.id = r.person_id
    where ${isShown({ person_id, account_id: null })} and r.notice_id = ${notice_id} and r.mail = 'due'`.execute(db)
  return rows[0]
}

/**
 * Selects the notices of a person's next summary and returns them, oldest first. Notices selected earlier but not sent are
 * selected again without adding any, so that a retried summary has the same content.
 */
export async function chooseSummary(tx: Executor, person_id: string, limit: number): Promise<Mail[]> {
  await sql`
    update notice_recipient set mail = 'summarized'
    where person_id = ${person_id} and mail = 'daily'
      and not exists (select from notice_recipient s where s.person_id = ${person_id} and s.mail = 'summarized')
      and notice_id in (select notice_id from notice_recipient
        where person_id = ${person_id} and mail = 'daily' order by notice_id limit ${limit})`.execute(tx)
  const { rows } = await sql<Mail>`
    select ${shownColumns}, p.id as person_id, p.name, p.email from ${shownTables} join person p on p.id = r.person_id
    where ${isShown({ person_id, account_id: null })} and r.mail = 'summarized' order by n.occurred_at, n.id`.execute(
    tx,
  )
  return rows
}

/** Records the outcome of an email for one notice, or for all notices of a summary. */
export async function recordMail(
  db: Executor,
  person_id: string,
  of: { notice_id: string } | 'summary',
  outcome: { mail: 'sent' | 'failed'; mailed_at: Date | null; mail_failure: string | null },
): Promise<void> {
  const query = db.updateTable('notice_recipient').set(outcome).where('person_id', '=', person_id)
  await (
    of === 'summary'
      ? query.where('mail', '=', 'summarized')
      : query.where('notice_id', '=', of.notice_id).where('mail', '=', 'due')
  ).execute()
}

/** Whether the person has notices waiting for a summary. */
export async function hasWaiting(db: Executor, person_id: string): Promise<boolean> {
  const { rows } = await sql`
    select from notice_recipient where person_id = ${person_id} and mail in ('daily', 'summarized') limit 1`.execute(db)
  return rows.length > 0
}

/** Cancels email of notices of one kind, or of all kinds (null). */
export async function stopMail(tx: Executor, person_id: string, kind: notices.NoticeKind | null): Promise<void> {
  await sql`
    update notice_recipient r set mail = 'none' from notice n
    where r.person_id = ${person_id} and r.mail in ('due', 'daily') and n.id = r.notice_id
      and (${kind}::text is null or n.kind = ${kind})`.execute(tx)
}
