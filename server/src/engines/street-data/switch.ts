import type pg from 'pg'
import { inTransaction, queriesOn, type Executor, type Tx } from '../../platform/db.ts'
import { enqueue } from '../../platform/jobs.ts'
import { revalidateJob } from '../../e911/actions.ts'
import * as store from './import/store.ts'
import type { Dataset, StateCoverage } from './import/store.ts'
import * as switches from './switch-store.ts'

/** Kind of the job that clears what datasets and killed imports left behind; its key is `all`. */
export const clearJob = 'clear-e911'

/** Every dataset, whatever its status, by name and vintage. */
export function listDatasets(pool: pg.Pool): Promise<Dataset[]> {
  return store.datasets(pool)
}

/** Makes a loaded dataset count, in the place of another vintage of its name, which is removed. False when it is not loaded. */
export function activateDataset(pool: pg.Pool, id: number, now: Date): Promise<boolean> {
  return inTransaction(queriesOn(pool), (tx) => activate(tx, id, now))
}

/** Removes a dataset and its streets. False when there is none. */
export function dropDataset(pool: pg.Pool, id: number, now: Date): Promise<boolean> {
  return inTransaction(queriesOn(pool), (tx) => drop(tx, id, now))
}

/**
 * Within a transaction: makes a loaded dataset count in the place of another vintage of its name. It takes a moment,
 * whatever their size: the streets of the one that goes count no more, and are cleared by a job. What was asked to be
 * checked against them is checked again. False, and nothing changed, when the dataset is not loaded.
 */
export async function activate(tx: Tx, id: number, now: Date): Promise<boolean> {
  await switches.nextVersion(tx)
  const status = await switches.holdStatus(tx, id)
  if (status !== 'loaded' && status !== 'active') return false
  await switches.dropActiveRival(tx, id)
  await switches.markActive(tx, id, now)
  await ring(tx, now)
  return true
}

/** Within a transaction: removes a dataset, which takes a moment too. One that is being loaded is given up. False when there is none. */
export async function drop(tx: Tx, id: number, now: Date): Promise<boolean> {
  await switches.nextVersion(tx)
  if ((await switches.holdStatus(tx, id)) === undefined) return false
  await switches.dropRow(tx, id)
  await ring(tx, now)
  return true
}

async function ring(tx: Executor, now: Date): Promise<void> {
  await enqueue(tx, revalidateJob, 'all', now)
  await enqueue(tx, clearJob, 'all', now)
}

/** What active datasets have in each state; a state that is absent is validated by its postal codes alone. */
export function coverageByState(pool: pg.Pool): Promise<StateCoverage[]> {
  return store.coverageByState(pool)
}

/** Another one after every change of what is active. */
export function dataVersion(pool: pg.Pool): Promise<string> {
  return store.dataVersion(pool)
}
