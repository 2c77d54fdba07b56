import type { TestContext } from 'node:test'
import type { Db } from '../../src/platform/db.ts'
import { startJobRunner, type JobRunner } from '../../src/platform/job-runner.ts'
import { enqueue, schedule, type JobKind, type JobRun, type Turn } from '../../src/platform/jobs.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'

/** Short leases and poll intervals for tests. */
export const quick = { lease_s: 2, poll_ms: 20 }

/** Jobs on a test's own database. The clock stands still until a test sets it. */
export function jobsOn(db: Db) {
  const clock = { time: new Date('2026-03-01T12:00:00Z'), now: () => clock.time }
  let kinds = 0
  let workers = 0
  const rows = ({ kind }: JobKind) => db.selectFrom('job').selectAll().where('kind', '=', kind).orderBy('key').execute()
  return {
    clock,
    later: (ms: number, from = clock.now()) => new Date(from.getTime() + ms),
    /** A new kind, so that tests do not interfere. */
    newKind: (run: JobKind['run'], over: Partial<JobKind> = {}): JobKind => ({
      kind: `kind-${++kinds}`,
      concurrency: 4,
      attempts_max: 3,
      backoff_ms: (attempt) => attempt * 1000,
      run,
      ...over,
    }),
    /** Runs jobs until the end of the test. */
    runner(t: TestContext, ...of: JobKind[]): JobRunner {
      const worker = `worker-${++workers}`
      const started = startJobRunner({ db, clock, kinds: of, worker, log: silentLog, timing: quick })
      t.after(() => started.stop(1000))
      return started
    },
    add: ({ kind }: JobKind, key: string, due_at?: Date, turn?: Turn) =>
      due_at ? schedule(db, kind, key, due_at) : enqueue(db, kind, key, clock.now(), turn),
    rows,
    isDone: async (kind: JobKind) => (await rows(kind)).length === 0,
  }
}

/** A run that waits until `open` is called, or rejects when it is aborted. */
export function gate() {
  const begun = Promise.withResolvers<JobRun>()
  const open = Promise.withResolvers<void>()
  const run = async (job: JobRun) => {
    begun.resolve(job)
    const stopped = Promise.withResolvers<never>()
    job.signal.addEventListener('abort', () => stopped.reject(new Error('aborted')))
    await Promise.race([open.promise, stopped.promise])
  }
  return { run, begun: begun.promise, open: open.resolve }
}
