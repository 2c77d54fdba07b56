/** The call-record store. types.ts says what it promises; README.md how it keeps it. */

import { connect, type ClickHouse } from './clickhouse.ts'
import { SPELLINGS } from './columns.ts'
import { SnapshotMoved } from './errors.ts'
import { findExisting, insertBatch, prepareBatch } from './insert.ts'
import { LIMITS } from './limits.ts'
import { DEFAULT_DATABASE, identifier, schema } from './schema.ts'
import { makeGate, makeQueue } from './gate.ts'
import { narrowed, openStream, SORTED, takeSnapshot } from './stream.ts'
import type { CdrEstimate, CdrFormat, CdrQuery, CdrRow, CdrStream, Warehouse, WarehouseOptions } from './types.ts'

/** Opens the store. Nothing is sent before the first call; `ready` waits for it to answer. */
export function openWarehouse(options: WarehouseOptions): Warehouse {
  const database = identifier(options.database ?? DEFAULT_DATABASE)
  const clickhouse = connect(options)
  const oneAtATime = makeQueue()
  const exclusively = options.exclusively ?? ((work) => work())
  const exports = makeGate(LIMITS.exports)

  const stream = (query: CdrQuery, format: CdrFormat, signal: AbortSignal | undefined): Promise<CdrStream> =>
    gated(exports, signal, () => openStream(clickhouse, database, query, format, signal))

  return {
    ready: (cancel) => clickhouse.ready(cancel?.signal),
    ensureSchema: async () => {
      for (const statement of schema(database)) await clickhouse.run(statement)
    },
    insert: async (records) => {
      const batch = await prepareBatch(records)
      return await oneAtATime(() => exclusively(() => insertBatch(clickhouse, database, batch)))
    },
    existingIds: (account_id, ids) => findExisting(clickhouse, database, account_id, ids),
    count: (query, cancel) => count(clickhouse, database, query, cancel?.signal),
    totals: async (query, cancel) => (await takeSnapshot(clickhouse, narrowed(database, query), cancel?.signal)).totals,
    estimate: (query, cancel) => estimate(clickhouse, database, query, cancel?.signal),
    sample: (query, limit, cancel) => sample(clickhouse, database, query, limit, cancel?.signal),
    stream: (query, format, cancel) => stream(query, format, cancel?.signal),
    export: async (query, format, write, cancel) => {
      for (let attempt = 1; ; attempt += 1) {
        const { body, totals, progress } = await stream(query, format, cancel?.signal)
        let moved = false
        body.once('error', (error) => (moved = error instanceof SnapshotMoved))
        try {
          const result = await write(body, totals, progress)
          if (!body.readableEnded) throw new Error('The writer of an export returned before the end of its body')
          return { totals, result }
        } catch (error) {
          if (!moved || attempt >= LIMITS.export_attempts) throw error
        } finally {
          body.destroy()
        }
      }
    },
    close: () => clickhouse.close(),
  }
}

type Gate = ReturnType<typeof makeGate>

/** Holds a place at the gate until the body is done with. */
async function gated(gate: Gate, signal: AbortSignal | undefined, open: () => Promise<CdrStream>): Promise<CdrStream> {
  const leave = await gate(signal)
  try {
    const opened = await open()
    opened.body.once('close', leave)
    if (opened.body.destroyed) leave()
    return opened
  } catch (error) {
    leave()
    throw error
  }
}

async function count(clickhouse: ClickHouse, database: string, query: CdrQuery, signal?: AbortSignal): Promise<number> {
  const [row] = await clickhouse.rows<[string]>(`SELECT toString(count())\n${narrowed(database, query)}`, signal)
  return Number(row?.[0] ?? 0)
}

async function estimate(
  clickhouse: ClickHouse,
  database: string,
  query: CdrQuery,
  signal?: AbortSignal,
): Promise<CdrEstimate> {
  const from = narrowed(database, query)
  const { totals } = await takeSnapshot(clickhouse, from, signal)
  if (totals.num_calls === 0) return { num_calls: 0, total_cost: totals.total_cost, bytes: 0 }
  const lines = `SELECT length(formatRow('CSV', ${SPELLINGS.csv.select})) AS bytes\n${from}\nLIMIT ${LIMITS.estimate_lines}`
  const [row] = await clickhouse.rows<[number | null]>(`SELECT avg(bytes) FROM (${lines})`, signal)
  return {
    num_calls: totals.num_calls,
    total_cost: totals.total_cost,
    bytes: Math.round((row?.[0] ?? 0) * totals.num_calls),
  }
}

async function sample(
  clickhouse: ClickHouse,
  database: string,
  query: CdrQuery,
  limit: number,
  signal?: AbortSignal,
): Promise<CdrRow[]> {
  const { select, settings, format } = SPELLINGS.ndjson
  const rows = Math.max(0, Math.trunc(limit))
  const sql = `SELECT ${select}\n${narrowed(database, query)}\n${SORTED}\nLIMIT ${rows}\nFORMAT ${format}`
  const { stream } = await clickhouse.bytes(sql, settings, 'query')
  signal?.addEventListener('abort', () => stream.destroy(), { once: true })
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  signal?.throwIfAborted()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CdrRow)
}
