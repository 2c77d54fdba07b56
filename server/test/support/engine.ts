/** Call-record engines and warehouses of a test file. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type ClickHouse } from '../../src/engines/call-records/clickhouse.ts'
import { startEngine, type Engine, type EngineOptions } from '../../src/engines/call-records/chdb/supervisor.ts'
import { WarehouseUnavailable } from '../../src/engines/call-records/errors.ts'
import type { Warehouse, WarehouseOptions } from '../../src/engines/call-records/types.ts'
import { openWarehouse } from '../../src/engines/call-records/warehouse.ts'

export type TestEngine = Engine & { folder: string }

/**
 * Starts an engine in a temporary folder; both are removed after the test file that calls this at its top level, or after the test that does.
 * Not for `before`: an `after` registered in a hook runs when the hook ends.
 */
export async function testEngine(options: Omit<EngineOptions, 'folder'> = {}): Promise<TestEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'cdr-engine-'))
  const engine = await startEngine({ ...options, folder })
  after(async () => {
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { ...engine, folder }
}

/** Retries while the engine is unavailable, as its callers do. */
export async function retryUntilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof WarehouseUnavailable) || attempt === 20) throw error
      await sleep(100)
    }
  }
}

export type TestWarehouse = {
  warehouse: Warehouse
  /** The same store, for what a test must do without the warehouse. */
  clickhouse: ClickHouse
  at: WarehouseOptions['at']
  database: string
}

/**
 * An empty warehouse with its tables, in a database of its own: on the server at CLICKHOUSE_TEST_URL if that is set, else on an engine in a
 * temporary folder. To be called where `testEngine` may be.
 */
export async function testWarehouse(options: Omit<WarehouseOptions, 'at' | 'database'> = {}): Promise<TestWarehouse> {
  const url = process.env['CLICKHOUSE_TEST_URL']
  const at = url === undefined ? { socket: (await testEngine()).socket } : { url }
  const database = `demarc_test_${crypto.randomUUID().replaceAll('-', '')}`
  const warehouse = openWarehouse({ ...options, at, database })
  const clickhouse = connect({ at })
  await warehouse.ensureSchema()
  // An engine's database is removed with its folder.
  after(async () => {
    if (url !== undefined) await clickhouse.run(`DROP DATABASE ${database}`)
    await clickhouse.close()
    await warehouse.close()
  })
  return { warehouse, clickhouse, at, database }
}
