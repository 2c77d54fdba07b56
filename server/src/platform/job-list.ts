import { sql, type RawBuilder } from 'kysely'
import type { jobs as api } from '@demarc/client'
import { afterCommit, type Executor } from './db.ts'
import { wakeWorkers, countedJobs_max } from './jobs.ts'
import { hasValue } from './rows.ts'

/** Jobs as the operator sees them. */

type JobState = api.JobState

export interface ListedJob {
  kind: string
  key: string
  account_id: string | null
  state: JobState
  due_at: Date
  attempts: number
  failures: number
  last_error: string | null
  locked_by: string | null
  dead_at: Date | null
}

/** Leases are in the database's time, due times in the service's. */
const conditions = (now: Date): Record<JobState, RawBuilder<boolean>> => ({
  dead: sql<boolean>`dead_at is not null`,
  running: sql<boolean>`dead_at is null and locked_until >= now()`,
  due: sql<boolean>`dead_at is null and (locked_until is null or locked_until < now()) and due_at <= ${now}`,
  scheduled: sql<boolean>`dead_at is null and (locked_until is null or locked_until < now()) and due_at > ${now}`,
})

/** What the columns below are computed from. */
const stored = sql`kind, key, account_id, due_at, attempts, failures, last_error, dead_at, locked_until, locked_by`

const columns = (now: Date) => sql`
  kind, key, account_id, due_at, attempts, failures, last_error, dead_at,
  case when dead_at is not null then 'dead' when locked_until >= now() then 'running' when due_at <= ${now} then 'due' else 'scheduled' end as state,
  case when dead_at is null and locked_until >= now() then locked_by end as locked_by`

/** Failed jobs first, newest at the top; then the others by due time. */
export async function listJobs(
  db: Executor,
  now: Date,
  filter: { state?: JobState | undefined; kind?: string | undefined; account_id?: string | undefined },
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedJob[]> {
  const chosen = sql<boolean>`
    ${filter.state === undefined ? sql`true` : conditions(now)[filter.state]} and ${hasValue('kind', filter.kind)}
    and ${hasValue('account_id', filter.account_id)}`
  // each half uses its own index: sorting a million jobs for one page would take seconds
  const { rows } = await sql<ListedJob>`
    select ${columns(now)} from (
      (select ${stored}, 0 as half from job where dead_at is not null and ${chosen} order by dead_at desc limit ${offset + limit})
      union all
      (select ${stored}, 1 as half from job where dead_at is null and ${chosen} order by due_at limit ${offset + limit})
    ) j order by half, case when half = 0 then dead_at end desc, due_at, kind, key limit ${limit} offset ${offset}`.execute(
    db,
  )
  return rows
}

/** How many jobs are in each state, counting up to `most` each. */
export async function countJobStates(
  db: Executor,
  now: Date,
  most = countedJobs_max,
): Promise<Record<JobState, number>> {
  const states = conditions(now)
  const count = (state: JobState) =>
    sql`(select count(*) from (select from job where ${states[state]} limit ${most}) counted) as ${sql.ref(state)}`
  const { rows } = await sql<Record<JobState, string>>`
    select ${count('scheduled')}, ${count('due')}, ${count('running')}, ${count('dead')}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select of counts returned no row')
  return {
    scheduled: Number(row.scheduled),
    due: Number(row.due),
    running: Number(row.running),
    dead: Number(row.dead),
  }
}

export interface JobKindCounts extends Record<JobState, number> {
  kind: string
  /** When the longest-waiting job became due. */
  oldest_due_at: Date | null
}

/** The jobs of each kind by state, counting up to `countedJobs_max` each; kinds with failures or the longest wait first. */
export async function countJobKinds(db: Executor, now: Date): Promise<JobKindCounts[]> {
  const states = conditions(now)
  const count = (state: JobState) =>
    sql`(select count(*)::int from (select from job where kind = k.kind and ${states[state]} limit ${countedJobs_max}) counted) as ${sql.ref(state)}`
  // steps from kind to kind by primary key: one kind may have a million jobs
  const { rows } = await sql<JobKindCounts>`
    with recursive k as (
      (select kind from job order by kind limit 1)
      union all
      select (select kind from job where kind > k.kind order by kind limit 1) from k where k.kind is not null)
    select kind, ${count('scheduled')}, ${count('due')}, ${count('running')}, ${count('dead')},
      (select min(due_at) from job where kind = k.kind and ${states.due}) as oldest_due_at
    from k where kind is not null order by dead desc, oldest_due_at nulls last, kind`.execute(db)
  return rows
}

/** The job with this kind and key, locked until the transaction ends. */
export async function lockJob(tx: Executor, now: Date, kind: string, key: string): Promise<ListedJob | undefined> {
  const { rows } = await sql<ListedJob>`
    select ${columns(now)} from job where kind = ${kind} and key = ${key} for update`.execute(tx)
  return rows[0]
}

/** Makes a failed job due again as if it were new. Its last error stays until a run ends. */
export async function reviveJob(tx: Executor, kind: string, key: string, now: Date): Promise<void> {
  await sql`
    update job set dead_at = null, attempts = 0, failures = 0, again = false, locked_by = null, locked_until = null,
      due_at = ${now}, waits_since = ${now}
    where kind = ${kind} and key = ${key}`.execute(tx)
  afterCommit(tx, (db) => wakeWorkers(db, kind))
}
