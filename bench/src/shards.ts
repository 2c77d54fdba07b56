import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startEngine } from '../../server/src/engines/call-records/chdb/supervisor.ts'
import { connect } from '../../server/src/engines/call-records/clickhouse.ts'
import type { CdrRecord, Warehouse } from '../../server/src/engines/call-records/types.ts'
import { callRecord } from '../../server/src/engines/call-records/testing/records.ts'
import {
  alternating,
  createShardTables,
  SHARDED,
  writeConfig,
} from '../../server/src/engines/call-records/testing/two-shards.ts'
import { openWarehouse } from '../../server/src/engines/call-records/warehouse.ts'
import { compare, formatNumber, type Side } from './report.ts'

/** Records of one insert. */
const batch_rows = 50_000

/**
 * Ingest and export through Distributed tables over two shards, compared with plain tables of the same engine, without HTTP and PostgreSQL,
 * which cost the same in both. Both shards are in one process, so this is the cost of the way to them, not the gain of two servers.
 */
export async function benchShards(rows: number): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-bench-'))
  const database = 'sharded'
  const engine = await startEngine({ folder, config_file: await writeConfig(folder, database) })
  const at = { socket: engine.socket }
  const through = { at, database, mode: SHARDED, placements: alternating }
  const clickhouse = connect(through)
  const stores = { 'two shards': openWarehouse(through), 'one table': openWarehouse({ at, database: 'plain' }) }
  try {
    await createShardTables(clickhouse, database)
    const sides: Side[] = []
    for (const [name, warehouse] of Object.entries(stores)) {
      await warehouse.ensureSchema()
      sides.push({ name, run: (round) => measure(warehouse, round, rows) })
    }
    await compare({
      name: 'shards',
      title: `${formatNumber(rows)} call records of one account, through two shards and directly`,
      measures: [
        { name: 'ingest', unit: 's', digits: 2, ratio: true },
        { name: 'export', unit: 's', digits: 2, ratio: true },
      ],
      sides,
    })
  } finally {
    await clickhouse.close()
    for (const warehouse of Object.values(stores)) await warehouse.close()
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Seconds of inserting the records of a new account, and of exporting them. */
async function measure(warehouse: Warehouse, round: number, rows: number): Promise<[ingest: number, exported: number]> {
  const account_id = String(1000 + round)
  let inserting_ms = 0
  for (let from = 0; from < rows; from += batch_rows) {
    const records = Array.from({ length: Math.min(batch_rows, rows - from) }, (_, n) => call(account_id, from + n))
    const began = performance.now()
    await warehouse.insert(records)
    inserting_ms += performance.now() - began
  }
  const filter = { start_call_start_time: new Date('2025-01-01'), start_call_end_time: new Date('2026-01-01') }
  const began = performance.now()
  const { totals } = await warehouse.export({ account_id, filter }, 'csv', (body) => pipeline(body, discard()), {
    compression: 'gzip',
  })
  if (totals.num_calls !== rows) throw new Error(`${totals.num_calls} of ${rows} call records were exported`)
  return [inserting_ms / 1000, (performance.now() - began) / 1000]
}

const discard = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** A call of one of 28 days. */
function call(account_id: string, n: number): CdrRecord {
  const start_time = new Date(Date.UTC(2025, 2, 1) + ((n * 7919) % 2_419_200) * 1000)
  return callRecord({
    account_id,
    id: `call-${n}`,
    start_time,
    end_time: new Date(start_time.getTime() + 60_000),
    destination: `1206555${String(n % 10_000).padStart(4, '0')}`,
    number_alias: `Office ${n % 50}`,
    callerid: `1425555${String((n * 31) % 10_000).padStart(4, '0')}`,
    duration: 60 + (n % 600),
    billed_duration: 60 + (n % 600),
    cost_subtotal: `0.${String(n % 100_000_000).padStart(8, '0')}`,
  })
}
