import { addDays, dateIn, instantAt } from '@demarc/client'
import { sql } from 'kysely'
import { afterCommit, type Db, type Executor } from './db.ts'
import { currentTraceparent } from './traces/index.ts'

/**
 * A job queue in the database. The state of the work is in the feature's own rows; a job names one of them by kind and key and
 * has a due time. It is enqueued in the transaction that creates the work, is due by the service's clock (which demo mode can
 * move), and runs at least once, so handlers are idempotent. job-runner.ts runs them. See docs/decisions/0002-own-job-table.md.
 */

declare module './db.ts' {
  interface Database {
    job: JobTable
    job_turn: { kind: string; account_id: string; turn: string }
  }
}

interface JobTable {
  kind: string
  key: string
  due_at: Date
  attempts: number
  failures: number
  again: boolean
  locked_by: string | null
  locked_until: Date | null
  last_error: string | null
  dead_at: Date | null
  waits_since: Date | null
  account_id: string | null
  size: string
  trace: string | null
}

export interface JobRun {
  key: string
  /** 1 for the first attempt, plus one for each that ended in an error. */
  attempt: number
  /** How many times a worker was killed while running it since it was enqueued. */
  interrupted: number
  /** True if a failure of this run would be the last. */
  last_attempt: boolean
  /** Aborts when the worker stops or has lost the lease. */
  signal: AbortSignal
}

export interface JobKind {
  kind: string
  /** Maximum concurrent runs: in one worker, or in all workers together where accounts take turns. */
  concurrency: number
  /** Of the runs in all workers together, the most in one worker; default: all. */
  per_worker?: number
  attempts_max: number
  /** Wait before the next attempt, milliseconds. */
  backoff_ms: (attempt: number) => number
  /**
   * The handler records the failure of the last attempt in its own row and throws only if it could not. It is then repeated,
   * because a dead job would leave that row unfinished forever.
   */
  records_failure?: true
  /** Accounts take turns across all workers. `per_account` limits one account's concurrent jobs, also across all workers. */
  turns?: { per_account?: number }
  /** Does the work. May return the time of the next run. */
  run: (run: JobRun) => Promise<{ again_at: Date } | void>
}

/** The job's account and its size relative to others of the kind, for kinds where accounts take turns. */
export interface Turn {
  /** Absent for the operator's own work. */
  account_id?: string
  size?: number
}

/**
 * Enqueues a job that is due immediately; `now` is the service's clock. There is one job per kind and key: enqueueing again
 * reschedules it, or repeats it if it is running.
 */
export async function enqueue(tx: Executor, kind: string, key: string, now: Date, turn?: Turn): Promise<void> {
  await put(tx, kind, key, { due_at: now, waits_since: now, turn })
}

/** The same, due at a given time of the service's clock. */
export async function schedule(tx: Executor, kind: string, key: string, due_at: Date): Promise<void> {
  await put(tx, kind, key, { due_at, waits_since: null })
}

async function put(
  tx: Executor,
  kind: string,
  key: string,
  { due_at, waits_since, turn }: { due_at: Date; waits_since: Date | null; turn?: Turn | undefined },
): Promise<void> {
  await sql`
    insert into job as j (kind, key, due_at, waits_since, account_id, size, trace)
    values (${kind}, ${key}, ${due_at}, ${waits_since}, ${turn?.account_id ?? null}, ${turn?.size ?? 0}, ${currentTraceparent()})
    on conflict (kind, key) do update set due_at = excluded.due_at, waits_since = excluded.waits_since,
      account_id = excluded.account_id, size = excluded.size, trace = excluded.trace, again = j.locked_by is not null, dead_at = null,
      attempts = case when j.locked_by is null then 0 else j.attempts end,
      failures = case when j.locked_by is null then 0 else j.failures end`.execute(tx)
  afterCommit(tx, (db) => wakeWorkers(db, kind))
}

/** Key of the jobs that run once each night. */
export const nightlyKey = 'nightly'
const night_minutes = 2 * 60

/** The next 2 a.m. in this time zone. */
export function nextNight(now: Date, zone: string): Date {
  const today = dateIn(now, zone)
  const tonight = instantAt(today, night_minutes, zone)
  return tonight > now ? tonight : instantAt(addDays(today, 1), night_minutes, zone)
}

/** How long after its last run a job skips a night, by the machine's clock: moving a demo clock by weeks must not run it for each. */
export const nightly_pause_ms = 20 * 3_600_000

/** Schedules a job for the next night unless it is scheduled. */
export async function scheduleNightly(tx: Executor, kind: string, now: Date, zone: string): Promise<void> {
  if (!(await isScheduled(tx, kind, nightlyKey))) await schedule(tx, kind, nightlyKey, nextNight(now, zone))
}

/** Whether a job is enqueued, or running, and has not failed permanently. */
async function isScheduled(tx: Executor, kind: string, key: string): Promise<boolean> {
  const row = await tx
    .selectFrom('job')
    .select('kind')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('dead_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a job that has not started. */
export async function cancelJob(tx: Executor, kind: string, key: string): Promise<void> {
  await tx.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('locked_by', 'is', null).execute()
}

/** Releases the jobs of a worker that is known to have ended. */
export async function releaseJobs(db: Executor, worker: string): Promise<void> {
  await db.updateTable('job').set({ locked_by: null, locked_until: null }).where('locked_by', '=', worker).execute()
}

/**
 * Releases the jobs of killed workers instead of waiting for their leases to expire: a worker counts as killed when the
 * database has no session of it. The application_name of a worker's sessions starts with `prefix` and its name. A live worker
 * that briefly lost its sessions learns at its next lease renewal that it lost its jobs.
 */
export async function releaseAbandonedJobs(db: Executor, prefix: string): Promise<void> {
  await sql`
    update job set locked_by = null, locked_until = null where locked_by is not null and not exists (
      select from pg_stat_activity where datname = current_database() and starts_with(application_name, ${prefix} || locked_by))`.execute(
    db,
  )
}

/** When the next job is due; null if there is none. A running job counts as due, even if it was rescheduled for later. */
export async function nextDue(db: Executor, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ due_at: Date | null }>`
    select min(case when locked_by is null then due_at else least(due_at, ${now}) end) as due_at
    from job where dead_at is null`.execute(db)
  return rows[0]?.due_at ?? null
}

/** Maximum count, because the metric is read every few seconds, even while a million deliveries are queued. */
export const countedJobs_max = 100_000

/** How many jobs are due and not started, and how many failed, counting up to `most` each. */
export async function countJobs(
  db: Executor,
  now: Date,
  most = countedJobs_max,
): Promise<{ due: number; dead: number }> {
  const { rows } = await sql<{ due: string; dead: string }>`
    select
      (select count(*) from (select from job where dead_at is null and locked_by is null and due_at <= ${now} limit ${most}) d) as due,
      (select count(*) from (select from job where dead_at is not null limit ${most}) d) as dead`.execute(db)
  return { due: Number(rows[0]?.due ?? 0), dead: Number(rows[0]?.dead ?? 0) }
}

/** How long the longest-waiting job has been due, and whether any worker is running one. */
export async function jobBacklog(db: Executor, now: Date): Promise<{ late_s: number; running: boolean }> {
  const { rows } = await sql<{ due_at: Date | null; running: boolean }>`
    select (select min(due_at) from job where dead_at is null and locked_by is null and due_at <= ${now}) as due_at,
      exists (select from job where locked_until >= now()) as running`.execute(db)
  const due_at = rows[0]?.due_at ?? now
  return { late_s: (now.getTime() - due_at.getTime()) / 1000, running: rows[0]?.running ?? false }
}

/** Doubles from `first_ms` up to `max_ms`, with up to 10 % jitter so that many jobs don't retry at the same moment. */
export const exponentialBackoff = (first_ms: number, max_ms: number) => (attempt: number) =>
  Math.round(Math.min(max_ms, first_ms * 2 ** (attempt - 1)) * (1 + Math.random() / 10))

/** The database channel on which workers are woken, with the kind of job. */
export const jobChannel = 'job'

/** Minimum interval between wake-ups from one process; those in between are combined. */
export const INTERVAL_MS = 50

/** Kinds of jobs with a pending wake-up, and when the last ones were sent. */
const waiting = new WeakMap<Db, { kinds: Set<string>; sent_at: number; timer: NodeJS.Timeout | undefined }>()

/**
 * Wakes the workers for a kind of job. Called after the commit that created the job: NOTIFY takes a lock across all databases
 * of the server until its transaction ends, so inside a transaction it would serialize all writers' commits. A lost wake-up
 * costs at most one polling interval.
 */
export function wakeWorkers(db: Db, kind: string): void {
  const state = waiting.get(db) ?? { kinds: new Set<string>(), sent_at: -Infinity, timer: undefined }
  waiting.set(db, state)
  state.kinds.add(kind)
  if (state.timer !== undefined) return
  const send = (): void => {
    state.timer = undefined
    state.sent_at = performance.now()
    const kinds = [...state.kinds]
    state.kinds.clear()
    // the workers poll anyway; whatever makes this statement fail also fails others, which report it
    sql`select pg_notify(${jobChannel}, kind) from unnest(${kinds}::text[]) as kind`.execute(db).catch(() => undefined)
  }
  const wait_ms = state.sent_at + INTERVAL_MS - performance.now()
  if (wait_ms <= 0) send()
  else state.timer = setTimeout(send, wait_ms).unref()
}
