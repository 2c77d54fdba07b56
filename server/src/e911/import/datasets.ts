import type pg from 'pg'
import * as store from './store.ts'
import type { Dataset, StateCoverage } from './store.ts'

/** Every dataset, whatever its status, by name and vintage. */
export function listDatasets(pool: pg.Pool): Promise<Dataset[]> {
  return store.datasets(pool)
}

/** Makes a loaded dataset count, in the place of another vintage of its name, which is removed. False when it is not loaded. */
export function activateDataset(pool: pg.Pool, id: number, now: Date): Promise<boolean> {
  return inSession(pool, (client) => store.activate(client, id, now))
}

/** Removes a dataset and its streets. False when there is none. */
export function dropDataset(pool: pg.Pool, id: number): Promise<boolean> {
  return inSession(pool, (client) => store.deleteDataset(client, id))
}

/** What active datasets have in each state; a state that is absent is validated by its postal codes alone. */
export function coverageByState(pool: pg.Pool): Promise<StateCoverage[]> {
  return store.coverageByState(pool)
}

/** Another one after every change of what is active. */
export function dataVersion(pool: pg.Pool): Promise<string> {
  return store.dataVersion(pool)
}

/** In one transaction on a connection of its own, whose settings go with it. */
async function inSession(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<boolean>): Promise<boolean> {
  const client = await pool.connect()
  try {
    await store.prepareSession(client)
    let done = false
    await store.inTransaction(client, async () => {
      done = await work(client)
    })
    return done
  } finally {
    client.release(true)
  }
}
