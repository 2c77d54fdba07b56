import { releaseFiles } from '../platform/file-references.ts'
import { FileDamaged, readCompared } from '../platform/verified-files.ts'
import type { AccountMonth, Warehouse } from '../engines/call-records/index.ts'
import { keyOf, type ColdDeps } from './cold-requests.ts'
import * as store from './cold-store.ts'
import { completeRemoval } from './freeze.ts'
import { countMonth, reportMissing } from './ledger.ts'
import { findMonth } from './ledger-store.ts'
import { withAccountsLocked } from './lock-store.ts'
import { coldLimits, compareSums, damagedReason, missingReason } from './rules.ts'

/**
 * Loads a month of call records from its files into the call-record store, where every query finds them:
 *
 *   for each file: read it, compare it with its digest → under the account's lock: insert its records
 *   → under the account's lock: compare the month with the ledger, drop the files
 *
 * Every step can be repeated. The records get a new time of arrival: a deletion by a process that lost its lock, of records that arrived
 * earlier, does not find them. Ingest of the account waits for one file at a time.
 */

/** A month cannot be loaded. The message has the reason for the customer. */
export class ColdMonthFailed extends Error {
  override name = 'ColdMonthFailed'
}

export interface LoadOptions {
  /** How long the month stays at least. Default: what a read needs. */
  kept_until?: Date | 'infinity'
  signal?: AbortSignal
  onProgress?: (text: string) => void
}

/**
 * Loads a month, or continues to. Without effect if the call-record store has it. Throws FileDamaged, ColdMonthFailed, and the errors of the
 * store.
 */
export async function loadMonth(
  deps: ColdDeps,
  warehouse: Warehouse,
  key: AccountMonth,
  { kept_until, signal, onProgress = () => undefined }: LoadOptions = {},
): Promise<void> {
  const keep = () => {
    const until = kept_until ?? new Date(deps.clock.now().getTime() + coldLimits.kept_ms)
    return store.keepLoaded(deps.db, { ...key, first: key.month, last: key.month }, until)
  }
  const row = await store.findCold(deps.db, key)
  if (row?.state === 'removing') await completeRemoval(deps, warehouse, [row])
  if (row && row.state !== 'loaded') {
    if (kept_until !== 'infinity') await requireRoom(deps, row)
    await startLoading(deps, key)
    for (const file of await store.findFiles(deps.db, key)) {
      signal?.throwIfAborted()
      if (!file.loaded) await loadFile(deps, warehouse, key, file)
      onProgress(`${key.month}: file ${file.part} is loaded`)
    }
    await finishLoading(deps, warehouse, key)
  }
  await keep()
}

/** Loads months for a read. Throws ColdMonthFailed also for a damaged file. */
export async function loadMonths(
  deps: ColdDeps,
  warehouse: Warehouse,
  months: readonly AccountMonth[],
  signal: AbortSignal,
): Promise<void> {
  for (const key of months)
    try {
      await loadMonth(deps, warehouse, key, { signal })
    } catch (error) {
      if (!(error instanceof FileDamaged)) throw error
      throw new ColdMonthFailed(damagedReason(key.month, error.damage), { cause: error })
    }
}

/** The limit does not count what is loaded already, and is not exact if several months are loaded at the same time. */
async function requireRoom({ db }: ColdDeps, { state, num_calls }: store.ColdRow): Promise<void> {
  const calls = (await store.countLoaded(db)) + (state === 'loading' ? 0 : Number(num_calls))
  if (calls > coldLimits.loaded_calls)
    throw new ColdMonthFailed(
      `More than ${coldLimits.loaded_calls.toLocaleString('en-US')} old call records would be loaded from the file store at the same time. Request a shorter period, or try again tomorrow.`,
    )
}

async function startLoading({ db }: ColdDeps, key: AccountMonth): Promise<void> {
  await withAccountsLocked(db, [key.account_id], async (tx, time) => {
    const row = await store.findCold(tx, key)
    if (row?.state === 'cold') await store.changeState(tx, row, 'loading', await time())
  })
}

/** Without effect if another process has loaded the file. */
async function loadFile(deps: ColdDeps, warehouse: Warehouse, key: AccountMonth, file: store.FileRow): Promise<void> {
  const { sha256 } = file
  const named = { sha256, bytes: Number(file.bytes), account_id: key.account_id }
  const content = await readCompared(deps, { ...named, used_by: `the call records of ${key.month}` }, async () =>
    (await store.findFiles(deps.db, key)).some((each) => each.sha256 === sha256),
  )
  if (content === null) return
  await withAccountsLocked(deps.db, [key.account_id], async (tx, time) => {
    if ((await store.findCold(tx, key))?.state !== 'loading') return
    if (await store.recordLoaded(tx, key, sha256)) await warehouse.cold.load(content, await time())
  })
}

/** Compares before the files are dropped. */
async function finishLoading(deps: ColdDeps, warehouse: Warehouse, key: AccountMonth): Promise<void> {
  const missing = await withAccountsLocked(deps.db, [key.account_id], async (tx, time) => {
    const row = await store.findCold(tx, key)
    if (row?.state !== 'loading') return null
    // the ledger without what it subtracts for the files
    await store.changeState(tx, row, 'loaded', await time())
    const [expected, found] = [await findMonth(tx, key), await countMonth(warehouse, key)]
    if (compareSums(expected, found) === 'missing') throw new MissingAfterLoad(expected, found)
    await releaseFiles(tx, await store.deleteFiles(tx, key), deps.clock.now())
    return null
  }).catch((error: unknown) => {
    if (error instanceof MissingAfterLoad) return error
    throw error
  })
  if (missing === null) return
  const { expected, found } = missing
  await store.resetLoaded(deps.db, key)
  await reportMissing(deps, { expected, found })
  throw new ColdMonthFailed(missingReason(expected, found))
}

/** Rolls the transaction back. */
class MissingAfterLoad extends Error {
  readonly expected: Parameters<typeof missingReason>[0]
  readonly found: Parameters<typeof missingReason>[1]
  constructor(expected: MissingAfterLoad['expected'], found: MissingAfterLoad['found']) {
    super(`Call records of ${keyOf(expected)} are missing after they were loaded`)
    this.expected = expected
    this.found = found
  }
}
