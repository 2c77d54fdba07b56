import { inTransaction, type Db, type Executor, type Tx } from '../../platform/db.ts'
import * as store from './store.ts'

/** What has to be done after street data changed. Whoever uses the engine enqueues it in the transaction of the change. */
export interface FollowUps {
  /** Other data is active: what was checked against it is to be checked again, and what went is to be cleared. */
  switched(tx: Executor, now: Date): Promise<void>
  /** An import began: should it be killed, what it leaves is to be cleared, not before `due_at`. */
  begun(db: Executor, due_at: Date): Promise<void>
}

/** For a database that nobody else works on. */
export const noFollowUps: FollowUps = { switched: () => Promise.resolve(), begun: () => Promise.resolve() }

/** Makes a loaded dataset count, in the place of another vintage of its name, which is removed. False when it is not loaded. */
export function activateDataset(db: Db, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  return inTransaction(db, (tx) => activate(tx, id, now, follow_ups))
}

/** Removes a dataset and its streets. False when there is none. */
export function dropDataset(db: Db, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  return inTransaction(db, (tx) => drop(tx, id, now, follow_ups))
}

/**
 * Within a transaction: makes a loaded dataset count in the place of another vintage of its name. It takes a moment,
 * whatever their size: the streets of the one that goes count no more, and are cleared by a follow-up. False, and nothing
 * changed, when the dataset is not loaded.
 */
export async function activate(tx: Tx, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  await store.nextVersion(tx)
  const status = await store.lockStatusForUpdate(tx, id)
  if (status !== 'loaded' && status !== 'active') return false
  await store.dropActiveRival(tx, id)
  await store.markActive(tx, id, now)
  await follow_ups.switched(tx, now)
  return true
}

/** Within a transaction: removes a dataset, which takes a moment too. One that is being loaded is given up. False when there is none. */
export async function drop(tx: Tx, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  await store.nextVersion(tx)
  if ((await store.lockStatusForUpdate(tx, id)) === undefined) return false
  await store.deleteDataset(tx, id)
  await follow_ups.switched(tx, now)
  return true
}
