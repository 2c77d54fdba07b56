/**
 * Talks to ClickHouse over HTTP: a server by its URL, or our own engine over its Unix socket. Turns every failure into one of errors.ts, and
 * waits out an engine that is restarting, as long as the request has not reached it.
 */

import { Agent } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { Readable, type Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
} from '@clickhouse/client'
import { WarehouseFailed, WarehouseUnavailable } from './errors.ts'
import { LIMITS } from './limits.ts'
import type { WarehouseOptions } from './types.ts'

export type ClickHouse = {
  ready: (signal?: AbortSignal) => Promise<void>
  /** Runs a statement that answers nothing. */
  run: (sql: string) => Promise<void>
  /** Rows of a SELECT as arrays of its columns. Have the SQL turn 64-bit integers and decimals into text. */
  rows: <Row extends readonly unknown[]>(sql: string, signal?: AbortSignal) => Promise<Row[]>
  /** Bytes of a SELECT with a FORMAT clause; `tag` marks an exception that the server may append to them. */
  bytes: (
    sql: string,
    settings: ClickHouseSettings,
    lane: Lane,
  ) => Promise<{ stream: Readable; tag: string | undefined }>
  /** Inserts JSONCompactEachRow lines. */
  insert: (table: string, columns: readonly string[], lines: Buffer) => Promise<void>
  close: () => Promise<void>
}

/** Exports have a lane of their own in the embedded engine, so that slow readers cannot take all of it. */
export type Lane = 'query' | 'export'

/** The prefix by which the embedded engine tells an export. */
export const EXPORT_LANE = 'export-'

/** Errors of ClickHouse that say "not now" rather than "never": too many queries, network between replicas, aborted, read-only replica, too many parts. */
const PASSING = new Set(['202', '209', '210', '236', '242', '252', '279', '425', '999'])

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT'])
const RETRY_MS = 100

export function connect(options: WarehouseOptions): ClickHouse {
  const client = makeClient(options.at)
  const patient = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    whenConnected(work, options.wait_ms ?? LIMITS.wait_ms, signal)

  return {
    ready: (signal) => patient(() => selectOne(client, signal), signal),
    run: (sql) => patient(() => client.command({ query: sql })).then(() => undefined),
    rows: (sql, signal) => patient(() => selectRows(client, sql, signal), signal),
    bytes: (sql, settings, lane) =>
      patient(async () => {
        const answer = await client.exec({
          query: sql,
          query_id: `${lane === 'export' ? EXPORT_LANE : 'query-'}${crypto.randomUUID()}`,
          clickhouse_settings: { ...settings, max_execution_time: LIMITS.export_seconds },
        })
        return { stream: answer.stream, tag: header(answer.response_headers['x-clickhouse-exception-tag']) }
      }),
    insert: (table, columns, lines) => patient(() => insertLines(client, table, columns, lines)),
    close: () => client.close(),
  }
}

/** What broke off a stream, as one of our errors. */
export function streamFault(cause: unknown): Error {
  return new WarehouseUnavailable(`The call-record store broke off: ${message(cause)}`, { cause })
}

function makeClient(at: WarehouseOptions['at']): ClickHouseClient {
  const common = {
    // Silence between bytes. A query that computes, or a reader that is slow, may keep a socket silent for long.
    request_timeout: LIMITS.export_seconds * 1000,
    max_open_connections: 16,
    application: 'demarc',
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: LIMITS.query_seconds,
      max_memory_usage: String(LIMITS.query_memory_bytes),
      max_bytes_before_external_sort: String(LIMITS.query_memory_bytes / 2),
      max_bytes_before_external_group_by: String(LIMITS.query_memory_bytes / 2),
      max_query_size: String(LIMITS.sql_bytes),
    },
  }
  if ('url' in at) return createClient({ ...common, url: at.url })
  const agent = new SocketAgent(at.socket)
  return createClient({ ...common, url: 'http://cdr-engine', http_agent: agent, keep_alive: { enabled: false } })
}

/** A connection per request: on a Unix socket it costs next to nothing, and no idle one can be stale after a restart. */
class SocketAgent extends Agent {
  readonly #socket: string

  constructor(socket: string) {
    super({ keepAlive: false })
    this.#socket = socket
  }

  override createConnection(): Duplex {
    return connectSocket(this.#socket)
  }
}

async function selectOne(client: ClickHouseClient, signal?: AbortSignal): Promise<void> {
  await selectRows(client, 'SELECT 1', signal)
}

async function selectRows<Row extends readonly unknown[]>(
  client: ClickHouseClient,
  sql: string,
  signal?: AbortSignal,
): Promise<Row[]> {
  const answer = await client.query({
    query: sql,
    format: 'JSONCompactEachRow',
    ...(signal && { abort_signal: signal }),
  })
  // An answer without a type parameter would be `unknown[]`: the caller's SQL says what its columns are.
  return answer.json<Row>()
}

async function insertLines(
  client: ClickHouseClient,
  table: string,
  columns: readonly string[],
  lines: Buffer,
): Promise<void> {
  const answer = await client.exec({
    query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
    values: Readable.from([lines], { objectMode: false }),
    clickhouse_settings: {
      // The answer must mean "on disk", so no buffering on the server's side.
      async_insert: 0,
      max_execution_time: LIMITS.insert_seconds,
      // One statement, one block: what its token names is then all of it.
      input_format_parallel_parsing: 0,
      // Imports of old records may span any number of months.
      max_partitions_per_insert_block: '0',
    },
  })
  for await (const _ of answer.stream);
}

/**
 * Runs `work`, again and again while nobody listens where the store should be: such a request has not arrived, so repeating it is safe.
 */
async function whenConnected<T>(work: () => Promise<T>, wait_ms: number, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + wait_ms
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (!NOT_CONNECTED.has(errorCode(error))) throw named(error)
      if (performance.now() > deadline) throw named(error)
      await sleep(RETRY_MS, undefined, signal && { signal })
    }
  }
}

/**
 * ClickHouse's own errors by their number; whatever else goes wrong with a request is the network or the engine. ClickHouse quotes the
 * statement, and with it what a customer searched for: that goes into no log, so neither the whole message nor the error itself is kept.
 */
function named(error: unknown): Error {
  if (error instanceof ClickHouseError) {
    const said = quotable(error.message)
    if (PASSING.has(error.code)) return new WarehouseUnavailable(`The call-record store is busy: ${said}`)
    return new WarehouseFailed(`The call-record store refused: ${said}`, error.code)
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error
  return new WarehouseUnavailable(`The call-record store does not answer: ${message(error)}`, { cause: error })
}

/** The part of ClickHouse's message before it quotes the statement, in one line. */
export function quotable(said: string): string {
  const [before = ''] = said.split(/ in scope |: while |: In scope | before: | \(at row |unhex\(|SELECT /)
  return before.replaceAll(/\s+/g, ' ').slice(0, 300)
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
