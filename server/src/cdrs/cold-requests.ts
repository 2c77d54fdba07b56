import { setTimeout as sleep } from 'node:timers/promises'
import { alertedSubjects } from '../platform/alerts.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction, type Executor } from '../platform/db.ts'
import { enqueue } from '../platform/jobs.ts'
import { problem } from '../platform/problem.ts'
import { type AccountMonth, type CdrQuery, RecordsCold } from '../engines/call-records/index.ts'
import * as store from './cold-store.ts'
import { coldLimits, monthsOf } from './rules.ts'

/** Reads and inserts that need months of call records that are in the file store. Workers load them. */

/** What moving months to and from the file store needs. */
export type ColdDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'files'>

/** The job that loads a month. Its key is the account and month. */
export const loadJob = 'load-call-records'
export const keyOf = ({ account_id, month }: AccountMonth): string => `${account_id}:${month}`

/** Asks the workers to load months. */
export async function requestLoading(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  months: readonly AccountMonth[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const each of months) await enqueue(tx, loadJob, keyOf(each), clock.now())
  })
}

/** Throws RecordsCold unless the call-record store has all of these months. */
export async function requireLoaded(db: Executor, months: readonly AccountMonth[]): Promise<void> {
  const unloaded = await store.unloadedAmong(db, months)
  if (unloaded.length > 0) throw new RecordsCold(unloaded)
}

/**
 * Runs work on a query's records when all of its months are in the call-record store, and again if one of them has become cold meanwhile.
 * `load` is called with the months that are not.
 */
export async function withRecords<T>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { account_id, filter }: CdrQuery,
  load: (months: AccountMonth[]) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const touched = monthsOf(filter)
  if (touched === null) return await work()
  const range = { account_id, ...touched }
  for (let attempt = 1; ; attempt += 1) {
    const { versions, unloaded } = await store.readStates(db, range)
    if (unloaded.length > 0) await load(unloaded.map((month) => ({ account_id, month })))
    else {
      if (versions !== '') await store.keepLoaded(db, range, new Date(clock.now().getTime() + coldLimits.kept_ms))
      const result = await work()
      if ((await store.readStates(db, range)).versions === versions) return result
    }
    if (attempt >= coldLimits.attempts) throw new RecordsCold(unloaded.map((month) => ({ account_id, month })))
  }
}

/** The same for a request, which waits a few seconds for the workers. Throws 503 if that is not enough, or a file is damaged. */
export async function withRecordsSoon<T>(
  deps: Pick<Deps, 'db' | 'clock'>,
  query: CdrQuery,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + coldLimits.request_ms
  return await withRecords(
    deps,
    query,
    async (months) => {
      await requestLoading(deps, months)
      for (;;) {
        const unloaded = await store.unloadedAmong(deps.db, months)
        const [next] = unloaded
        if (next === undefined) return
        await requireIntact(deps.db, next)
        if (performance.now() > deadline)
          throw problem(
            'not-ready',
            `The call records of ${next.month} are in the file store, and are being loaded. Try again in a minute.`,
            { headers: { 'retry-after': '10' } },
          )
        await sleep(coldLimits.poll_ms)
      }
    },
    work,
  )
}

async function requireIntact(db: Executor, month: AccountMonth): Promise<void> {
  const damaged = await alertedSubjects(db, 'file-damaged', month.account_id)
  if (damaged.size === 0) return
  const files = await store.findFiles(db, month)
  if (files.some(({ sha256 }) => damaged.has(sha256)))
    throw problem(
      'call-records-missing',
      `The file with call records of ${month.month} is damaged, so sums of that month would be wrong. The operator has been alerted.`,
    )
}
