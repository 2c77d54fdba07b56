/** The call-record store. types.ts has its contract, README.md its design. */

import { connect, type ClickHouse } from './clickhouse.ts'
import { FORMATS } from './columns.ts'
import { SnapshotChanged } from './errors.ts'
import { insertBatch, prepareBatch } from './insert.ts'
import { LIMITS } from './limits.ts'
import { DEFAULT_DATABASE, identifier, schema } from './schema.ts'
import { makeSemaphore, makeSerialQueue } from './concurrency.ts'
import { fromClause, openStream, takeSnapshot } from './stream.ts'
import type { CdrEstimate, CdrFormat, CdrQuery, CdrStream, Warehouse, WarehouseOptions } from './types.ts'

/** Opens the store. Nothing is sent before the first query; `ready` waits for it to respond. */
export function openWarehouse(options: WarehouseOptions): Warehouse {
  const database = identifier(options.database ?? DEFAULT_DATABASE)
  const clickhouse = connect(options)
  const serialize = makeSerialQueue()
  const exclusively = options.exclusively ?? ((work) => work())
  const exports = makeSemaphore(LIMITS.exports)

  const stream = (query: CdrQuery, format: CdrFormat, signal: AbortSignal | undefined): Promise<CdrStream> =>
    withPermit(exports, signal, () => openStream(clickhouse, database, query, format, signal))

  return {
    ready: (cancel) => clickhouse.ready(cancel?.signal),
    ensureSchema: async () => {
      for (const statement of schema(database)) await clickhouse.run(statement)
    },
    insert: async (records) => {
      const batch = await prepareBatch(records)
      return await serialize(() => exclusively(() => insertBatch(clickhouse, database, batch)))
    },
    count: (query, cancel) => count(clickhouse, database, query, cancel?.signal),
    estimate: (query, cancel) => estimate(clickhouse, database, query, cancel?.signal),
    stream: (query, format, cancel) => stream(query, format, cancel?.signal),
    export: async (query, format, write, cancel) => {
      for (let attempt = 1; ; attempt += 1) {
        const { body, totals, progress } = await stream(query, format, cancel?.signal)
        let changed = false
        body.once('error', (error) => (changed = error instanceof SnapshotChanged))
        try {
          const result = await write(body, totals, progress)
          if (!body.readableEnded) throw new Error('The writer of an export returned before the end of its body')
          return { totals, result }
        } catch (error) {
          if (!changed || attempt >= LIMITS.export_attempts) throw error
        } finally {
          body.destroy()
        }
      }
    },
    close: () => clickhouse.close(),
  }
}

type Semaphore = ReturnType<typeof makeSemaphore>

/** Holds a permit of the semaphore until the body is closed. */
async function withPermit(
  semaphore: Semaphore,
  signal: AbortSignal | undefined,
  open: () => Promise<CdrStream>,
): Promise<CdrStream> {
  const release = await semaphore(signal)
  try {
    const opened = await open()
    opened.body.once('close', release)
    if (opened.body.destroyed) release()
    return opened
  } catch (error) {
    release()
    throw error
  }
}

async function count(clickhouse: ClickHouse, database: string, query: CdrQuery, signal?: AbortSignal): Promise<number> {
  const [row] = await clickhouse.rows<[string]>(`SELECT toString(count())\n${fromClause(database, query)}`, signal)
  return Number(row?.[0] ?? 0)
}

async function estimate(
  clickhouse: ClickHouse,
  database: string,
  query: CdrQuery,
  signal?: AbortSignal,
): Promise<CdrEstimate> {
  const from = fromClause(database, query)
  const { totals } = await takeSnapshot(clickhouse, from, signal)
  if (totals.num_calls === 0) return { num_calls: 0, total_cost: totals.total_cost, bytes: 0 }
  const lines = `SELECT length(formatRow('CSV', ${FORMATS.csv.select})) AS bytes\n${from}\nLIMIT ${LIMITS.estimate_lines}`
  const [row] = await clickhouse.rows<[number | null]>(`SELECT avg(bytes) FROM (${lines})`, signal)
  return {
    num_calls: totals.num_calls,
    total_cost: totals.total_cost,
    bytes: Math.round((row?.[0] ?? 0) * totals.num_calls),
  }
}
