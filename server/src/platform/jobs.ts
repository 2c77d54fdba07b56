import { sql } from 'kysely'
import type { Clock } from './clock.ts'
import { sqlState, type Db, type Executor, type Log } from './db.ts'

/**
 * A job queue in the database. The state of the work is in the feature's own rows; a job names one of them by kind and key
 * and says when it is due. It is enqueued in the transaction that makes the work, is due by the service's clock (which demo
 * mode can move), and is run at least once, so handlers are idempotent. See docs/decisions/0002-own-job-table.md.
 */

declare module './db.ts' {
  interface Database {
    job: JobTable
  }
}

interface JobTable {
  kind: string
  key: string
  due_at: Date
  attempts: number
  again: boolean
  locked_by: string | null
  locked_until: Date | null
  last_error: string | null
  dead_at: Date | null
}

export const jobChannel = 'job'

/** Lease of a job without renewal. The jobs of a killed worker start again after this at the latest. */
export const lease_s = 6
const defaultTiming = { lease_s, poll_ms: 1000 }

export interface JobRun {
  key: string
  /** 1 for the first. */
  attempt: number
  /** True when a failure of this run will be the last. */
  last_attempt: boolean
  /** Aborts when the worker stops, or has lost the lease to another. */
  signal: AbortSignal
}

export interface JobKind {
  kind: string
  /** Runs at once in one worker. */
  concurrency: number
  attempts_max: number
  /** Wait before the next attempt, milliseconds. */
  backoff_ms: (attempt: number) => number
  /** Does the work. May return the time of the next run. */
  run: (run: JobRun) => Promise<{ again_at: Date } | void>
}

/** Enqueues a job for `due_at`. There is one job per kind and key: enqueueing again reschedules it, or repeats it if it is running. */
export async function enqueue(tx: Executor, kind: string, key: string, due_at: Date): Promise<void> {
  await sql`
    insert into job as j (kind, key, due_at) values (${kind}, ${key}, ${due_at})
    on conflict (kind, key) do update set due_at = excluded.due_at, again = j.locked_by is not null, dead_at = null, attempts = case when j.locked_by is null then 0 else j.attempts end`.execute(
    tx,
  )
  await sql`select pg_notify(${jobChannel}, ${kind})`.execute(tx)
}

/** Deletes a job that has not begun. */
export async function cancelJob(tx: Executor, kind: string, key: string): Promise<void> {
  await tx.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('locked_by', 'is', null).execute()
}

/** Releases the jobs of a worker that is known to have ended. The interrupted attempts count. */
export async function releaseJobs(db: Executor, worker: string): Promise<void> {
  await db.updateTable('job').set({ locked_by: null, locked_until: null }).where('locked_by', '=', worker).execute()
}

/**
 * Releases the jobs of workers that have no session left in the database, instead of waiting for their leases to expire: they
 * were killed. The application_name of a worker's sessions begins with `prefix` and its name. A worker that is alive and lost
 * its sessions for a moment learns at its next lease renewal that it lost its jobs, as when a lease expires.
 */
export async function releaseAbandonedJobs(db: Executor, prefix: string): Promise<void> {
  await sql`
    update job set locked_by = null, locked_until = null where locked_by is not null and not exists (
      select from pg_stat_activity where datname = current_database() and starts_with(application_name, ${prefix} || locked_by))`.execute(
    db,
  )
}

/** The time at which the next job is due, null if there is none. A running job counts as due, even if it was rescheduled for later meanwhile. */
export async function nextDue(db: Executor, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ due_at: Date | null }>`
    select min(case when locked_by is null then due_at else least(due_at, ${now}) end) as due_at
    from job where dead_at is null`.execute(db)
  return rows[0]?.due_at ?? null
}

/** How many jobs are due and have not begun, and how many were given up. */
export async function countJobs(db: Executor, now: Date): Promise<{ due: number; dead: number }> {
  const { rows } = await sql<{ due: string; dead: string }>`
    select count(*) filter (where dead_at is null and due_at <= ${now} and locked_by is null) as due, count(*) filter (where dead_at is not null) as dead
    from job`.execute(db)
  return { due: Number(rows[0]?.due ?? 0), dead: Number(rows[0]?.dead ?? 0) }
}

export interface JobRunner {
  /** Polls now instead of at the next interval. */
  wake(): void
  /** Claims no more jobs, aborts running ones, waits for them up to `grace_ms`, releases the rest. */
  stop(grace_ms: number): Promise<void>
  running(): number
}

interface JobRunnerOptions {
  db: Db
  clock: Clock
  kinds: readonly JobKind[]
  /** The name of this process. */
  worker: string
  log: Log
  /** Default: `lease_s` and polls every second. */
  timing?: { lease_s: number; poll_ms: number }
}

/** Runs jobs of these kinds until stopped. */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, kinds, worker, log } = options
  const { lease_s, poll_ms } = options.timing ?? defaultTiming
  const running = new Map<string, { kind: string; stop: AbortController; done: Promise<void> }>()
  let stopped = false
  const poll = coalesced(async () => {
    for (const kind of kinds) {
      const free = kind.concurrency - [...running.values()].filter((r) => r.kind === kind.kind).length
      if (free <= 0 || stopped) continue
      for (const job of await claim(db, clock, kind.kind, worker, free, lease_s))
        // its lease expired while the database was unavailable, and this worker is still running it
        if (!running.has(`${kind.kind} ${job.key}`)) start(kind, job)
    }
  }, log)
  const wake = () => {
    if (!stopped) poll.run()
  }
  const start = (kind: JobKind, job: Claimed) => {
    const stop = new AbortController()
    const done = runOne(db, clock, kind, job, worker, stop, log)
      .catch((error: unknown) =>
        log.error(
          { err: error, kind: kind.kind, key: job.key },
          'the outcome of a job could not be stored; its lease will expire',
        ),
      )
      .finally(() => {
        running.delete(`${kind.kind} ${job.key}`)
        wake()
      })
    running.set(`${kind.kind} ${job.key}`, { kind: kind.kind, stop, done })
  }
  const renew = setInterval(
    () => {
      void renewLeases(db, worker, running, lease_s, log)
    },
    (lease_s * 1000) / 3,
  )
  const poller = setInterval(wake, poll_ms)
  wake()

  return {
    wake,
    running: () => running.size,
    async stop(grace_ms) {
      stopped = true
      clearInterval(poller)
      await poll.current()
      for (const job of running.values()) job.stop.abort(new Error('the worker is stopping'))
      await Promise.race([
        Promise.allSettled([...running.values()].map((j) => j.done)),
        new Promise((r) => setTimeout(r, grace_ms).unref()),
      ])
      clearInterval(renew)
      await releaseJobs(db, worker)
    },
  }
}

/** Runs `poll` at once, or once more after the current run, however often it is requested meanwhile. */
function coalesced(poll: () => Promise<void>, log: Log): { run(): void; current(): Promise<void> | null } {
  let polling: Promise<void> | null = null
  let again = false
  const run = () => {
    if (polling) {
      again = true
      return
    }
    polling = poll()
      .catch((error: unknown) => log.warn({ err: error }, 'could not poll for jobs'))
      .finally(() => {
        polling = null
        if (!again) return
        again = false
        run()
      })
  }
  return { run, current: () => polling }
}

interface Claimed {
  key: string
  attempts: number
}

async function claim(
  db: Db,
  clock: Clock,
  kind: string,
  worker: string,
  limit: number,
  lease_s: number,
): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    update job set locked_by = ${worker}, locked_until = now() + make_interval(secs => ${lease_s}), attempts = attempts + 1, again = false
    where (kind, key) in (
      select kind, key from job
      where kind = ${kind} and dead_at is null and due_at <= ${clock.now()} and (locked_until is null or locked_until < now())
      order by due_at limit ${limit} for update skip locked)
    returning key, attempts`.execute(db)
  return rows
}

async function runOne(
  db: Db,
  clock: Clock,
  kind: JobKind,
  job: Claimed,
  worker: string,
  stop: AbortController,
  log: Log,
): Promise<void> {
  const last_attempt = job.attempts >= kind.attempts_max
  try {
    const again = await kind.run({ key: job.key, attempt: job.attempts, last_attempt, signal: stop.signal })
    await completeRun(db, kind.kind, job.key, worker, again?.again_at ?? null)
  } catch (error) {
    if (stop.signal.aborted) return await returnUncounted(db, kind.kind, job.key, worker)
    log.warn({ err: error, kind: kind.kind, key: job.key, attempt: job.attempts, last_attempt }, 'a job failed')
    await scheduleRetry(db, kind, job, worker, clock.now(), error)
  }
}

/** Failed: retried after the backoff, or dead after the last attempt. If it was enqueued again meanwhile, its attempts start over. */
async function scheduleRetry(
  db: Db,
  kind: JobKind,
  job: Claimed,
  worker: string,
  now: Date,
  error: unknown,
): Promise<void> {
  const due_at = new Date(now.getTime() + kind.backoff_ms(job.attempts))
  const dead_at = job.attempts >= kind.attempts_max ? now : null
  await sql`
    update job set locked_by = null, locked_until = null, again = false, last_error = ${String(error).slice(0, 1000)},
      due_at = case when again then due_at else ${due_at} end,
      dead_at = case when again then null else ${dead_at}::timestamptz end,
      attempts = case when again then 0 else attempts end
    where kind = ${kind.kind} and key = ${job.key} and locked_by = ${worker}`.execute(db)
}

/** Done: deletes the job, unless it was enqueued again meanwhile or returned the time of another run. */
async function completeRun(db: Db, kind: string, key: string, worker: string, again_at: Date | null): Promise<void> {
  if (again_at === null) {
    await sql`delete from job where kind = ${kind} and key = ${key} and locked_by = ${worker} and not again`.execute(db)
  }
  await sql`
    update job set locked_by = null, locked_until = null, attempts = 0, again = false, last_error = null,
      due_at = case when again then due_at else coalesce(${again_at}::timestamptz, due_at) end
    where kind = ${kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

/** Returns a job to the queue because the worker stops: the interrupted attempt does not count. */
async function returnUncounted(db: Db, kind: string, key: string, worker: string): Promise<void> {
  await sql`
    update job set locked_by = null, locked_until = null, attempts = attempts - 1
    where kind = ${kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

async function renewLeases(
  db: Db,
  worker: string,
  running: Map<string, { stop: AbortController }>,
  lease_s: number,
  log: Log,
): Promise<void> {
  if (running.size === 0) return
  try {
    const { rows } = await sql<{ kind: string; key: string }>`
      update job set locked_until = now() + make_interval(secs => ${lease_s}) where locked_by = ${worker} returning kind, key`.execute(
      db,
    )
    const leased = new Set(rows.map((r) => `${r.kind} ${r.key}`))
    for (const [name, job] of running)
      if (!leased.has(name)) job.stop.abort(new Error('the lease was lost to another worker'))
  } catch (error) {
    // another worker may claim the job when its lease expires, which is safe; the next renewal detects it
    log.warn({ err: error, sqlstate: sqlState(error) }, 'could not renew job leases')
  }
}

/** Doubles from `first_ms` up to `max_ms`, with up to 10 % of jitter so that many do not retry at one moment. */
export const exponentialBackoff = (first_ms: number, max_ms: number) => (attempt: number) =>
  Math.round(Math.min(max_ms, first_ms * 2 ** (attempt - 1)) * (1 + Math.random() / 10))
