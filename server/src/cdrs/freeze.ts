import { Readable } from 'node:stream'
import { isHeld } from '../accounts/index.ts'
import { systemActor } from '../platform/actor.ts'
import type { Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { keepFile, releaseFiles } from '../platform/file-references.ts'
import type { StagedFile } from '../platform/files/index.ts'
import { StartRefused } from '../platform/start-refused.ts'
import {
  addSums,
  type AccountMonth,
  type CdrSums,
  LIMITS,
  type Warehouse,
  WarehouseFailed,
} from '../engines/call-records/index.ts'
import type { ColdDeps } from './cold-requests.ts'
import * as store from './cold-store.ts'
import { checkMonth, countMonth, resolveMissing } from './ledger.ts'
import { deleteAccountMonth, findMonth, setMonth } from './ledger-store.ts'
import { withAccountsLocked } from './lock-store.ts'
import { isMigrating } from './migration-store.ts'
import { compareSums } from './rules.ts'

/**
 * Moves months of call records to the file store:
 *
 *   write files, read each back and compare it with the store
 *   → under the account's lock: compare the month with the ledger and with the files, switch
 *   → delete the records from the store, and prove that they are gone
 *
 * The switch is a row in PostgreSQL. Only records that arrived before `until` are in the files and are deleted, and the inserts that could
 * add one have ended by then; what arrives later stays in the store. Claims stay, so that a record that is delivered again is recognized.
 * Every step can be repeated: a killed process leaves files that no row names, or a month that is `removing`.
 */

export interface FreezeOptions {
  /** How long ago an insert must have begun to have ended, in microseconds. */
  settled_us?: number
  signal?: AbortSignal
}

type Staged = CdrSums & { file: StagedFile }

/**
 * Moves those of these months to the file store that are complete and do not change. Returns them. Others stay as they are; call records
 * that are missing raise an alert.
 */
export async function freezeMonths(
  deps: ColdDeps,
  warehouse: Warehouse,
  months: readonly AccountMonth[],
  { settled_us = LIMITS.insert_settled_seconds * 1e6, signal = new AbortController().signal }: FreezeOptions = {},
): Promise<AccountMonth[]> {
  const frozen: store.ColdRow[] = []
  for (const key of months) {
    signal.throwIfAborted()
    try {
      const row = await freezeMonth(deps, warehouse, key, settled_us, signal)
      if (row) frozen.push(row)
    } catch (error) {
      // must not keep other months from being moved
      if (!(error instanceof WarehouseFailed)) throw error
      deps.log.error({ err: error, ...key }, 'call records could not be moved to the file store')
    }
  }
  await completeRemoval(deps, warehouse, frozen)
  return frozen
}

async function freezeMonth(
  deps: ColdDeps,
  warehouse: Warehouse,
  key: AccountMonth,
  settled_us: number,
  signal: AbortSignal,
): Promise<store.ColdRow | null> {
  const row = await store.findCold(deps.db, key)
  const until = await withAccountsLocked(deps.db, [key.account_id], async (_tx, time) => (await time()) - settled_us)
  // a process that lost its lock may still insert a file; how long it waits for the engine first is not part of the settled time
  if (row && (row.state !== 'loaded' || Number(row.changed_us) > until - 8 * settled_us)) return null
  if (await checkMonth(deps, warehouse, key, signal)) return null
  const staged: Staged[] = []
  try {
    for await (const { content, ...sums } of warehouse.cold.files({ ...key, until }, signal))
      staged.push({ ...sums, file: await deps.files.stage(Readable.from([content]), { signal }) })
    return await withAccountsLocked(deps.db, [key.account_id], (tx, time) =>
      switchToFiles(tx, warehouse, { key, version: row?.version, until, changed_us: time }, staged),
    )
  } finally {
    for (const { file } of staged) await file.discard()
  }
}

type Switch = {
  key: AccountMonth
  version: string | undefined
  until: number
  changed_us: () => Promise<number>
}

/** Null if the month has changed meanwhile. */
async function switchToFiles(
  tx: Tx,
  warehouse: Warehouse,
  { key, version, until, changed_us }: Switch,
  staged: readonly Staged[],
): Promise<store.ColdRow | null> {
  if ((await store.findCold(tx, key))?.version !== version || (await store.isMoving(tx, key.account_id))) return null
  if (await isMigrating(tx)) return null
  const sums = { ...key, ...addSums(staged) }
  const [expected, found] = [await findMonth(tx, key), await countMonth(warehouse, key)]
  if (sums.num_calls === 0 || compareSums(expected, found) !== 'complete' || compareSums(found, sums) !== 'complete')
    return null
  const files = staged.map(({ file: { digest, bytes }, num_calls }) => ({ digest, bytes, num_calls }))
  await store.freeze(tx, sums, { changed_us: await changed_us(), until_us: until }, files)
  // in the same order everywhere, so that two transactions cannot deadlock
  for (const { file } of staged.toSorted((a, b) => (a.file.digest < b.file.digest ? -1 : 1))) await keepFile(tx, file)
  return (await store.findCold(tx, key)) ?? null
}

/** Deletes from the call-record store what files have. Safe to repeat. */
export async function completeRemoval(
  { db }: Pick<ColdDeps, 'db'>,
  warehouse: Warehouse,
  rows: readonly store.ColdRow[],
): Promise<void> {
  const left = await present(warehouse, rows)
  if (left.length > 0) await warehouse.cold.remove(left.map(coldMonth))
  const [still] = left.length > 0 ? await present(warehouse, left) : []
  if (still !== undefined)
    throw new Error(`The call-record store did not delete the records of account ${still.account_id} in ${still.month}`)
  for (const row of rows) await store.changeState(db, row, 'cold')
}

const coldMonth = ({ account_id, month, until_us }: store.ColdRow) => ({ account_id, month, until: Number(until_us) })

async function present(warehouse: Warehouse, rows: readonly store.ColdRow[]): Promise<store.ColdRow[]> {
  const found: store.ColdRow[] = []
  for (const row of rows) if ((await warehouse.cold.countUntil(coldMonth(row))) > 0) found.push(row)
  return found
}

/**
 * Deletes a month of an account from the call-record store, the file store, and the ledger, for good. Records that are delivered
 * later are new ones. Safe to repeat; started again, it continues. Returns how many calls it deleted. Throws StartRefused while all call
 * records are migrated, and under legal hold. `record` records the deletion in the transaction that decides it.
 */
export async function deleteMonth(
  deps: ColdDeps,
  warehouse: Warehouse,
  key: AccountMonth,
  record: (tx: Tx, num_calls: number) => Promise<void> = (tx, num_calls) => recordDeleted(deps, tx, key, num_calls),
): Promise<number> {
  const nothing = { num_calls: 0, billed_seconds: '0', total_cost: '0' }
  const { row, calls } = await withAccountsLocked(deps.db, [key.account_id], async (tx, time) => {
    if (await isMigrating(tx))
      throw new StartRefused(
        'Call records are being migrated to another store. Delete them when the migration is confirmed.',
      )
    if (await isHeld(tx, key.account_id))
      throw new StartRefused(
        `Account ${key.account_id} is under legal hold. None of its data is deleted until the hold is lifted.`,
      )
    const before = await store.findCold(tx, key)
    const expected = (await findMonth(tx, key)).num_calls
    const now = await time()
    await releaseFiles(tx, await store.deleteFiles(tx, key), deps.clock.now())
    await store.freeze(tx, { ...key, ...nothing }, { changed_us: now, until_us: now }, [])
    await deleteAccountMonth(tx, key)
    const in_files = before && before.state !== 'loaded' ? Number(before.num_calls) : 0
    const row = await store.findCold(tx, key)
    await record(tx, expected + in_files)
    return { row, calls: expected + in_files }
  })
  if (row === undefined) return 0
  await completeRemoval(deps, warehouse, [row])
  await warehouse.cold.removeClaims(coldMonth(row))
  await withAccountsLocked(deps.db, [key.account_id], async (tx) => {
    await store.deleteCold(tx, key)
    const found = await countMonth(warehouse, key)
    if (found.num_calls > 0) await setMonth(tx, found)
  })
  await resolveMissing(deps, key)
  return calls
}

async function recordDeleted({ clock }: ColdDeps, tx: Tx, { account_id, month }: AccountMonth, num_calls: number) {
  await recordEvent({ tx, actor: systemActor('delete-call-records', null), clock }, null, {
    type: 'cdrs.deleted',
    subject_type: 'cdr_month',
    subject_id: `${account_id}:${month}`,
    data: { num_calls },
  })
}
