import { inTransaction, type Db, type Executor, type Tx } from '../../platform/db.ts'
import * as store from './store.ts'

/** Follow-up work after a change of street data, which the feature enqueues in the same transaction. */
export interface FollowUps {
  /** Other data is active: revalidate addresses and delete dropped datasets. */
  activeDataChanged(tx: Executor, now: Date): Promise<void>
  /** An import started: if it gets killed, drop its staging tables, not before `due_at`. */
  importStarted(db: Executor, due_at: Date): Promise<void>
}

/** For a database that no service uses. */
export const noFollowUps: FollowUps = {
  activeDataChanged: () => Promise.resolve(),
  importStarted: () => Promise.resolve(),
}

/** Result of an activation. `held`: the operator must review the dataset's report first. */
export type Activation = 'active' | 'held' | 'not loaded'

export interface ActivationOptions {
  now: Date
  follow_ups: FollowUps
  /** Activates a held dataset too. */
  force?: boolean | undefined
}

/** Activates a loaded dataset in place of the active vintage of its name, which is kept for rollback. */
export function activateDataset(db: Db, id: number, options: ActivationOptions): Promise<Activation> {
  return inTransaction(db, (tx) => activate(tx, id, options))
}

/** Deletes a dataset and its streets. False if it doesn't exist. */
export function dropDataset(db: Db, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  return inTransaction(db, (tx) => drop(tx, id, now, follow_ups))
}

/**
 * Activates a loaded or superseded dataset in place of the active vintage of its name, within a transaction. The active vintage
 * is kept, and the one kept before is dropped. Takes milliseconds for any size, because a follow-up deletes the streets of the
 * dropped one. Nothing changes unless the result is `active`.
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

/** Drops a dataset within a transaction, in milliseconds, and aborts its import. False if it doesn't exist. */
export async function drop(tx: Tx, id: number, now: Date, follow_ups: FollowUps): Promise<boolean> {
  await store.incrementVersion(tx)
  if ((await store.lockStatusForUpdate(tx, id)) === undefined) return false
  await store.deleteDataset(tx, id)
  await follow_ups.activeDataChanged(tx, now)
  return true
}
