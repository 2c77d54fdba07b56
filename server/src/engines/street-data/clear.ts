import { inTransaction, type Db } from '../../platform/db.ts'
import * as store from './store.ts'

/** Range of street ids deleted in one transaction, which takes tens of milliseconds. */
const STREETS_PER_BATCH = 10_000n
const AREAS_PER_BATCH = 10_000

/**
 * Deletes the streets of dropped datasets and the staging tables of killed imports. Works in batches, each in its own
 * transaction, so it can be aborted at any time and repeated. Returns false if a running import may leave data to delete.
 */
export async function clearDatasets(db: Db, signal: AbortSignal): Promise<boolean> {
  for (const dropped of await store.droppedDatasets(db)) await clearDropped(db, dropped, signal)
  let idle = true
  for (const { id, name } of await store.loadingFromCommandLine(db))
    if (!(await abandonImport(db, id, name))) idle = false
  for (const id of await store.stagedDatasets(db)) if (!(await clearStaged(db, id))) idle = false
  return idle
}

async function clearDropped(db: Db, dropped: store.Dropped, signal: AbortSignal): Promise<void> {
  const { dataset_id, first_street, last_street } = dropped
  const last = last_street === null ? -1n : BigInt(last_street)
  for (let first = BigInt(first_street ?? 0); first <= last; first += STREETS_PER_BATCH) {
    signal.throwIfAborted()
    await inTransaction(db, (tx) =>
      store.clearStreetsBelow(tx, { ...dropped, first_street: String(first) }, first + STREETS_PER_BATCH),
    )
  }
  while ((await store.clearAreas(db, dataset_id, AREAS_PER_BATCH)) > 0) signal.throwIfAborted()
  await store.deleteDropped(db, dataset_id)
}

/** Ends an import from the command line whose process died. False if it is still running. */
function abandonImport(db: Db, id: number, name: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (!(await store.tryLockIdle(tx, id, name))) return false
    await store.clearStaging(tx, id)
    await store.markFailed(tx, id, 'The import was interrupted. Run it again.')
    return true
  })
}

/** Drops the staging tables of an import whose process died; a retried import creates them again. False if it is still running. */
function clearStaged(db: Db, id: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (!(await store.tryLockIdle(tx, id, null))) return false
    await store.clearStaging(tx, id)
    return true
  })
}
