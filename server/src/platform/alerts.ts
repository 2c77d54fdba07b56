import { sql, type Generated, type Selectable } from 'kysely'
import type { WriteContext } from './context.ts'
import type { Executor } from './db.ts'
import { recordEvent } from './events.ts'
import { countRows, hasValue, newestFirst } from './rows.ts'

/**
 * Alerts tell the operator that stored data is damaged or missing. A check raises one, and resolves it when the data is right
 * again. The operator's overview, the metrics, and the audit log show them.
 */

declare module './db.ts' {
  interface Database {
    alert: AlertTable
  }
}

export type AlertKind = 'file-damaged' | 'call-records-missing'

interface AlertTable {
  id: Generated<string>
  kind: AlertKind
  subject: string
  account_id: string | null
  message: string
  details: unknown
  raised_at: Date
  resolved_at: Date | null
}

export interface NewAlert {
  kind: AlertKind
  /** What is damaged: a file's digest, or `1001:2026-03`. */
  subject: string
  account_id: string | null
  /** A sentence for the operator. */
  message: string
  details: Record<string, unknown>
}

type AlertContext = Pick<WriteContext, 'tx' | 'actor' | 'clock'>

/** Raises an alert with its event, or updates the open alert about the same subject. */
export async function raiseAlert(c: AlertContext, { details, ...alert }: NewAlert): Promise<void> {
  const { rows } = await sql<{ id: string; is_new: boolean }>`
    insert into alert as a (kind, subject, account_id, message, details, raised_at)
    values (${alert.kind}, ${alert.subject}, ${alert.account_id}, ${alert.message}, ${JSON.stringify(details)}::json, ${c.clock.now()})
    on conflict (kind, subject) where resolved_at is null
      do update set message = excluded.message, details = excluded.details
    returning id, xmax = 0 as is_new`.execute(c.tx)
  const [row] = rows
  if (row?.is_new)
    await recordAlert(c, 'alert.raised', row.id, { kind: alert.kind, subject: alert.subject, ...details })
}

/** Resolves the open alert about a subject, if there is one. */
export async function resolveAlert(c: AlertContext, kind: AlertKind, subject: string): Promise<void> {
  const row = await c.tx
    .updateTable('alert')
    .set({ resolved_at: c.clock.now() })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (row) await recordAlert(c, 'alert.resolved', row.id, { kind, subject })
}

const recordAlert = (c: AlertContext, type: string, id: string, data: Record<string, unknown>) =>
  recordEvent(c, null, { type, subject_type: 'alert', subject_id: id, data })

const openAlerts = (db: Executor, kind: AlertKind) =>
  db.selectFrom('alert').select('subject').where('kind', '=', kind).where('resolved_at', 'is', null)

/** The subjects of a kind with an open alert, all or of one account. */
export async function alertedSubjects(db: Executor, kind: AlertKind, account_id?: string): Promise<Set<string>> {
  const rows = await openAlerts(db, kind).where(hasValue('account_id', account_id)).execute()
  return new Set(rows.map(({ subject }) => subject))
}

/** Whether there is an open alert about a subject. */
export async function isAlerted(db: Executor, kind: AlertKind, subject: string): Promise<boolean> {
  return (await openAlerts(db, kind).where('subject', '=', subject).executeTakeFirst()) !== undefined
}

export type AlertState = 'open' | 'resolved'

/** Alerts, newest first. */
export async function listAlerts(
  db: Executor,
  { state, ...page }: { state: AlertState; limit: number; offset: number },
): Promise<Selectable<AlertTable>[]> {
  return await db
    .selectFrom('alert')
    .select(['id', 'kind', 'subject', 'account_id', 'message', 'details', 'raised_at', 'resolved_at'])
    .where('resolved_at', state === 'open' ? 'is' : 'is not', null)
    .$call(newestFirst(page))
    .execute()
}

/** How many alerts of a kind are open. */
export async function countAlerts(db: Executor, kind: AlertKind): Promise<number> {
  return await countRows(db, 'alert', sql<boolean>`kind = ${kind} and resolved_at is null`)
}
