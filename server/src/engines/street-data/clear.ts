import { inTransaction, type Db } from '../../platform/db.ts'
import * as store from './store.ts'

/** Ids of streets whose rows are removed at once. It takes some tens of milliseconds, and nobody waits for those rows. */
const STREETS_AT_ONCE = 10_000n
const AREAS_AT_ONCE = 10_000

/**
 * Clears the streets of datasets that went, and what imports left that were killed. In pieces, each its own transaction,
 * so that it may be stopped at any time and begun again. Gives false when somebody is still loading what may have to be
 * cleared later.
 */
export async function clearDatasets(db: Db, signal: AbortSignal): Promise<boolean> {
  for (const dropped of await store.droppedDatasets(db)) await clearDropped(db, dropped, signal)
  let idle = true
  for (const { id, name } of await store.loadingByHand(db)) if (!(await giveUp(db, id, name))) idle = false
  for (const id of await store.stagedDatasets(db)) if (!(await clearStaged(db, id))) idle = false
  return idle
}

async function clearDropped(db: Db, dropped: store.Dropped, signal: AbortSignal): Promise<void> {
  const { dataset_id, first_street, last_street } = dropped
  const last = last_street === null ? -1n : BigInt(last_street)
  for (let first = BigInt(first_street ?? 0); first <= last; first += STREETS_AT_ONCE) {
    signal.throwIfAborted()
    await inTransaction(db, (tx) =>
      store.clearStreetsBelow(tx, { ...dropped, first_street: String(first) }, first + STREETS_AT_ONCE),
    )
  }
  while ((await store.clearAreas(db, dataset_id, AREAS_AT_ONCE)) > 0) signal.throwIfAborted()
  await store.deleteDropped(db, dataset_id)
}

/** An import from the command line that nobody is at any more. */
function giveUp(db: Db, id: number, name: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (!(await store.tryLockIdle(tx, id, name))) return false
    await store.clearStaging(tx, id)
    await store.markFailed(tx, id, 'Its loading was broken off. Load it again.')
    return true
  })
}

/** Staging tables of an import that nobody is at. Those of one that waits for its next attempt are made anew by that. */
function clearStaged(db: Db, id: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (!(await store.tryLockIdle(tx, id, null))) return false
    await store.clearStaging(tx, id)
    return true
  })
}
