/** A call-record engine of a test file's own. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startEngine, type Engine, type EngineOptions } from '../../src/cdrs/warehouse/engine/supervisor.ts'
import type { Warehouse, WarehouseOptions } from '../../src/cdrs/warehouse/types.ts'
import { openWarehouse } from '../../src/cdrs/warehouse/warehouse.ts'

export type TestEngine = Engine & { folder: string }

/** Starts an engine in a temporary folder; both are gone after the test file (or the suite that calls this). */
export async function testEngine(options: Omit<EngineOptions, 'folder'> = {}): Promise<TestEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'cdr-engine-'))
  const engine = await startEngine({ ...options, folder })
  after(async () => {
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { ...engine, folder }
}

/**
 * A warehouse with its tables, empty: on CLICKHOUSE_TEST_URL if that is set, in a database of its own that is dropped after the test file;
 * else on an engine in a temporary folder.
 */
export async function testWarehouse(options: Omit<WarehouseOptions, 'at' | 'database'> = {}): Promise<Warehouse> {
  const url = process.env['CLICKHOUSE_TEST_URL']
  const at = url === undefined ? { socket: (await testEngine()).socket } : { url }
  const database = `demarc_test_${crypto.randomUUID().replaceAll('-', '')}`
  const warehouse = openWarehouse({ ...options, at, database })
  await warehouse.ensureSchema()
  after(() => warehouse.close())
  return warehouse
}
