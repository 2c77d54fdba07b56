import { sql } from 'kysely'
import type { Clock } from './clock.ts'
import { sqlState, staleResults, type Db, type Log } from './db.ts'
import { claimJobs, type Claimed } from './job-claims.ts'
import { releaseJobs, type JobKind } from './jobs.ts'
import { errorType, inJobSpan, type Span } from './traces/index.ts'

/** Runs the jobs of jobs.ts. */

/** Lease of a job without renewal. A killed worker's jobs restart after this at the latest. */
export const lease_s = 6
const defaultTiming = { lease_s, poll_ms: 1000 }

export interface JobRunner {
  /** Polls now instead of at the next interval. */
  wake(): void
  /** Stops claiming jobs, aborts running ones, waits for them up to `grace_ms`, and releases the rest. */
  stop(grace_ms: number): Promise<void>
  running(): number
}

interface Running {
  kind: string
  key: string
  stop: AbortController
  done: Promise<void>
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
  const running = new Set<Running>()
  let stopped = false
  const poll = coalesced(async () => {
    for (const kind of kinds) {
      const own = [...running].filter((r) => r.kind === kind.kind)
      const limit = Math.min(kind.concurrency, kind.per_worker ?? Infinity) - own.length
      if (limit <= 0 || stopped) continue
      const claim = { kind, worker, now: clock.now(), limit, lease_s, running: own.map((r) => r.key) }
      for (const job of await claimJobs(db, claim)) start(kind, job)
    }
  }, log)
  const wake = () => {
    if (!stopped) poll.run()
  }
  const start = (kind: JobKind, job: Claimed) => {
    const stop = new AbortController()
    const done = runOne(db, clock, kind, job, worker, stop, log).finally(() => {
      running.delete(entry)
      wake()
    })
    const entry = { kind: kind.kind, key: job.key, stop, done }
    running.add(entry)
  }
  const renew = setInterval(() => void renewLeases(db, worker, running, lease_s, log), (lease_s * 1000) / 3)
  const restartWaits = waitRestarts(db, clock, log)
  const poller = setInterval(() => {
    wake()
    void restartWaits()
  }, poll_ms)
  wake()

  return {
    wake,
    running: () => running.size,
    async stop(grace_ms) {
      stopped = true
      clearInterval(poller)
      await poll.current()
      for (const job of running) job.stop.abort(new Error('the worker is stopping'))
      await Promise.race([
        Promise.allSettled([...running].map((j) => j.done)),
        new Promise((r) => setTimeout(r, grace_ms).unref()),
      ])
      clearInterval(renew)
      await releaseJobs(db, worker)
    },
  }
}

/** Runs `poll` immediately, or once more after the current run, however often it is requested in between. */
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

/** Runs a job and stores its outcome. */
async function runOne(
  db: Db,
  clock: Clock,
  kind: JobKind,
  job: Claimed,
  worker: string,
  stop: AbortController,
  log: Log,
): Promise<void> {
  const attempt = job.failures + 1
  const last_attempt = attempt >= kind.attempts_max
  const interrupted = job.attempts - 1 - job.failures
  const named = { kind: kind.kind, key: job.key }
  const attempted = async (span: Span) => {
    span.set({ 'demarc.job.attempt': attempt })
    try {
      const stale_results = staleResults(db)
      const again = await kind.run({ key: job.key, attempt, interrupted, last_attempt, signal: stop.signal })
      // a server that was replaced may lack the rows of the job, which then finds nothing to do
      if (staleResults(db) !== stale_results) throw new Error('Another database server has become the primary.')
      await completeRun(db, kind.kind, job.key, worker, clock.now(), again?.again_at ?? null)
    } catch (error) {
      span.fail(errorType(error))
      if (stop.signal.aborted) return await returnUncounted(db, kind.kind, job.key, worker)
      log.warn({ err: error, ...named, attempt, last_attempt }, 'a job failed')
      await scheduleRetry(db, kind, job.key, attempt, worker, clock.now(), error)
    }
  }
  await inJobSpan(kind.kind, job.trace, attempted).catch((error: unknown) =>
    log.error({ err: error, ...named }, 'the outcome of a job could not be stored; its lease will expire'),
  )
}

/**
 * A failed run is retried after the backoff, or dead after the last attempt. If it was enqueued again in the meantime, its
 * attempts start over.
 */
async function scheduleRetry(
  db: Db,
  kind: JobKind,
  key: string,
  attempt: number,
  worker: string,
  now: Date,
  error: unknown,
): Promise<void> {
  const due_at = new Date(now.getTime() + kind.backoff_ms(attempt))
  const dead_at = attempt >= kind.attempts_max && !kind.records_failure ? now : null
  await sql`
    update job set locked_by = null, locked_until = null, again = false, last_error = ${String(error).slice(0, 1000)},
      due_at = case when again then due_at else ${due_at} end,
      waits_since = case when again then waits_since else ${now} end,
      dead_at = case when again then null else ${dead_at}::timestamptz end,
      attempts = case when again then 0 else attempts end,
      failures = case when again then 0 else ${attempt} end
    where kind = ${kind.kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

/** Finished: deletes the job, unless it was enqueued again in the meantime or returned the time of another run. */
async function completeRun(
  db: Db,
  kind: string,
  key: string,
  worker: string,
  now: Date,
  again_at: Date | null,
): Promise<void> {
  if (again_at === null) {
    await sql`delete from job where kind = ${kind} and key = ${key} and locked_by = ${worker} and not again`.execute(db)
  }
  await sql`
    update job set locked_by = null, locked_until = null, attempts = 0, failures = 0, again = false, last_error = null,
      due_at = case when again then due_at else coalesce(${again_at}::timestamptz, due_at) end,
      waits_since = case when again then waits_since else ${now} end
    where kind = ${kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

/** Returns a job to the queue because the worker stops. The interrupted attempt does not count. */
async function returnUncounted(db: Db, kind: string, key: string, worker: string): Promise<void> {
  await sql`
    update job set locked_by = null, locked_until = null, attempts = attempts - 1
    where kind = ${kind} and key = ${key} and locked_by = ${worker}`.execute(db)
}

async function renewLeases(
  db: Db,
  worker: string,
  running: ReadonlySet<Running>,
  lease_s: number,
  log: Log,
): Promise<void> {
  if (running.size === 0) return
  // not jobs that start in the meantime, which their claim leased, nor a claim whose response was lost, which no one runs
  const leased_before = [...running]
  try {
    const { rows } = await sql<{ kind: string; key: string }>`
      update job set locked_until = now() + make_interval(secs => ${lease_s})
      from unnest(${leased_before.map((r) => r.kind)}::text[], ${leased_before.map((r) => r.key)}::text[]) as run (kind, key)
      where locked_by = ${worker} and job.kind = run.kind and job.key = run.key
      returning job.kind, job.key`.execute(db)
    const leased = new Set(rows.map((r) => `${r.kind} ${r.key}`))
    for (const { kind, key, stop } of leased_before)
      if (!leased.has(`${kind} ${key}`)) stop.abort(new Error('the lease was lost to another worker'))
  } catch (error) {
    // another worker may claim the job when its lease expires, which is safe; the next renewal detects it
    log.warn({ err: error, sqlstate: sqlState(error) }, 'could not renew job leases')
  }
}

/**
 * Restarts delays that seem to start in the future because the clock was set back; otherwise they would last that much longer.
 * Only after seeing it twice in a row, because this process may learn late that demo mode moved the clock.
 */
function waitRestarts(db: Db, clock: Clock, log: Log): () => Promise<void> {
  let seen = false
  return async () => {
    try {
      const now = clock.now()
      if (!seen) {
        const { rows } = await sql`select from job where waits_since > ${now} limit 1`.execute(db)
        seen = rows.length > 0
        return
      }
      seen = false
      await sql`
        update job set due_at = ${now}::timestamptz + (due_at - waits_since), waits_since = ${now} where waits_since > ${now}`.execute(
        db,
      )
    } catch (error) {
      log.warn(
        { err: error, sqlstate: sqlState(error) },
        'could not restart the waits that a clock set back has prolonged',
      )
    }
  }
}
