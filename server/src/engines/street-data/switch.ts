import { inTransaction, type Db, type Executor, type Tx } from '../../platform/db.ts'
import * as store from './store.ts'

/** What has to be done after street data changed. The feature that uses the engine enqueues it in the same transaction. */
export interface FollowUps {
  /** Other data is active: addresses are to be validated again, and dropped datasets to be deleted. */
  activeDataChanged(tx: Executor, now: Date): Promise<void>
  /** An import started: if it is killed, its staging tables are to be deleted, not before `due_at`. */
  importStarted(db: Executor, due_at: Date): Promise<void>
}

/** For a database that no service uses. */
export const noFollowUps: FollowUps = {
  activeDataChanged: () => Promise.resolve(),
  importStarted: () => Promise.resolve(),
}

/** What became of an activation: `held`, when the dataset's report has to be looked at first; `not loaded`. */
export type Activation = 'active' | 'held' | 'not loaded'

export interface ActivationOptions {
  now: Date
  follow_ups: FollowUps
  /** Whatever its report says. */
  force?: boolean | undefined
}

/** Activates a loaded dataset in place of the active vintage of its name, which is kept to go back to. */
export function activateDataset(db: Db, id: number, options: ActivationOptions): Promise<Activation> {
  return inTransaction(db, (tx) => activate(tx, id, options))
}

/** Removes a dataset and its streets. False when there is none. */
export function dropDataset(db: Db, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  return inTransaction(db, (tx) => drop(tx, id, now, follow_ups))
}

/**
 * Within a transaction: activates a loaded dataset, or the one that was active before, in place of the active vintage of its
 * name. That is kept, and the one that was kept before it dropped. It takes milliseconds, whatever their size: the streets of
 * the dropped one are deleted by a follow-up. Nothing changes unless the result is `active`.
 */
export async function activate(
  tx: Tx,
  id: number,
  { now, follow_ups, force = false }: ActivationOptions,
): Promise<Activation> {
  await store.incrementVersion(tx)
  const status = await store.lockStatusForUpdate(tx, id)
  if (status === undefined || status === 'loading' || status === 'failed') return 'not loaded'
  if (status === 'held' && !force) return 'held'
  await store.supersedeActiveVintage(tx, id)
  await store.markActive(tx, id, now)
  await follow_ups.activeDataChanged(tx, now)
  return 'active'
}

/** Within a transaction: drops a dataset, which takes milliseconds too. Its import is aborted, if one runs. False when there is none. */
export async function drop(tx: Tx, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  await store.incrementVersion(tx)
  if ((await store.lockStatusForUpdate(tx, id)) === undefined) return false
  await store.deleteDataset(tx, id)
  await follow_ups.activeDataChanged(tx, now)
  return true
}
