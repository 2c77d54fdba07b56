import { sql } from 'kysely'
import type { Clock } from './clock.ts'
import { sqlState, type Db, type Executor, type Log } from './db.ts'

/**
 * Jobs: a doorbell in the database. The state of the work stands in the feature's own rows; a job says only "look at this
 * one, not before then". It is written in the transaction that makes the work, is due by the service's clock (which demo
 * mode can move), and is run at least once, so handlers are safe to run twice. See docs/decisions/0002-own-job-table.md.
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

/** How long a silent worker keeps a job. A killed worker's jobs start again after this at the latest. */
export const lease_s = 6
const defaultTiming = { lease_s, poll_ms: 1000 }

export interface JobRun {
  key: string
  /** 1 for the first. */
  attempt: number
  /** True when a failure of this run will be the last. */
  last_attempt: boolean
  /** Fires when the worker is told to stop, or has lost the job to another. */
  signal: AbortSignal
}

export interface JobKind {
  kind: string
  /** At once in one worker. */
  concurrency: number
  attempts_max: number
  /** Wait before the next attempt, milliseconds. */
  backoff_ms: (attempt: number) => number
  /** Does the work. May return a time to be called again at. */
  run: (run: JobRun) => Promise<{ again_at: Date } | void>
}

/** Rings for `kind` and `key` at `due_at`. One job per kind and key: ringing again moves it, or repeats it if it is running. */
export async function enqueue(tx: Executor, kind: string, key: string, due_at: Date): Promise<void> {
  await sql`
    insert into job as j (kind, key, due_at) values (${kind}, ${key}, ${due_at})
    on conflict (kind, key) do update set due_at = excluded.due_at, again = j.locked_by is not null, dead_at = null, attempts = case when j.locked_by is null then 0 else j.attempts end`.execute(
    tx,
  )
  await sql`select pg_notify(${jobChannel}, ${kind})`.execute(tx)
}

/** Takes a job back that has not begun. */
export async function cancelJob(tx: Executor, kind: string, key: string): Promise<void> {
  await tx.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('locked_by', 'is', null).execute()
}

/** Gives back what a worker held that is surely dead: whoever calls this saw it end. The interrupted attempts count. */
export async function releaseJobs(db: Executor, worker: string): Promise<void> {
  await db.updateTable('job').set({ locked_by: null, locked_until: null }).where('locked_by', '=', worker).execute()
}

/**
 * Gives back what is held by workers that have no session left in the database, so that nobody waits for their leases to run
 * out: they were killed. A worker's sessions are all called `prefix` and its name, and perhaps more. One that lives and lost
 * its sessions for a moment hears at its next beat that it lost its jobs, as when a lease runs out.
 */
export async function releaseAbandonedJobs(db: Executor, prefix: string): Promise<void> {
  await sql`
    update job set locked_by = null, locked_until = null where locked_by is not null and not exists (
      select from pg_stat_activity where datname = current_database() and starts_with(application_name, ${prefix} || locked_by))`.execute(
    db,
  )
}

/** The time the next job falls due, null if none waits. A job being run counts as due, even one that was rung for a later time meanwhile. */
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
  /** Looks for work now instead of at the next poll. */
  ring(): void
  /** Takes no more, tells running jobs to stop, waits for them up to `grace_ms`, gives the rest back. */
  stop(grace_ms: number): Promise<void>
  running(): number
}

/** Runs jobs of these kinds until stopped. `worker` names this process. */
export function startJobRunner(options: {
  db: Db
  clock: Clock
  kinds: readonly JobKind[]
  worker: string
  log: Log
  /** Other than `lease_s` and a second. */
  timing?: { lease_s: number; poll_ms: number }
}): JobRunner {
  const { db, clock, kinds, worker, log } = options
  const { lease_s, poll_ms } = options.timing ?? defaultTiming
  const running = new Map<string, { kind: string; stop: AbortController; done: Promise<void> }>()
  let stopped = false
  let looking: Promise<void> | null = null
  let lookAgain = false

  const look = async () => {
    for (const kind of kinds) {
      const free = kind.concurrency - [...running.values()].filter((r) => r.kind === kind.kind).length
      if (free <= 0 || stopped) continue
      for (const job of await claim(db, clock, kind.kind, worker, free, lease_s))
        // its lease ran out while the database was away, and it is still at it
        if (!running.has(`${kind.kind} ${job.key}`)) start(kind, job)
    }
  }
  const ring = () => {
    if (stopped) return
    if (looking) {
      lookAgain = true
      return
    }
    looking = look()
      .catch((error: unknown) => log.warn({ err: error }, 'could not look for jobs'))
      .finally(() => {
        looking = null
        if (lookAgain) {
          lookAgain = false
          ring()
        }
      })
  }
  const start = (kind: JobKind, job: Claimed) => {
    const stop = new AbortController()
    const done = runOne(db, clock, kind, job, worker, stop, log)
      .catch((error: unknown) =>
        log.error({ err: error, kind: kind.kind, key: job.key }, 'a job could not be settled; its lease will run out'),
      )
      .finally(() => {
        running.delete(`${kind.kind} ${job.key}`)
        ring()
      })
    running.set(`${kind.kind} ${job.key}`, { kind: kind.kind, stop, done })
  }
  const renew = setInterval(
    () => {
      void renewLeases(db, worker, running, lease_s, log)
    },
    (lease_s * 1000) / 3,
  )
  const poll = setInterval(ring, poll_ms)
  ring()

  return {
    ring,
    running: () => running.size,
    async stop(grace_ms) {
      stopped = true
      clearInterval(poll)
      await looking
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
    await settle(db, kind.kind, job.key, worker, again?.again_at ?? null)
  } catch (error) {
    if (stop.signal.aborted) return await giveBack(db, kind.kind, job.key, worker)
    log.warn({ err: error, kind: kind.kind, key: job.key, attempt: job.attempts, last_attempt }, 'a job failed')
    await putOff(db, kind, job, worker, clock.now(), error)
  }
}

/** Failed: again after the backoff, or dead after the last attempt. Rung again meanwhile, it begins anew. */
async function putOff(db: Db, kind: JobKind, job: Claimed, worker: string, now: Date, error: unknown): Promise<void> {
  const due_at = new Date(now.getTime() + kind.backoff_ms(job.attempts))
  const dead_at = job.attempts >= kind.attempts_max ? now : null
  await sql`
    update job set locked_by = null, locked_until = null, again = false, last_error = ${String(error).slice(0, 1000)},
      due_at = case when again then due_at else ${due_at} end,
      dead_at = case when again then null else ${dead_at}::timestamptz end,
      attempts = case when again then 0 else attempts end
    where kind = ${kind.kind} and key = ${job.key} and locked_by = ${worker}`.execute(db)
}

/** Done: the job goes, unless it was rung again meanwhile or asked for another time. */
async function settle(db: Db, kind: string, key: string, worker: string, again_at: Date | null): Promise<void> {
  if (again_at === null) {
    await sql`delete from job where kind = ${kind} and key = ${key} and locked_by = ${worker} and not again`.execute(db)
  }
  await sql`
    update job set locked_by = null, locked_until = null, attempts = 0, again = false, last_error = null,
      due_at = case when again then due_at else coalesce(${again_at}::timestamptz, due_at) end
    where kind = ${kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

/** Handed back because of a stop: the interrupted attempt does not count. */
async function giveBack(db: Db, kind: string, key: string, worker: string): Promise<void> {
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
    const held = new Set(rows.map((r) => `${r.kind} ${r.key}`))
    for (const [name, job] of running)
      if (!held.has(name)) job.stop.abort(new Error('the lease was lost to another worker'))
  } catch (error) {
    // not reached the database in time: another worker may take the job, which is safe; the next beat tells
    log.warn({ err: error, sqlstate: sqlState(error) }, 'could not renew job leases')
  }
}

/** Doubling from `first_ms` up to `max_ms`, with a tenth of jitter so that many do not come back at one moment. */
export const doubling = (first_ms: number, max_ms: number) => (attempt: number) =>
  Math.round(Math.min(max_ms, first_ms * 2 ** (attempt - 1)) * (1 + Math.random() / 10))
