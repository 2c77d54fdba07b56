/** The call-record store. types.ts has its contract, README.md its design. */

import { connect } from './clickhouse.ts'
import { FORMATS } from './columns.ts'
import { SnapshotChanged, WarehouseBusy } from './errors.ts'
import { groupInserts } from './groups.ts'
import { insertGroup, prepareBatch } from './insert.ts'
import { LIMITS } from './limits.ts'
import { DEFAULT_DATABASE, identifier, schema } from './schema.ts'
import { withPermit, makeSemaphore, type Semaphore } from './concurrency.ts'
import { RecordBlock } from './rows.ts'
import type { Store } from './slices.ts'
import { measure, openStream } from './stream.ts'
import { readNewest, summarize } from './summary.ts'
import type {
  CdrEstimate,
  CdrFormat,
  CdrQuery,
  CdrStream,
  StreamOptions,
  Warehouse,
  WarehouseOptions,
} from './types.ts'

/** Opens the store. Sends nothing before the first query; `ready` waits for a response. */
export function openWarehouse(options: WarehouseOptions): Warehouse {
  const database = identifier(options.database ?? DEFAULT_DATABASE)
  const clickhouse = connect(options)
  const store = { clickhouse, database, slice_rows: options.slice_rows ?? LIMITS.slice_rows }
  const turns = makeSemaphore(1)
  const queries = makeSemaphore(options.failFast ? LIMITS.engine_queries : Infinity)
  const exclusively = options.exclusively ?? ((work) => work())
  const exports = makeSemaphore(LIMITS.exports)
  const inserts = groupInserts((group) => exclusively(() => insertGroup(clickhouse, database, group)))

  const stream = (query: CdrQuery, format: CdrFormat, options: StreamOptions = {}): Promise<CdrStream> => {
    const { compression = 'none', signal } = options
    return streamWithPermit(exports, signal, () => openStream(store, query, { format, compression }, signal))
  }

  return {
    ready: (cancel) => clickhouse.ready(cancel?.signal),
    ensureSchema: async () => {
      for (const statement of schema(database)) await clickhouse.run(statement)
    },
    insert: async (records, { soon = false } = {}) => {
      const outcome = { accepted: 0, duplicates: 0 }
      const blocks = records instanceof RecordBlock ? [records] : await prepareBatch(records)
      for (const block of blocks) {
        const { accepted, duplicates } = await inserts(block, (signal) =>
          soon && options.failFast ? tryAcquire(turns, signal) : turns(signal),
        )
        outcome.accepted += accepted
        outcome.duplicates += duplicates
      }
      return outcome
    },
    count: (query, cancel) =>
      withPermit(tryAcquire(queries), async () => (await measure(store, query, cancel?.signal)).totals.num_calls),
    estimate: (query, cancel) => withPermit(tryAcquire(queries), () => estimate(store, query, cancel?.signal)),
    summarize: (query, grouping, cancel) =>
      withPermit(tryAcquire(queries), () => summarize(store, query, grouping, cancel?.signal)),
    newest: (query, most, cancel) =>
      withPermit(tryAcquire(queries), () => readNewest(store, query, most, cancel?.signal)),
    stream,
    export: async (query, format, write, options) => {
      for (let attempt = 1; ; attempt += 1) {
        const { body, totals, progress } = await stream(query, format, options)
        let changed = false
        body.once('error', (error) => (changed = error instanceof SnapshotChanged))
        try {
          const result = await write(body, totals, progress)
          if (!body.readableEnded) throw new Error('The export writer returned before reading the whole body')
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

/** Throws WarehouseBusy instead of waiting long. */
async function tryAcquire(semaphore: Semaphore, signal?: AbortSignal): Promise<() => void> {
  const soon = AbortSignal.timeout(LIMITS.turn_ms)
  try {
    return await semaphore(signal ? AbortSignal.any([signal, soon]) : soon, LIMITS.turn_waiting)
  } catch (error) {
    signal?.throwIfAborted()
    throw new WarehouseBusy('The call-record store is overloaded', { cause: error })
  }
}

/** Holds a permit of the semaphore until the body is closed. */
async function streamWithPermit(
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

async function estimate(store: Store, query: CdrQuery, signal?: AbortSignal): Promise<CdrEstimate> {
  const { parts, totals } = await measure(store, query, signal)
  const some = parts.find(({ expected }) => expected.totals.num_calls > 0)
  if (some === undefined) return { num_calls: 0, total_cost: totals.total_cost, bytes: 0 }
  const lines = `SELECT length(formatRow('CSV', ${FORMATS.csv.select})) AS bytes\n${some.from}\nLIMIT ${LIMITS.estimate_lines}`
  const [row] = await store.clickhouse.rows<[number | null]>(`SELECT avg(bytes) FROM (${lines})`, signal)
  return {
    num_calls: totals.num_calls,
    total_cost: totals.total_cost,
    bytes: Math.round((row?.[0] ?? 0) * totals.num_calls),
  }
}
