/** The call-record store. types.ts has its contract, README.md its design. */

import { applySchema } from './apply-schema.ts'
import { openArchive } from './archive.ts'
import { connect } from './clickhouse.ts'
import { openCold } from './cold.ts'
import { FORMATS } from './columns.ts'
import { SnapshotChanged, WarehouseBusy } from './errors.ts'
import { groupInserts } from './groups.ts'
import { insertGroup, prepareBatch } from './insert.ts'
import { LIMITS } from './limits.ts'
import { layoutOf } from './modes.ts'
import { placing } from './placements.ts'
import { DEFAULT_DATABASE, identifier, schema } from './schema.ts'
import { withPermit, makeSemaphore, type Semaphore } from './concurrency.ts'
import { RecordBlock } from './rows.ts'
import { withServer } from './server-check.ts'
import { openShards } from './shards.ts'
import type { Store } from './slices.ts'
import { readAccounts, readMonthNames, readMonths } from './stored-months.ts'
import { measure, openStream } from './stream.ts'
import { readNewest, summarize } from './summary.ts'
import type {
  Cancelable,
  CdrEstimate,
  CdrFormat,
  CdrQuery,
  CdrStream,
  CdrTotals,
  Exclusively,
  InsertLock,
  StreamOptions,
  Warehouse,
  WarehouseOptions,
  WithJournal,
} from './types.ts'

/** Opens the store. Sends nothing before the first query; `ready` waits for a response. */
export function openWarehouse(options: WarehouseOptions): Warehouse {
  const database = identifier(options.database ?? DEFAULT_DATABASE)
  const { at } = options
  const mode = options.mode ?? { name: 'url' in at ? 'server' : 'embedded' }
  const clickhouse = connect({ ...options, mode })
  const store = { clickhouse, database, slice_rows: options.slice_rows ?? LIMITS.slice_rows }
  const turns = makeSemaphore(1)
  /** All statements of one result go to the same server. */
  const pinned = () => ({ ...store, clickhouse: clickhouse.pinned() })
  const queries = makeSemaphore(options.failFast ? LIMITS.engine_queries : Infinity)
  const exclusively = options.exclusively ?? withoutLock()
  const exports = makeSemaphore(LIMITS.exports)
  const shards = openShards(clickhouse, database, mode)
  const place = placing(shards, options.placements)
  const inserts = groupInserts((group) => insertGroup({ clickhouse, database, exclusively, place }, group))

  const stream = (query: CdrQuery, format: CdrFormat, options: StreamOptions = {}): Promise<CdrStream> => {
    const { compression = 'none', signal } = options
    return streamWithPermit(exports, signal, () => openStream(pinned(), query, { format, compression }, signal))
  }

  const limited = <T>(work: () => Promise<T>): Promise<T> => withPermit(tryAcquire(queries), work)
  const totals = (query: CdrQuery, cancel?: Cancelable): Promise<CdrTotals> =>
    limited(async () => (await measure(pinned(), query, cancel?.signal)).totals)

  return {
    ready: (cancel) => clickhouse.ready(cancel?.signal),
    ensureSchema: async (withJournal = withoutJournal) => {
      if ('url' in at) return await withServer(at, (server) => applySchema(server, mode, database, withJournal))
      const steps = schema(database, layoutOf(mode, database))
      for (const { sql } of steps) await clickhouse.run(sql)
      return { servers: 1, down: 0, applied: steps.map(({ name }) => name) }
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
    count: async (query, cancel) => (await totals(query, cancel)).num_calls,
    totals,
    months: (of, cancel) => limited(() => readMonths(store, of, cancel?.signal)),
    accountsIn: (of, cancel) => limited(() => readAccounts(store, of, cancel?.signal)),
    monthNames: (cancel) => limited(() => readMonthNames(store, cancel?.signal)),
    estimate: (query, cancel) => limited(() => estimate(pinned(), query, cancel?.signal)),
    summarize: (query, grouping, cancel) => limited(() => summarize(store, query, grouping, cancel?.signal)),
    newest: (query, most, cancel) => limited(() => readNewest(store, query, most, cancel?.signal)),
    stream,
    export: (query, format, write, options) => exportUnchanged(() => stream(query, format, options), write),
    close: () => clickhouse.close(),
    shards,
    cold: openCold(store, mode),
    archive: openArchive(store, mode, place),
  }
}

/** Nothing is known to be applied, so that every statement runs. */
const withoutJournal: WithJournal = (_mode, work) => work({ applied: new Map(), record: () => Promise.resolve() })

/** Times of this process's clock, and no ledger. */
function withoutLock(): Exclusively {
  let last_us = 0
  const lock: InsertLock = {
    time: () => Promise.resolve((last_us = Math.max(last_us + 1, Date.now() * 1000))),
    recordStored: () => Promise.resolve(),
    requireLoaded: () => Promise.resolve(),
  }
  return (_accounts, work) => work(lock)
}

/** Opens the export again if its records changed while it was read. */
async function exportUnchanged<T>(
  open: () => Promise<CdrStream>,
  write: (body: CdrStream['body'], totals: CdrTotals, progress: () => number) => Promise<T>,
): Promise<{ totals: CdrTotals; result: T }> {
  for (let attempt = 1; ; attempt += 1) {
    const { body, totals, progress } = await open()
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
