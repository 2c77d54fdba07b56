import { isHeld } from '../accounts/index.ts'
import { deleteMonth } from '../cdrs/index.ts'
import type { Warehouse } from '../engines/call-records/index.ts'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { deleteFirstEvents, recordEvent } from '../platform/events.ts'
import { releaseFiles } from '../platform/file-references.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { callRecords_min, personalClasses, type Periods } from './class-store.ts'
import { countCalls, listDue, listMonths } from './due-store.ts'
import * as store from './store.ts'

/**
 * Deletes in batches, each a transaction with its event, so a killed process continues where it was, and running it twice deletes
 * nothing else. Each batch first locks the account against a legal hold.
 */

export interface Retention {
  deps: Deps
  warehouse: Warehouse
  periods: Periods
}

/** Accounts with due rows of one class that one run considers. */
const accounts_max = 100_000

/** Deletes everything whose period has ended, and what accounts whose personal data was deleted no longer have to keep. */
export async function deleteDue(r: Retention, signal: AbortSignal): Promise<void> {
  const now = r.deps.clock.now()
  for (const { class: name, account_id, period, is_held } of await listDue(r.deps.db, r.periods, {
    now,
    limit: accounts_max,
  })) {
    if (is_held) continue
    const what = { name, account_id, period }
    if (name === 'call_records' && account_id !== null) await deleteCalls(r, { ...what, account_id }, signal)
    else if (name === 'closed_account_events' && account_id !== null)
      await inBatches(r.deps, what, signal, (tx) => deleteEvents(tx, account_id))
    else await inBatches(r.deps, what, signal, (tx) => store.deleteAged(tx, name, period, account_id, now))
  }
  for (const account_id of await store.listDeletions(r.deps.db)) await deletePersonalData(r, account_id, signal)
}

/** Deletes an account's personal data, or continues to. Without effect if nobody requested it, and while the account is held. */
export async function deletePersonalData(r: Retention, account_id: string, signal: AbortSignal): Promise<void> {
  const { deps } = r
  if (!(await store.findDeletion(deps.db, account_id))) return
  const now = deps.clock.now()
  for (const [name, each] of Object.entries(personalClasses))
    await inBatches(deps, { name, account_id, period: null }, signal, async (tx) => {
      if (name === 'people') await store.erasePeople(tx, each, account_id, now)
      return await store.deletePersonal(tx, each, account_id, now)
    })
  await deleteCalls(r, { name: 'call_records', account_id, period: null }, signal)
  let after = '0'
  await inBatches(deps, { name: 'event_details', account_id, period: null }, signal, async (tx) => {
    const { count, last } = await store.eraseDetails(tx, account_id, after)
    after = last ?? after
    return { count, files: [] }
  })
  await inTransaction(deps.db, async (tx) => {
    if (await isHeld(tx, account_id)) return
    const kept = await countKept(tx, account_id, now)
    if (!(await store.completeDeletion(tx, account_id, now, kept))) return
    const data = { deleted: (await store.findDeletion(tx, account_id))?.deleted, kept }
    await recordEvent(system(deps, tx), null, {
      type: 'personal_data.deleted',
      subject_type: 'account',
      subject_id: account_id,
      data,
    })
  })
}

/** Rows that the deletion of personal data keeps, by class. */
export async function countKept(tx: Tx, account_id: string, now: Date): Promise<Record<string, number>> {
  const kept: Record<string, number> = { call_records: (await countCalls(tx, account_id, now)).kept }
  for (const [name, each] of Object.entries(personalClasses))
    if (each.kept) kept[name] = (await store.countPersonal(tx, each, account_id, now)).kept
  return kept
}

/** What is deleted. A null period: personal data, on request. */
interface What {
  name: string
  account_id: string | null
  period: string | null
}

async function inBatches(deps: Deps, what: What, signal: AbortSignal, work: (tx: Tx) => Promise<store.Deleted>) {
  for (let count = store.batch_max; count > 0;) {
    signal.throwIfAborted()
    count = await inTransaction(deps.db, async (tx) => {
      if (what.account_id !== null && (await isHeld(tx, what.account_id))) return 0
      const deleted = await work(tx)
      await releaseFiles(tx, deleted.files, deps.clock.now())
      if (deleted.count > 0) await recordDeleted(deps, tx, what, deleted.count)
      return deleted.count
    })
  }
}

async function deleteEvents(tx: Tx, account_id: string): Promise<store.Deleted> {
  const last = await store.lastOfBatch(tx, account_id)
  if (last === undefined) return { count: 0, files: [] }
  await store.deleteReferences(tx, account_id, last)
  return { count: await deleteFirstEvents(tx, account_id, last), files: [] }
}

async function deleteCalls({ deps, warehouse }: Retention, what: What & { account_id: string }, signal: AbortSignal) {
  const { account_id, period } = what
  for (const month of await listMonths(deps.db, account_id, deps.clock.now(), period ?? callRecords_min)) {
    signal.throwIfAborted()
    try {
      await deleteMonth(deps, warehouse, { account_id, month }, async (tx, calls) => {
        // none: a killed process has recorded them
        if (calls > 0) await recordDeleted(deps, tx, what, calls, { month })
      })
    } catch (error) {
      // held since the plan was read, or being migrated: another night
      if (!(error instanceof StartRefused)) throw error
      deps.log.warn({ err: error, account_id, month }, 'call records were not deleted')
    }
  }
}

const system = (deps: Deps, tx: Tx) => ({ tx, actor: systemActor('retention', null), clock: deps.clock })

/** In the operator's chain: the account's own may be the one that is deleted, and the customer reads it. */
async function recordDeleted(
  deps: Deps,
  tx: Tx,
  { name, account_id, period }: What,
  count: number,
  more: Record<string, unknown> = {},
): Promise<void> {
  if (account_id !== null && period === null) await store.addDeleted(tx, account_id, name, count)
  await recordEvent(system(deps, tx), null, {
    type: 'retention.deleted',
    ...(account_id === null
      ? { subject_type: 'retention', subject_id: name }
      : { subject_type: 'account', subject_id: account_id }),
    data: { class: name, count, period, ...more },
  })
}
