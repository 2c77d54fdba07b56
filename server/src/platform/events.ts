import { notices } from '@demarc/client'
import { sql, type RawBuilder } from 'kysely'
import { actorName } from './actor.ts'
import type { WriteContext } from './context.ts'
import type { Executor, Tx } from './db.ts'
import { enqueue } from './jobs.ts'
import { hasValue } from './rows.ts'

declare module './db.ts' {
  interface Database {
    event: EventTable
  }
}

export interface EventTable {
  id: string
  chain_id: string
  sequence: string
  occurred_at: Date
  actor: string
  type: string
  subject_type: string
  subject_id: string
  data: unknown
  notification: { url: string; document: unknown } | null
  hash: Buffer
}

/** The operator's own chain, for events that belong to no account. */
export const operatorChain = '0'

/** Kind of the job that turns an event with a notification into deliveries. */
export const notifyJob = 'notify'

/** Kind of the job that creates notices for people affected by an event. */
export const noticeJob = 'notice'

export interface NewEvent {
  /** Past tense: `cdrexport.completed`. */
  type: string
  subject_type: string
  subject_id: string
  /** Details for the timeline and the audit log. Never secrets. */
  data?: Record<string, unknown>
  /** The notification to send: its URL and document. */
  notification?: { url: string; document: unknown } | null
}

/**
 * Records a change in the transaction that makes it. The timeline, audit log, notifications, and activity feed all read this
 * row. `account_id` is the account whose chain the event joins, null for the operator's own. Locks that chain until commit, so
 * call it last.
 */
export async function recordEvent(
  { tx, actor, clock }: Pick<WriteContext, 'tx' | 'actor' | 'clock'>,
  account_id: string | null,
  event: NewEvent,
): Promise<{ id: string; sequence: string }> {
  const now = clock.now()
  const { rows } = await sql<{ event_id: string; event_sequence: string }>`
    select event_id, event_sequence from record_event(
      ${account_id ?? operatorChain}::bigint, ${now}::timestamptz, ${actorName(actor)}, ${event.type}, ${event.subject_type}, ${event.subject_id},
      ${JSON.stringify(event.data ?? {})}::json, ${event.notification ? JSON.stringify(event.notification) : null}::json)`.execute(
    tx,
  )
  const row = rows[0]
  if (!row) throw new Error('record_event returned no row')
  if (event.notification) await enqueue(tx, notifyJob, row.event_id, now)
  const notice = notices.noticeKindOf(event.type)
  if (notice !== null && notices.isForStaff(notice) === (account_id === null))
    await enqueue(tx, noticeJob, row.event_id, now)
  return { id: row.event_id, sequence: row.event_sequence }
}

/** Events of one chain or one subject, newest first. */
export async function listEvents(
  db: Executor,
  { from, before, ...filter }: EventFilter & { from?: Date | undefined; before?: Date | undefined },
): Promise<ListedEvent[]> {
  const occurred = from || before ? await occurredBetween(db, { from, before }) : sql<boolean>`true`
  return await db
    .selectFrom('event')
    .select([...eventColumns, ...eventContents])
    .where(hasValue('chain_id', filter.chain_id))
    .where(hasValue('type', filter.type))
    .where(hasValue('subject_type', filter.subject_type))
    .where(hasValue('subject_id', filter.subject_id))
    .where(byActor(filter.actor))
    .where(occurred)
    // within a chain the order is the same, and the chain's own index provides it
    .orderBy(filter.chain_id ? 'sequence' : 'id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute()
}

/** A person's events include what they did as one of the operator's staff. */
const byActor = (actor: string | undefined) =>
  actor?.startsWith('person:') ? sql<boolean>`actor in (${actor}, ${`operator:${actor}`})` : hasValue('actor', actor)

type ListedEvent = Omit<EventTable, 'notification'>

interface EventFilter {
  chain_id?: string | undefined
  type?: string | undefined
  subject_type?: string | undefined
  subject_id?: string | undefined
  actor?: string | undefined
  limit: number
  offset: number
}

const eventColumns = ['id', 'chain_id', 'sequence', 'occurred_at', 'actor', 'type'] as const
const eventContents = ['subject_type', 'subject_id', 'data', 'hash'] as const

/** How far ids may be out of time order, because transactions run concurrently in processes with their own clocks. */
const disorder_ms = 60_000

/** The condition for a time range, with the ids it can contain: the log has an index on ids but not on times. */
async function occurredBetween(
  db: Executor,
  { from, before }: { from?: Date | undefined; before?: Date | undefined },
): Promise<RawBuilder<boolean>> {
  const conditions = [sql<boolean>`true`]
  if (from) {
    const first = await firstIdAt(db, from.getTime() - disorder_ms)
    conditions.push(sql<boolean>`occurred_at >= ${from} and id >= ${first ?? maxId}::bigint`)
  }
  if (before) {
    const first = await firstIdAt(db, before.getTime() + disorder_ms)
    conditions.push(sql<boolean>`occurred_at < ${before} and id < ${first ?? maxId}::bigint`)
  }
  return sql.join(conditions, sql` and `)
}

const maxId = '9223372036854775807'

/** The id of the first event at or after a time, found by binary search; null if there is none. */
async function firstIdAt(db: Executor, time_ms: number): Promise<string | null> {
  const ends = await sql<{ low: string | null; high: string | null }>`
    select min(id) as low, max(id) as high from event`.execute(db)
  let low = BigInt(ends.rows[0]?.low ?? 0)
  let high = BigInt(ends.rows[0]?.high ?? -1) + 1n
  let found: string | null = null
  while (low < high) {
    const middle = (low + high) / 2n
    const { rows } = await sql<{ id: string; occurred_at: Date }>`
      select id, occurred_at from event where id >= ${middle.toString()}::bigint order by id limit 1`.execute(db)
    const [row] = rows
    if (row && row.occurred_at.getTime() < time_ms) low = BigInt(row.id) + 1n
    else {
      found = row?.id ?? found
      high = middle
    }
  }
  return found
}

/**
 * Deletes the first events of a chain, up to a number. What remains still verifies, because the chain keeps the hash of the last
 * one that was deleted. Returns how many it deleted.
 */
export async function deleteFirstEvents(tx: Tx, chain_id: string, last_sequence: string): Promise<number> {
  const { rows } = await sql<{ deleted: string }>`
    with chain as materialized (select chain_id from event_chain where chain_id = ${chain_id}::bigint for update),
    gone as (
      delete from event where chain_id = (select chain_id from chain) and sequence <= ${last_sequence}::bigint returning sequence, hash
    ), kept as (
      update event_chain c set deleted_sequence = g.sequence, deleted_head = g.hash
      from (select sequence, hash from gone order by sequence desc limit 1) g where c.chain_id = ${chain_id}::bigint
    )
    select count(*) as deleted from gone`.execute(tx)
  return Number(rows[0]?.deleted ?? 0)
}

/** Events verified per statement, so that each ends well before the statement timeout, however long the chain is. */
const verified_at_once = 20_000

/** Result of verifying a chain. */
export interface CheckedChain {
  intact: boolean
  /** Events that are stored. */
  events: number
  /** Events that retention deleted, all before the first stored one. */
  deleted: number
  /** Stored events without their details: personal data that was deleted. */
  erased: number
  first_at: Date | null
  last_at: Date | null
  head: string
  broken_at: number | null
}

/**
 * Verifies one chain from its first event, or from the last one that retention deleted: numbers without gaps, each hash derived
 * from the previous one.
 */
export async function verifyChain(db: Executor, chain_id: string, at_once = verified_at_once): Promise<CheckedChain> {
  let [events, erased] = [0, 0]
  let first_at: Date | null = null
  let last_at: Date | null = null
  let broken_at: number | null = null
  let last: { sequence: string; hash: Buffer } | null = null
  for (;;) {
    const slice: ChainSlice = await verifySlice(db, chain_id, last, at_once)
    events += Number(slice.events)
    erased += Number(slice.erased)
    first_at ??= slice.first_at
    last_at = slice.last_at ?? last_at
    if (slice.broken_at !== null) broken_at ??= Number(slice.broken_at)
    last = { sequence: slice.last_sequence, hash: slice.last_hash }
    if (Number(slice.events) === at_once) continue
    const head = slice.chain_head?.toString('hex') ?? ''
    // events deleted at the end leave no broken link; the head stored in event_chain reveals them
    const isComplete = head === last.hash.toString('hex') && (slice.chain_sequence ?? '0') === last.sequence
    broken_at ??= isComplete ? null : Number(last.sequence) + 1
    const deleted = Number(slice.deleted)
    return { intact: broken_at === null, events, deleted, erased, first_at, last_at, head, broken_at }
  }
}

interface ChainSlice {
  events: string
  erased: string
  deleted: string
  broken_at: string | null
  first_at: Date | null
  last_at: Date | null
  last_sequence: string
  last_hash: Buffer
  chain_head: Buffer | null
  chain_sequence: string | null
}

/** Verifies the next events of a chain. The head is read together with the last of them, so nothing is appended in between. */
async function verifySlice(
  db: Executor,
  chain_id: string,
  after: { sequence: string; hash: Buffer } | null,
  at_once: number,
): Promise<ChainSlice> {
  const { rows } = await sql<ChainSlice>`
    with chain as materialized (
      select c.sequence, c.head, coalesce(deleted_sequence, 0) as deleted, coalesce(deleted_head, '') as deleted_head
      from (select ${chain_id}::bigint as chain_id) this left join event_chain c using (chain_id)
    ), start as materialized (
      -- retention may have deleted more of the chain since the last slice
      select greatest(deleted, ${after?.sequence ?? '0'}::bigint) as sequence,
        case when deleted >= ${after?.sequence ?? '0'}::bigint then deleted_head else ${after?.hash ?? Buffer.alloc(0)}::bytea end as hash
      from chain
    ), slice as materialized (
      select chain_id, sequence, hash, occurred_at, actor, type, subject_type, subject_id, data, notification, salt, content_hash
      from event where chain_id = ${chain_id}::bigint and sequence > (select case when ${after === null} then '-9223372036854775808'::bigint else start.sequence end from start)
      order by sequence limit ${at_once}
    ), walked as (
      select sequence, hash, occurred_at, salt is null as is_erased,
        hash = event_hash(coalesce(lag(hash) over (order by sequence), (select hash from start)), chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, content_hash)
          and sequence = (select sequence from start) + row_number() over (order by sequence)
          and (case when salt is null then data::text = '{}' and notification is null else content_hash = event_content_hash(salt, data, notification) end) as follows
      from slice
    )
    select count(*) as events, count(*) filter (where is_erased) as erased, min(sequence) filter (where not follows) as broken_at,
      coalesce(max(walked.sequence), (select sequence from start)) as last_sequence,
      coalesce((select hash from walked order by sequence desc limit 1), (select hash from start)) as last_hash,
      min(occurred_at) as first_at, max(occurred_at) as last_at,
      (select deleted from chain) as deleted, (select head from chain) as chain_head, (select sequence from chain) as chain_sequence
    from walked`.execute(db)
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}
