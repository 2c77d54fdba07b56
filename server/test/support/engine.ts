/** Call-record engines and warehouses of a test file. */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type ClickHouse } from '../../src/engines/call-records/clickhouse.ts'
import { startEngine, type Engine, type EngineOptions } from '../../src/engines/call-records/chdb/supervisor.ts'
import { WarehouseUnavailable } from '../../src/engines/call-records/errors.ts'
import type { StoreMode } from '../../src/engines/call-records/modes.ts'
import type { Warehouse, WarehouseOptions } from '../../src/engines/call-records/types.ts'
import {
  alternating,
  createShardTables,
  placeAll,
  SHARDED,
  writeConfig,
} from '../../src/engines/call-records/testing/two-shards.ts'
import { openWarehouse } from '../../src/engines/call-records/warehouse.ts'

export type TestEngine = Engine & { folder: string }

/**
 * Starts an engine in a temporary folder; both are removed after the test file that calls this at its top level, or after the test that does.
 * `sharded_database`: a database whose tables are on two shards. Not for `before`: an `after` registered in a hook runs when the hook ends.
 */
export async function testEngine(
  options: Omit<EngineOptions, 'folder'> = {},
  sharded_database?: string,
): Promise<TestEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'cdr-engine-'))
  const config = sharded_database !== undefined && { config_file: await writeConfig(folder, sharded_database) }
  const engine = await startEngine({ ...options, ...config, folder })
  after(async () => {
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { ...engine, folder }
}

/** Serves an engine's socket as the URL of a server with a user, until the tests of the file end. */
export async function overHttp(socket: string): Promise<string> {
  const server = createServer((inbound) => {
    const outbound = connectSocket(socket)
    inbound.pipe(outbound).pipe(inbound)
    inbound.once('error', () => outbound.destroy())
    outbound.once('error', () => inbound.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo // it listens on TCP
  return `http://demarc:secret-password@127.0.0.1:${port}`
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
  /** Opens the same store again. */
  options: Pick<WarehouseOptions, 'at' | 'database' | 'mode' | 'placements'>
  at: WarehouseOptions['at']
  database: string
  /** The table that stores the records, for statements that a Distributed table does not have. */
  table: string
}

/** Whether tests of the store use Distributed tables over two shards. */
export const through_shards = process.env['DEMARC_TEST_SHARDS'] === '1'

/** Accounts that are placed before a test; others are when their first record is inserted. */
const PLACED = { first: 80_000, count: 20_000 }

/**
 * An empty warehouse with its tables: on the server at CLICKHOUSE_TEST_URL if that is set, else on an engine in a temporary folder, with two
 * shards if DEMARC_TEST_SHARDS is 1. To be called where `testEngine` may be.
 */
export async function testWarehouse(options: Omit<WarehouseOptions, 'at' | 'database'> = {}): Promise<TestWarehouse> {
  const url = process.env['CLICKHOUSE_TEST_URL']
  const mode = through_shards ? SHARDED : url === undefined ? undefined : testMode()
  const database = `demarc_test_${crypto.randomUUID().replaceAll('-', '')}`
  const at =
    url === undefined ? { socket: (await testEngine({}, through_shards ? database : undefined)).socket } : { url }
  const store = { at, database, placements: alternating, ...(mode && { mode }) }
  const warehouse = openWarehouse({ ...options, ...store })
  const clickhouse = connect(store)
  if (through_shards) await createShardTables(clickhouse, database)
  await warehouse.ensureSchema()
  if (through_shards) await placeAll(clickhouse, database, PLACED)
  // An engine's database is removed with its folder.
  after(async () => {
    if (url !== undefined)
      await clickhouse.run(
        `DROP DATABASE ${database}${mode?.name === 'cluster' ? ` ON CLUSTER '${mode.cluster}'` : ''}`,
      )
    await clickhouse.close()
    await warehouse.close()
  })
  const table = `${database}.cdr${through_shards || mode?.name === 'cluster' ? '_local' : ''}`
  return { warehouse, clickhouse, options: store, at, database, table }
}

/** What CLICKHOUSE_TEST_URL leads to: CLICKHOUSE_TEST_CLUSTER names its cluster, CLICKHOUSE_TEST_MODE any other mode than one server. */
function testMode(): StoreMode {
  const cluster = process.env['CLICKHOUSE_TEST_CLUSTER']
  if (cluster !== undefined) return { name: 'cluster', cluster }
  const name = process.env['CLICKHOUSE_TEST_MODE'] ?? 'server'
  if (name === 'server' || name === 'cloud') return { name }
  throw new RangeError(`CLICKHOUSE_TEST_MODE is ${name}, but must be server or cloud`)
}
