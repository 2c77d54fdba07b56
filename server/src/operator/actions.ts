import { setTimeout as sleep } from 'node:timers/promises'
import { addInterval, type MovableClock } from '../platform/clock.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { lockJob, reviveJob, type ListedJob } from '../platform/job-list.ts'
import { DependencyUnavailable } from '../platform/unavailable.ts'
import { nextDue } from '../platform/jobs.ts'
import { invalid, problem } from '../platform/problem.ts'

/** How long due jobs may take before moving the clock fails. */
const jobs_timeout_ms = 120_000
/** Limits how long one move takes: every day along the way runs a housekeeping job. */
const step_max_years = 10

/**
 * Moves the clock forward and returns the new time once every job that became due has run, in order of due time: the clock
 * stops at each due time until its jobs are done. Throws 422 for a time that is not in the future.
 */
export async function moveClock(
  c: Context,
  clock: MovableClock,
  to: { advance?: string | undefined; set?: string | undefined },
): Promise<Date> {
  const target = await targetOf(c, clock, to)
  await jobsDone(c, clock)
  for (;;) {
    const due = await nextDue(c.db, clock.now())
    const next = due !== null && due < target ? due : target
    if (next > clock.now()) await clock.advanceTo(next)
    await jobsDone(c, clock)
    if (next === target) return clock.now()
  }
}

async function targetOf(
  c: Context,
  clock: MovableClock,
  to: { advance?: string | undefined; set?: string | undefined },
): Promise<Date> {
  const now = clock.now()
  if (to.set !== undefined) {
    const target = new Date(to.set)
    if (target < now)
      throw invalid({
        set: [`Must not be before the current clock time, ${now.toISOString()}. The clock only moves forward.`],
      })
    if (target > latest(now)) throw invalid({ set: [tooFar] })
    return target
  }
  const target = await addInterval(c.db, now, to.advance ?? '')
  if (target === null)
    throw invalid({
      advance: ['Must be a PostgreSQL interval such as "45 days" or "3 hours 30 minutes".'],
    })
  if (target < now) throw invalid({ advance: ['Must not be negative: the clock only moves forward.'] })
  if (target > latest(now)) throw invalid({ advance: [tooFar] })
  return target
}

const latest = (now: Date) => new Date(now.getTime() + step_max_years * 366 * 86_400_000)
const tooFar = `Must be at most ${step_max_years} years.`

/** Waits until no job is due. */
async function jobsDone(c: Context, clock: MovableClock): Promise<void> {
  const end = performance.now() + jobs_timeout_ms
  for (;;) {
    const due = await nextDue(c.db, clock.now())
    if (due === null || due > clock.now()) return
    if (performance.now() > end)
      throw new DependencyUnavailable('The worker, which has due jobs and does not run them,')
    await sleep(10)
  }
}

/**
 * Makes a failed job due again. `id` is its kind and key. Throws 404 if it doesn't exist, which includes finished jobs, and 409
 * if it has not failed.
 */
export async function retryJob(c: WriteContext, id: string): Promise<ListedJob> {
  const [kind = '', ...rest] = id.split(':')
  const key = rest.join(':')
  const now = c.clock.now()
  const job = await lockJob(c.tx, now, kind, key)
  if (!job) throw problem('not-found', `There is no job ${id}. Finished jobs are deleted.`)
  if (job.state !== 'dead') throw problem('conflict', `Job ${id} is ${job.state}. Only failed jobs can be retried.`)
  await reviveJob(c.tx, kind, key, now)
  await recordEvent(c, null, {
    type: 'job.retried',
    subject_type: 'job',
    subject_id: id,
    data: { attempts: job.attempts, dead_at: job.dead_at },
  })
  return { ...job, state: 'due', due_at: now, attempts: 0, failures: 0, dead_at: null }
}
