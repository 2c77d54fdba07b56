import { cdrIngests as api, type Body } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { accountOf, systemActor } from '../platform/actor.ts'
import { alertedSubjects, raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { type Clock, realClock } from '../platform/clock.ts'
import type { Context, Deps } from '../platform/context.ts'
import { inTransaction, type Db } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { enqueue, nextNight, nightly_pause_ms, nightlyKey, scheduleNightly, type JobRun } from '../platform/jobs.ts'
import { problem } from '../platform/problem.ts'
import {
  type CdrFilter,
  type Exclusively,
  monthRange,
  type MonthSums,
  RecordsCold,
  type Warehouse,
  WarehouseUnavailable,
} from '../engines/call-records/index.ts'
import { requestLoading, requireLoaded } from './cold-requests.ts'
import * as coldStore from './cold-store.ts'
import { compareSums, missingText, monthsOf } from './rules.ts'
import * as store from './ledger-store.ts'
import { withAccountsLocked } from './lock-store.ts'

/**
 * Compares the call-record store with the ledger, which ingest writes after the records are on disk. The store therefore has at
 * least what the ledger says; if it has less, records were lost. It may have more: records of an ingest in progress, or of one
 * whose process was killed before it wrote the ledger. A check adds those, under the lock of the account.
 */

/** Inserts of call records exclude each other by account, and add to the ledger what they stored. */
export const lockInserts =
  (db: Db, clock: Clock = realClock): Exclusively =>
  async (accounts, work) => {
    try {
      return await withAccountsLocked(db, accounts, (tx, time) =>
        work({
          time,
          recordStored: (months) => store.recordStored(tx, months),
          requireLoaded: (months) => requireLoaded(tx, months),
        }),
      )
    } catch (error) {
      // after the transaction, which has rolled back; the sender tries again
      if (error instanceof RecordsCold) await requestLoading({ db, clock }, error.months)
      throw error
    }
  }

/**
 * A time in microseconds: every acknowledged record arrived by then and is stored, and every later one arrives after it. Waits for the
 * inserts in progress.
 */
export const arrivalTime = (db: Db): Promise<number> => withAccountsLocked(db, 'all', (_tx, time) => time())

export { findMonth, recordedCalls } from './ledger-store.ts'

/** The job that compares all months. Keys: `nightly`, and `start` when a worker starts. */
export const checkLedgerJob = 'check-call-records'
const startKey = 'start'

/** Accounts compared per query. */
const accounts_at_once = 10_000

const alertKind = 'call-records-missing'
const actor = systemActor(checkLedgerJob, null)
const subjectOf = ({ account_id, month }: store.MonthKey) => `${account_id}:${month}`

type CheckDeps = Pick<Deps, 'db' | 'clock' | 'log'>

/** What the ledger and the store have of an account's month. */
export interface MissingRecords {
  expected: MonthSums
  found: MonthSums
}

/** Schedules the nightly check unless it is scheduled. Every worker calls this. */
export const scheduleLedgerCheck = (deps: Deps): Promise<void> =>
  inTransaction(deps.db, (tx) => scheduleNightly(tx, checkLedgerJob, deps.clock.now(), deps.time_zone))

/** Enqueues a check now. Call it when the call-record store is ready. */
export const checkLedgerAtStart = (deps: Deps): Promise<void> =>
  inTransaction(deps.db, (tx) => enqueue(tx, checkLedgerJob, startKey, deps.clock.now()))

const ready_ms = 2000

/** The job. A night without the call-record store is skipped. */
export function ledgerCheck(deps: Deps, warehouse: Warehouse): (run: JobRun) => Promise<{ again_at: Date } | void> {
  let checked_at = -Infinity
  return async (run) => {
    const is_nightly = run.key === nightlyKey
    const now = performance.now()
    if (!is_nightly || now - checked_at > nightly_pause_ms) {
      checked_at = now
      if (await isReady(deps, warehouse, run)) await checkLedger(deps, warehouse, run.signal)
    }
    if (is_nightly) return { again_at: nextNight(deps.clock.now(), deps.time_zone) }
  }
}

async function isReady(deps: Deps, warehouse: Warehouse, run: JobRun): Promise<boolean> {
  const late = AbortSignal.timeout(ready_ms)
  try {
    await warehouse.ready({ signal: AbortSignal.any([run.signal, late]) })
    return true
  } catch (error) {
    if (!late.aborted && !(error instanceof WarehouseUnavailable)) throw error
    deps.log.warn({ err: error }, 'call records were not compared with the ledger: the store is not ready')
    return false
  }
}

/** Compares every month of every account. Safe to stop and to run twice. */
export async function checkLedger(deps: Deps, warehouse: Warehouse, signal: AbortSignal): Promise<void> {
  const months = new Set([...(await store.monthNames(deps.db)), ...(await warehouse.monthNames({ signal }))])
  for (const month of [...months].toSorted()) await checkAccounts(deps, warehouse, month, signal)
}

async function checkAccounts(deps: Deps, warehouse: Warehouse, month: string, signal: AbortSignal): Promise<void> {
  let after: string | undefined = '0'
  while (after !== undefined) after = await checkPage(deps, warehouse, { month, after, most: accounts_at_once }, signal)
}

/** Compares some accounts of a month. Returns the last of them; undefined if there are no more. */
async function checkPage(
  deps: Deps,
  warehouse: Warehouse,
  page: { month: string; after: string; most: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const alerted = await alertedSubjects(deps.db, alertKind)
  // the ledger first: what is stored in between is not missing
  const expected = await store.listAccounts(deps.db, page)
  const found = await warehouse.accountsIn(page, { signal })
  // a full page ends before the last account, so the other side is not comparable beyond it
  const ends = [expected, found].flatMap((side) => (side.length === page.most ? (side.at(-1)?.account_id ?? []) : []))
  const last = ends.toSorted((a, b) => Number(BigInt(a) - BigInt(b)))[0]
  const ledger = new Map(expected.map((sums) => [sums.account_id, sums]))
  const counted = new Map(found.map((sums) => [sums.account_id, sums]))
  for (const account_id of new Set([...ledger.keys(), ...counted.keys()])) {
    if (last !== undefined && BigInt(account_id) > BigInt(last)) continue
    signal.throwIfAborted()
    const key = { account_id, month: page.month }
    const [known, stored] = [ledger.get(account_id), counted.get(account_id)]
    const isComplete = known && stored && compareSums(known, stored) === 'complete'
    if (!isComplete || alerted.has(subjectOf(key))) await checkMonth(deps, warehouse, key, signal)
  }
  return last
}

/**
 * Compares one month exactly. Raises or resolves its alert, and adds records that the ledger lacks. A month whose records are being moved
 * to or from files is not comparable.
 */
export async function checkMonth(
  deps: CheckDeps,
  warehouse: Warehouse,
  key: store.MonthKey,
  signal: AbortSignal,
): Promise<MissingRecords | null> {
  const cold = await coldStore.findCold(deps.db, key)
  if (isChanging(cold)) return null
  const expected = await store.findMonth(deps.db, key)
  const found = await countMonth(warehouse, key, signal)
  if ((await coldStore.findCold(deps.db, key))?.version !== cold?.version)
    return await checkMonth(deps, warehouse, key, signal)
  const outcome = compareSums(expected, found)
  if (outcome === 'missing') {
    await reportMissing(deps, { expected, found })
    return { expected, found }
  }
  if (outcome === 'more') await addUnrecorded(deps, warehouse, key)
  await resolveMissing(deps, key)
  return null
}

/** Resolves the alert about a month that is complete, or was deleted. */
export const resolveMissing = (deps: CheckDeps, key: store.MonthKey): Promise<void> =>
  inTransaction(deps.db, (tx) => resolveAlert({ tx, actor, clock: deps.clock }, alertKind, subjectOf(key)))

const isChanging = (cold: coldStore.ColdRow | undefined): boolean =>
  cold?.state === 'removing' || cold?.state === 'loading'

/** Sets the ledger to what the store has if that is more. The account's lock excludes records that are about to be recorded. */
async function addUnrecorded(deps: CheckDeps, warehouse: Warehouse, key: store.MonthKey): Promise<void> {
  await withAccountsLocked(deps.db, [key.account_id], async (tx) => {
    const cold = await coldStore.findCold(tx, key)
    if (isChanging(cold)) return
    // a restored backup of the call-record store has what became files since; the next run of the job deletes it again
    if (cold?.state === 'cold' && (await warehouse.cold.countUntil({ ...key, until: Number(cold.until_us) })) > 0)
      return void (await coldStore.changeState(tx, cold, 'removing'))
    const expected = await store.findMonth(tx, key)
    const found = await countMonth(warehouse, key)
    if (compareSums(expected, found) !== 'more') return
    await store.setMonth(tx, found)
    const calls = found.num_calls - expected.num_calls
    deps.log.info({ ...key, calls }, 'stored call records were added to the ledger')
  })
}

/** What the call-record store has of a month. */
export async function countMonth(warehouse: Warehouse, key: store.MonthKey, signal?: AbortSignal): Promise<MonthSums> {
  const query = { account_id: key.account_id, filter: monthRange(key.month) }
  const { num_calls, billed_seconds, total_cost } = await warehouse.totals(query, signal && { signal })
  return { ...key, num_calls, billed_seconds, total_cost }
}

export async function reportMissing(deps: CheckDeps, missing: MissingRecords): Promise<void> {
  const { account_id, month } = missing.expected
  const { expected, found } = missing
  deps.log.error({ account_id, month, expected, found }, 'call records are missing from the store')
  const message = `Account ${account_id}: ${missingText(expected, found)}`
  const alert = { kind: alertKind, subject: subjectOf({ account_id, month }), account_id, message } as const
  await inTransaction(deps.db, (tx) =>
    raiseAlert({ tx, actor, clock: deps.clock }, { ...alert, details: { account_id, month, expected, found } }),
  )
}

/** The first month that a filter's time range touches in which call records are missing; null if they are complete. */
export async function findMissing(
  deps: Deps,
  warehouse: Warehouse,
  { account_id, filter }: { account_id: string; filter: CdrFilter },
  signal: AbortSignal,
): Promise<MissingRecords | null> {
  const touched = monthsOf(filter)
  if (touched === null) return null
  // the ledger first: what is stored in between is not missing
  const expected = await store.listMonths(deps.db, { account_id, ...touched })
  if (expected.length === 0) return null
  const stored = await warehouse.months({ account_id, ...touched }, { signal })
  const counted = new Map(stored.map((sums) => [sums.month, sums]))
  for (const ledger of expected) {
    const sums = counted.get(ledger.month)
    if (sums && compareSums(ledger, sums) === 'complete') continue
    const found = await countMonth(warehouse, ledger, signal)
    if (compareSums(ledger, found) !== 'missing') continue
    const missing = await checkMonth(deps, warehouse, ledger, signal)
    if (missing) return missing
  }
  return null
}

/** Throws 503 if call records are known to be missing in a month that the filter's time range touches. */
export async function requireComplete(c: Context, filter: CdrFilter): Promise<void> {
  const touched = monthsOf(filter)
  const account_id = accountOf(c.actor)
  const months = [...(await alertedSubjects(c.tx, alertKind, account_id))].map((subject) => subject.split(':')[1] ?? '')
  const month = touched && months.find((each) => each >= touched.first && each <= touched.last)
  if (month)
    throw problem(
      'call-records-missing',
      `Call records of ${month} are missing from the store, so sums of that month would be wrong. The operator has been alerted.`,
    )
}

/**
 * Accepts what the store has of a month, after its records were delivered again or deleted on purpose: of one account, or of all
 * if the month has no records left. Throws 404, and 409 if a month of all accounts has records.
 */
export async function recount(c: Context, warehouse: Warehouse, { account_id, month }: Body<typeof api.recountCdrs>) {
  if (account_id !== undefined) await requireAccount(c, account_id)
  return await withAccountsLocked(c.db, account_id === undefined ? 'all' : [account_id], async (tx) => {
    const key = account_id === undefined ? null : { account_id, month }
    const before = key && (await store.findMonth(tx, key))
    if (key && isChanging(await coldStore.findCold(tx, key)))
      throw problem('conflict', `${month} is being moved to or from the file store. Recount it when that is complete.`)
    const found = key && (await store.setMonth(tx, await countMonth(warehouse, key)))
    if (found === null) {
      if (
        (await warehouse.accountsIn({ month, after: '0', most: 1 })).length > 0 ||
        (await coldStore.hasMonth(tx, month))
      )
        throw problem('conflict', `${month} has call records. Recount one account at a time.`)
      await store.deleteMonth(tx, month)
    }
    const subjects = key ? [subjectOf(key)] : await alertedSubjects(tx, alertKind)
    const now = { ...c, tx }
    for (const subject of subjects) if (subject.endsWith(`:${month}`)) await resolveAlert(now, alertKind, subject)
    await recordEvent(now, null, {
      type: 'cdrs.recounted',
      subject_type: 'cdr_month',
      subject_id: key ? subjectOf(key) : month,
      data: { before, found },
    })
    const { num_calls = 0, billed_seconds = '0', total_cost = '0' } = found ?? {}
    return { account_id: account_id ?? null, month, num_calls, billed_seconds: Number(billed_seconds), total_cost }
  })
}
