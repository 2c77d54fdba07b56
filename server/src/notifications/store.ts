import { sql, type RawBuilder, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { hasValue, isRow, lockById, newestFirst, readById, type RowKey } from '../platform/rows.ts'
import type { NotificationAttemptTable, NotificationStatus, NotificationTable } from './tables.ts'

export type NotificationRow = Selectable<NotificationTable>
export type AttemptRow = Pick<
  Selectable<NotificationAttemptTable>,
  'notification_id' | 'attempted_at' | 'response_status' | 'failure' | 'duration_ms'
>

const columns = [
  'account_id',
  'id',
  'event_id',
  'event_type',
  'url',
  'body',
  'status',
  'created_at',
  'attempts',
  'next_attempt_at',
] as const

/** An event with the notification to send for it. */
export interface NotifiableEvent {
  id: string
  chain_id: string
  sequence: string
  occurred_at: Date
  type: string
  notification: { url: string; document: Record<string, unknown> } | null
}

export async function findEvent(db: Executor, id: string): Promise<NotifiableEvent | undefined> {
  const { rows } =
    await sql<NotifiableEvent>`select id, chain_id, sequence, occurred_at, type, notification from event where id = ${id}`.execute(
      db,
    )
  return rows[0]
}

/** One notification per event: a second insert changes nothing. Returns the row either way. */
export async function insertNotification(
  tx: Executor,
  row: Pick<NotificationRow, 'account_id' | 'event_id' | 'event_type' | 'url' | 'body' | 'created_at'>,
): Promise<NotificationRow> {
  await tx
    .insertInto('notification')
    .values({ ...row, status: 'pending', attempts: 0, next_attempt_at: row.created_at })
    .onConflict((c) => c.column('event_id').doNothing())
    .execute()
  return await tx
    .selectFrom('notification')
    .select(columns)
    .where('event_id', '=', row.event_id)
    .executeTakeFirstOrThrow()
}

export const findNotification = readById<NotificationRow>('notification', columns)

/** The notification, locked until the transaction ends. */
export const lockNotificationForUpdate = lockById<NotificationRow>('notification', columns)

/** Scheme, host, and port of a stored URL, which always has this form. */
const origin = sql`lower(substring(url from '^[^:]+://[^/?#]+'))`

interface NotificationListValues {
  status?: NotificationStatus | undefined
  account_id?: string | undefined
  origin?: string | undefined
  limit: number
  offset: number
}

export async function listNotifications(
  db: Executor,
  actor: Pick<Actor, 'account_id'>,
  filter: NotificationListValues,
): Promise<NotificationRow[]> {
  return await db
    .selectFrom('notification')
    .select(columns)
    .where(visibleTo(actor))
    .where(hasValue('status', filter.status))
    .where(hasValue('account_id', filter.account_id))
    .where(filter.origin === undefined ? sql<boolean>`true` : sql<boolean>`${origin} = lower(${filter.origin})`)
    .$call(newestFirst(filter))
    .execute()
}

export interface FailingReceiver {
  account_id: string
  origin: string
  retrying: number
  failed: number
  next_attempt_at: Date | null
  /** The newest of these notifications. */
  newest_id: string
}

/** At most this many notifications of each status are grouped, newest first. */
const failing_max = 10_000

/** The first receivers of notifications that failed since then or are being retried, most failures first. */
export async function listFailingReceivers(db: Executor, since: Date, limit: number): Promise<FailingReceiver[]> {
  const of = (status: NotificationStatus, condition: RawBuilder<boolean>) => sql`
    (select id, account_id, url, status, next_attempt_at from notification where status = ${status} and ${condition} order by id desc limit ${failing_max})`
  const { rows } = await sql<FailingReceiver>`
    select account_id, ${origin} as origin, count(*) filter (where status = 'pending')::int as retrying,
      count(*) filter (where status = 'failed')::int as failed, min(next_attempt_at) as next_attempt_at,
      max(id) as newest_id
    from (${of('pending', sql<boolean>`attempts > 0`)} union all ${of('failed', sql<boolean>`created_at >= ${since}`)}) n
    group by 1, 2 order by failed desc, retrying desc, newest_id desc limit ${limit}`.execute(db)
  return rows
}

/** Attempts of several notifications, oldest first. */
export async function attemptsOf(db: Executor, ids: readonly string[]): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select notification_id, attempted_at, response_status, failure, duration_ms from notification_attempt
    where notification_id = any(${ids}::bigint[]) order by id`.execute(db)
  return rows
}

/**
 * Records an attempt and the next state. Returns false, without changing the notification, if a replay or another worker
 * changed it.
 */
export async function recordAttempt(
  tx: Executor,
  of: Pick<NotificationRow, 'account_id' | 'id' | 'attempts' | 'next_attempt_at'>,
  attempt: Omit<AttemptRow, 'notification_id'>,
  next: { status: NotificationStatus; next_attempt_at: Date | null },
): Promise<boolean> {
  await tx
    .insertInto('notification_attempt')
    .values({ account_id: of.account_id, notification_id: of.id, ...attempt })
    .execute()
  const row = await tx
    .updateTable('notification')
    .set({ ...next, attempts: of.attempts + 1 })
    .where(isRow(of))
    .where('status', '=', 'pending')
    .where('attempts', '=', of.attempts)
    // a replay during the first attempt of a round leaves the count at 0
    .where('next_attempt_at', 'is not distinct from', of.next_attempt_at)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Starts a new round of attempts. */
export async function restartAttempts(tx: Executor, row: RowKey, now: Date): Promise<void> {
  await tx
    .updateTable('notification')
    .set({ status: 'pending', attempts: 0, next_attempt_at: now })
    .where(isRow(row))
    .execute()
}

/** Subject type of the events that report failing URLs; the subject's id is the origin. */
export const failingSubject = 'callback_origin'

/** When this origin was last reported as failing; undefined if never. */
export async function lastFailingAt(db: Executor, account_id: string, origin: string): Promise<Date | undefined> {
  const { rows } = await sql<{ occurred_at: Date }>`
    select occurred_at from event where subject_type = ${failingSubject} and subject_id = ${origin} and chain_id = ${account_id}
    order by id desc limit 1`.execute(db)
  return rows[0]?.occurred_at
}
