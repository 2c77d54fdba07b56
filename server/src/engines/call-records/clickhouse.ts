/**
 * ClickHouse client over HTTP, for a server's URL or the embedded engine's Unix socket. Maps every failure to an error of errors.ts. While an
 * engine restarts, retries requests that have not reached it.
 */

import { open } from 'node:fs/promises'
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
import { storeError, WarehouseUnavailable } from './errors.ts'
import { LIMITS } from './limits.ts'
import { ROW_FORMAT, rowHeader } from './row-binary.ts'
import type { StoreCompression } from './compression.ts'
import { watchSilence, type UnlessSilent } from './silence.ts'
import type { WarehouseOptions } from './types.ts'

export type ClickHouse = {
  ready: (signal?: AbortSignal) => Promise<void>
  /** Runs a statement that returns nothing. */
  run: (sql: string) => Promise<void>
  /** Rows of a SELECT, each an array of its columns. The SQL must convert 64-bit integers and decimals to text. */
  rows: <Row extends readonly unknown[]>(sql: string, signal?: AbortSignal) => Promise<Row[]>
  /** Bytes of a SELECT with a FORMAT clause. */
  bytes: (sql: string, options: BytesOptions) => Promise<ByteStream>
  /** Inserts the rows of all buffers as one block. `types` by column name. */
  insert: (table: string, types: Readonly<Record<string, string>>, rows: readonly Buffer[]) => Promise<void>
  close: () => Promise<void>
}

export type BytesOptions = {
  settings: ClickHouseSettings
  query_class: QueryClass
  compression: StoreCompression
  /** Ends the query, or destroys its stream. */
  signal?: AbortSignal
}
/**
 * Compressed as requested. `tag` delimits an exception that the server may append to the bytes. `complete`: the query has ended
 * and all of its bytes are available.
 */
export type ByteStream = { stream: Readable; tag: string | undefined; complete: boolean }

/** Exports use separate sessions in the embedded engine, because slow readers could occupy all sessions. */
export type QueryClass = 'query' | 'export'

/** Query id prefix by which the embedded engine recognizes an export. */
export const EXPORT_QUERY_PREFIX = 'export-'

/**
 * With this request header, the embedded engine responds with the path of a file instead of sending its bytes through a socket.
 */
export const FILE_HEADER = 'x-engine-file'

/** ClickHouse errors that are transient: too many queries, network between replicas, aborted, read-only replica, too many parts. */
const TRANSIENT_CODES = new Set(['202', '209', '210', '236', '242', '252', '279', '425', '999'])

const NOT_CONNECTED_CODES = new Set(['ECONNREFUSED', 'ENOENT'])
const NOT_OPENED_CODES = new Set(['ENOENT', 'EACCES'])
const RETRY_MS = 100
/** Of a file that is read. */
const FILE_CHUNK_BYTES = 512 * 1024

export function connect(options: WarehouseOptions): ClickHouse {
  const client = makeClient(options.at)
  const unlessSilent: UnlessSilent = options.failFast
    ? watchSilence(options.at)
    : (work, signal = new AbortController().signal) => work(signal)
  // another process's engine may keep its files where this process cannot open them
  let opens_files = 'socket' in options.at
  const bytes = async (sql: string, options: BytesOptions, over: AbortSignal): Promise<ByteStream> => {
    try {
      return await selectBytes(client, sql, { ...options, opens_files }, over)
    } catch (error) {
      if (!opens_files || !NOT_OPENED_CODES.has(errorCode(error))) throw error
      opens_files = false
      return await selectBytes(client, sql, { ...options, opens_files }, over)
    }
  }
  const retrying = <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    whenConnected(() => unlessSilent(work, signal), options.wait_ms ?? LIMITS.wait_ms, signal)

  return {
    ready: (signal) => retrying((over) => selectOne(client, over), signal),
    run: (sql) => retrying((over) => client.command({ query: sql, abort_signal: over })).then(() => undefined),
    rows: (sql, signal) => retrying((over) => selectRows(client, sql, over), signal),
    bytes: (sql, options) => retrying((over) => bytes(sql, options, over), options.signal),
    insert: (table, types, rows) => retrying((over) => insertRows(client, table, types, rows, over)),
    close: () => client.close(),
  }
}

/** Maps the error of an interrupted stream to one of errors.ts. */
export function streamError(cause: unknown): Error {
  return new WarehouseUnavailable(`The call-record store interrupted the response: ${message(cause)}`, { cause })
}

function makeClient(at: WarehouseOptions['at']): ClickHouseClient {
  const common = {
    // An idle timeout would end a long query or a slow reader.
    request_timeout: LIMITS.export_seconds * 1000,
    max_open_connections: 16,
    application: 'demarc',
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: LIMITS.query_seconds,
      max_memory_usage: String(LIMITS.query_memory_bytes),
      max_bytes_before_external_sort: String(LIMITS.query_memory_bytes / 4),
      max_bytes_before_external_group_by: String(LIMITS.query_memory_bytes / 4),
      // Reading in key order opens every part at once; sorting reads one after the other.
      optimize_read_in_order: 0,
      max_query_size: String(LIMITS.sql_bytes),
    } satisfies ClickHouseSettings,
  }
  if ('url' in at) return createClient({ ...common, url: at.url })
  const agent = new SocketAgent(at.socket)
  return createClient({ ...common, url: 'http://cdr-engine', http_agent: agent, keep_alive: { enabled: false } })
}

/** One connection per request: cheap on a Unix socket and never stale after an engine restart. */
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

async function selectOne(client: ClickHouseClient, signal: AbortSignal): Promise<void> {
  await selectRows(client, 'SELECT 1', signal)
}

async function selectRows<Row extends readonly unknown[]>(
  client: ClickHouseClient,
  sql: string,
  signal: AbortSignal,
): Promise<Row[]> {
  const response = await client.query({
    query: sql,
    format: 'JSONCompactEachRow',
    abort_signal: signal,
  })
  // Without a type parameter the rows would be `unknown[]`: the SQL determines the columns.
  return response.json<Row>()
}

async function selectBytes(
  client: ClickHouseClient,
  sql: string,
  { settings, query_class, compression, signal, opens_files }: BytesOptions & { opens_files: boolean },
  over: AbortSignal,
): Promise<ByteStream> {
  const response = await client.exec({
    query: sql,
    query_id: `${query_class === 'export' ? EXPORT_QUERY_PREFIX : 'query-'}${crypto.randomUUID()}`,
    clickhouse_settings: {
      ...settings,
      ...(compression === 'gzip' && GZIP_SETTINGS),
      max_execution_time: LIMITS.export_seconds,
    },
    http_headers: {
      ...(compression === 'gzip' && { 'Accept-Encoding': compression }),
      ...(opens_files && { [FILE_HEADER]: 'accepted' }),
    },
    decompress_response_stream: false,
    abort_signal: over,
  })
  const headers = response.response_headers
  const encoding = header(headers['content-encoding']) ?? 'none'
  if (encoding !== compression) {
    response.stream.destroy()
    throw new WarehouseUnavailable(`The call-record store sent ${encoding} instead of ${compression}`)
  }
  const path = header(headers[FILE_HEADER])
  const stream = path === undefined ? response.stream : await openHandedOver(decodeURIComponent(path), response.stream)
  const destroy = (): void => {
    stream.destroy()
  }
  signal?.addEventListener('abort', destroy, { once: true })
  stream.once('close', () => signal?.removeEventListener('abort', destroy))
  if (signal?.aborted) destroy()
  return {
    stream,
    tag: header(headers['x-clickhouse-exception-tag']),
    // only a complete response has a length or a file
    complete: path !== undefined || headers['content-length'] !== undefined,
  }
}

/** Ends the response once the file is open, which tells the engine to unlink it. */
async function openHandedOver(path: string, response: Readable): Promise<Readable> {
  try {
    return (await open(path)).createReadStream({ highWaterMark: FILE_CHUNK_BYTES })
  } finally {
    response.destroy()
  }
}

/** For the HTTP interface and for the files that the embedded engine writes. */
const GZIP_SETTINGS: ClickHouseSettings = {
  enable_http_compression: 1,
  http_zlib_compression_level: String(LIMITS.gzip_level),
  output_format_compression_level: String(LIMITS.gzip_level),
}

async function insertRows(
  client: ClickHouseClient,
  table: string,
  types: Readonly<Record<string, string>>,
  rows: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  const response = await client.exec({
    query: `INSERT INTO ${table} (${Object.keys(types).join(', ')}) FORMAT ${ROW_FORMAT}`,
    values: Readable.from([rowHeader(types), ...rows], { objectMode: false }),
    abort_signal: signal,
    clickhouse_settings: {
      // The response must mean "on disk", so the server must not buffer.
      async_insert: 0,
      max_execution_time: LIMITS.insert_seconds,
      // One statement is one block, which is inserted atomically.
      max_insert_threads: '1',
      // The block contains no duplicates to merge.
      optimize_on_insert: 0,
      // Imports of old records may span any number of months.
      max_partitions_per_insert_block: '0',
    },
  })
  for await (const _ of response.stream);
}

/** Retries `work` while the connection is refused, which is safe because the request has not arrived. */
async function whenConnected<T>(work: () => Promise<T>, wait_ms: number, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + wait_ms
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof WarehouseUnavailable) throw error
      if (!neverConnected(error)) throw asWarehouseError(error)
      if (performance.now() > deadline) throw asWarehouseError(error)
      await sleep(RETRY_MS, undefined, signal && { signal })
    }
  }
}

/**
 * Maps ClickHouse's errors by code; any other failure comes from the network or the engine. ClickHouse quotes the statement,
 * including a customer's search terms, which must not be logged, so this discards the original error and most of its message.
 */
function asWarehouseError(error: unknown): Error {
  if (error instanceof ClickHouseError) {
    const text = loggable(error.message)
    if (TRANSIENT_CODES.has(error.code)) return new WarehouseUnavailable(`The call-record store is busy: ${text}`)
    return storeError(`The call-record store returned an error: ${text}`, error.message, error.code)
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error
  return new WarehouseUnavailable(`The call-record store does not respond: ${message(error)}`, { cause: error })
}

/** The part of ClickHouse's message before the quoted statement, on one line. */
export function loggable(message: string): string {
  const [before = ''] = message.split(/ in scope |: while |: In scope | before: | \(at row |unhex\(|SELECT /)
  return before.replaceAll(/\s+/g, ' ').slice(0, 300)
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether nothing was sent: the socket is missing, nothing listens on it, or it was closed before accepting the connection. */
const neverConnected = (error: unknown) =>
  NOT_CONNECTED_CODES.has(errorCode(error)) ||
  (errorCode(error) === 'ECONNRESET' && error instanceof Error && 'syscall' in error && error.syscall === 'connect')

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
