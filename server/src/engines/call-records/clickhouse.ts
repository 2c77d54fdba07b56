/**
 * ClickHouse client over HTTP, for a server's URL or the embedded engine's Unix socket. Maps every failure to an error of errors.ts. While an
 * engine restarts, retries requests that have not reached it.
 */

import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { openAddresses, type Address } from './addresses.ts'
import { inDatabaseSpan } from '../../platform/traces/outgoing.ts'
import { asWarehouseError, classOf, errorCode, neverConnected } from './client-errors.ts'
import { WarehouseSilent, WarehouseUnavailable } from './errors.ts'
import { LIMITS } from './limits.ts'
import { ROW_FORMAT, rowHeader } from './row-binary.ts'
import type { StoreCompression } from './compression.ts'
import { settingsOf } from './modes.ts'
import type { WarehouseOptions } from './types.ts'

export type ClickHouse = {
  ready: (signal?: AbortSignal) => Promise<void>
  /** Runs a statement that returns nothing. */
  run: (sql: string) => Promise<void>
  /** Rows of a SELECT, each an array of its columns. The SQL must convert 64-bit integers and decimals to text. */
  rows: <Row extends readonly unknown[]>(sql: string, signal?: AbortSignal) => Promise<Row[]>
  /** Bytes of a SELECT with a FORMAT clause. */
  bytes: (sql: string, options: BytesOptions) => Promise<ByteStream>
  /**
   * Inserts the rows of all buffers as one block. `types` by column name. Calls `before` each time before it sends them, and
   * sends nothing if that fails.
   */
  insert: (
    table: string,
    types: Readonly<Record<string, string>>,
    rows: readonly Buffer[],
    before?: () => Promise<void>,
  ) => Promise<void>
  /** Inserts the rows of a Parquet file as one block. Opens it again for each attempt. */
  insertParquet: (
    table: string,
    columns: readonly string[],
    settings: ClickHouseSettings,
    open: () => Promise<Readable>,
  ) => Promise<void>
  /** The same store, at the address that is used now and no other: part names of one replica mean nothing to another. */
  pinned: () => ClickHouse
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

const NOT_OPENED_CODES = new Set(['ENOENT', 'EACCES'])
const RETRY_MS = 100
/** For a file being read. */
const FILE_CHUNK_BYTES = 512 * 1024

/** Which of several addresses is used: the next one after an address was not reachable, for all work that is not pinned. */
type Choice = { now: () => Address; leave: (unreachable: Address) => void }

export function connect(options: WarehouseOptions): ClickHouse {
  const addresses = openAddresses(options)
  let at = 0
  const now = (): Address => {
    const address = addresses[at]
    if (address === undefined) throw new RangeError('A store without an address')
    return address
  }
  const leave = (unreachable: Address): void => {
    if (unreachable === now()) at = (at + 1) % addresses.length
  }
  const open = (choice: Choice): ClickHouse => ({
    ...statements(options, choice),
    pinned: () => {
      const pinned = now()
      return open({ now: () => pinned, leave })
    },
    close: async () => {
      for (const { client } of addresses) await client.close()
    },
  })
  return open({ now, leave })
}

function statements(options: WarehouseOptions, choice: Choice): Omit<ClickHouse, 'pinned' | 'close'> {
  const settings = settingsOf(options.mode ?? { name: 'server' })
  const retrying = <T>(
    summary: string,
    work: (address: Address, over: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> =>
    inDatabaseSpan('clickhouse', summary, () => whenConnected(choice, work, options.wait_ms ?? LIMITS.wait_ms, signal))
  return {
    ready: (signal) => retrying('ready', ({ client }, over) => selectOne(client, over), signal),
    run: (sql) =>
      retrying('command', ({ client }, over) =>
        client.command({ query: sql, abort_signal: over, clickhouse_settings: settings.ddl }),
      ).then(() => undefined),
    rows: (sql, signal) => retrying('select rows', ({ client }, over) => selectRows(client, sql, over), signal),
    bytes: (sql, options) =>
      retrying('select bytes', (address, over) => bytesOf(address, sql, options, over), options.signal),
    insert: (table, types, rows, before) =>
      retrying(`insert ${table}`, async ({ client }, over) => {
        await before?.()
        const values = Readable.from([rowHeader(types), ...rows], { objectMode: false })
        const into = `${table} (${Object.keys(types).join(', ')}) FORMAT ${ROW_FORMAT}`
        await insertInto(client, into, values, settings.insert, over)
      }),
    insertParquet: (table, columns, more, open) =>
      retrying(`insert ${table}`, async ({ client }, over) => {
        const into = `${table} (${columns.join(', ')}) FORMAT Parquet`
        await insertInto(client, into, await open(), { ...settings.insert, ...more }, over)
      }),
  }
}

/** Another process's engine may keep its files where this process cannot open them. */
async function bytesOf(address: Address, sql: string, options: BytesOptions, over: AbortSignal): Promise<ByteStream> {
  const { client, opens_files } = address
  try {
    return await selectBytes(client, sql, { ...options, opens_files }, over)
  } catch (error) {
    if (!opens_files || !NOT_OPENED_CODES.has(errorCode(error))) throw error
    address.opens_files = false
    return await selectBytes(client, sql, { ...options, opens_files: false }, over)
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

export const INSERT_SETTINGS = {
  // The response must mean "on disk", so the server must not buffer.
  async_insert: 0,
  max_execution_time: LIMITS.insert_seconds,
  // One statement is one block, which is inserted atomically.
  max_insert_threads: '1',
  // The block contains no duplicates to merge.
  optimize_on_insert: 0,
  // Imports of old records may span any number of months.
  max_partitions_per_insert_block: '0',
} satisfies ClickHouseSettings

async function insertInto(
  client: ClickHouseClient,
  into: string,
  values: Readable,
  settings: ClickHouseSettings,
  signal: AbortSignal,
): Promise<void> {
  const response = await client.exec({
    query: `INSERT INTO ${into}`,
    values,
    abort_signal: signal,
    clickhouse_settings: { ...INSERT_SETTINGS, ...settings },
  })
  for await (const _ of response.stream);
}

/**
 * Retries `work` while the connection is refused, which is safe because the request has not arrived, at the next address if there are
 * several; and an insert while an earlier one lacks its quorum.
 */
async function whenConnected<T>(
  choice: Choice,
  work: (address: Address, over: AbortSignal) => Promise<T>,
  wait_ms: number,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + wait_ms
  for (;;) {
    signal?.throwIfAborted()
    const address = choice.now()
    try {
      return await address.unlessSilent((over) => work(address, over), signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof WarehouseUnavailable) {
        if (error instanceof WarehouseSilent) choice.leave(address)
        throw error
      }
      const refused = neverConnected(error)
      if (refused) choice.leave(address)
      const retries = refused || classOf(error) === 'again'
      if (!retries || performance.now() > deadline) throw asWarehouseError(error)
      await sleep(RETRY_MS, undefined, signal && { signal })
    }
  }
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
