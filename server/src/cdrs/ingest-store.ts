import { sql, type Insertable, type Selectable } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { newestFirst } from '../platform/rows.ts'
import type { CdrIngestTable } from './tables.ts'

/** Deliveries of call records, which belong to the operator. */

export type IngestRow = Selectable<CdrIngestTable>

const columns = [
  'id',
  'received_at',
  'duration_ms',
  'actor',
  'content_type',
  'content_encoding',
  'mapping',
  'account_id',
  'bytes',
  'accepted',
  'duplicates',
  'rejected',
  'newest_call_at',
  'failure',
  'refused_lines',
  'refused_sha256',
  'refused_bytes',
  'refused_expires_at',
] as const satisfies (keyof CdrIngestTable)[]

/** Does not wait for the disk. A power failure may lose this row but not the call records. */
export async function insertIngest(tx: Executor, row: Insertable<CdrIngestTable>): Promise<IngestRow> {
  await sql`set local synchronous_commit = off`.execute(tx)
  return await tx.insertInto('cdr_ingest').values(row).returning(columns).executeTakeFirstOrThrow()
}

/** `rejected`: with rejected lines. `failed`: ended early. */
export type IngestOutcome = 'rejected' | 'failed'

const conditions = {
  rejected: sql<boolean>`rejected > 0`,
  failed: sql<boolean>`failure is not null`,
} as const satisfies Record<IngestOutcome, unknown>

export async function listIngests(
  db: Executor,
  { outcome, ...page }: { outcome?: IngestOutcome | undefined; limit: number; offset: number },
): Promise<IngestRow[]> {
  return await db
    .selectFrom('cdr_ingest')
    .select(columns)
    .where(outcome ? conditions[outcome] : sql<boolean>`true`)
    .$call(newestFirst(page))
    .execute()
}

export interface IngestDay {
  day: string
  deliveries: number
  failed: number
  accepted: number
  duplicates: number
  rejected: number
}

/** Deliveries per day in UTC, oldest first, including days without any. */
export async function ingestsByDay(db: Executor, now: Date, days: number): Promise<IngestDay[]> {
  const { rows } = await sql<Record<keyof IngestDay, string>>`
    with today as (select date_trunc('day', ${now}::timestamptz at time zone 'UTC') as at)
    select to_char(d.at, 'YYYY-MM-DD') as day, count(i.id) as deliveries, count(i.failure) as failed,
      coalesce(sum(accepted), 0) as accepted, coalesce(sum(duplicates), 0) as duplicates,
      coalesce(sum(rejected), 0) as rejected
    from today, generate_series(today.at - make_interval(days => ${days - 1}), today.at, interval '1 day') as d (at)
    left join cdr_ingest i on i.received_at >= d.at at time zone 'UTC'
      and i.received_at < (d.at + interval '1 day') at time zone 'UTC'
    group by d.at order by d.at`.execute(db)
  return rows.map(({ day, ...counts }) => ({
    day,
    deliveries: Number(counts.deliveries),
    failed: Number(counts.failed),
    accepted: Number(counts.accepted),
    duplicates: Number(counts.duplicates),
    rejected: Number(counts.rejected),
  }))
}

/** The median interval between the latest deliveries, in seconds; null with fewer than three. */
export async function usualGap(db: Executor): Promise<number | null> {
  const { rows } = await sql<{ gap_s: string | null }>`
    select case when count(gap) >= 2 then percentile_disc(0.5) within group (order by gap) end as gap_s
    from (
      select extract(epoch from received_at - lead(received_at) over (order by id desc)) as gap
      from (select id, received_at from cdr_ingest order by id desc limit 21) last
    ) gaps where gap is not null`.execute(db)
  const gap_s = rows[0]?.gap_s ?? null
  return gap_s === null ? null : Math.round(Number(gap_s))
}

export async function findIngest(db: Executor, id: string): Promise<IngestRow | undefined> {
  return await db.selectFrom('cdr_ingest').select(columns).where('id', '=', id).executeTakeFirst()
}

/** Deletes rows up to `id` and older ones; returns their files. */
export async function deleteIngests(tx: Executor, up_to: { id: string; received_before: Date }): Promise<string[]> {
  const { rows } = await sql<{ refused_sha256: string | null }>`
    delete from cdr_ingest where id <= ${up_to.id} or received_at < ${up_to.received_before}
    returning refused_sha256`.execute(tx)
  return rows.flatMap(({ refused_sha256 }) => refused_sha256 ?? [])
}

/** Removes rejected lines from all but the latest `kept` rows that have some; returns their files. */
export async function dropOldRefused(tx: Executor, kept: number): Promise<string[]> {
  return await dropRefused(
    tx,
    sql<boolean>`id <= (select id from cdr_ingest where refused_sha256 is not null order by id desc offset ${kept} limit 1)`,
  )
}

/** Removes a row's expired rejected lines; returns the file. */
export const dropExpiredRefused = (tx: Executor, id: string, now: Date): Promise<string[]> =>
  dropRefused(tx, sql<boolean>`id = ${id} and refused_expires_at <= ${now}`)

async function dropRefused(tx: Executor, which: ReturnType<typeof sql<boolean>>): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    with dropped as (select id, refused_sha256 from cdr_ingest where refused_sha256 is not null and ${which} for update)
    update cdr_ingest i set refused_sha256 = null from dropped where i.id = dropped.id
    returning dropped.refused_sha256 as sha256`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}
