/** The addresses of a store: one socket, or one or several URLs of servers that are used one after the other. */

import { Agent } from 'node:http'
import { connect as connectSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ClickHouseLogLevel, createClient, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client'
import { LIMITS } from './limits.ts'
import { settingsOf } from './modes.ts'
import { watchSilence, type UnlessSilent } from './silence.ts'
import type { WarehouseOptions } from './types.ts'

export type Address = {
  client: ClickHouseClient
  unlessSilent: UnlessSilent
  /** Whether the embedded engine may hand over files. False once another user's files could not be opened. */
  opens_files: boolean
}

/** A URL without its user and password, for messages. */
export function withoutCredentials(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

export function openAddresses({ at, mode = { name: 'server' }, failFast = false }: WarehouseOptions): Address[] {
  const { all } = settingsOf(mode)
  if ('socket' in at)
    return [{ client: socketClient(at.socket, all), unlessSilent: watch(at, failFast), opens_files: true }]
  const urls = [at.url, ...(at.others ?? [])]
  return urls.map((url) => ({
    client: createClient({ ...optionsOf(all), url, ...tlsOf(at) }),
    // with several, background work must notice a silent one too, to use the next
    unlessSilent: watch({ url }, failFast || urls.length > 1),
    opens_files: false,
  }))
}

/** A client that sends no settings, which an old server may not know. */
export const plainClient = (url: string, at: { ca?: string }): ClickHouseClient =>
  createClient({ url, ...tlsOf(at), request_timeout: LIMITS.check_ms, log: { level: ClickHouseLogLevel.OFF } })

const tlsOf = ({ ca }: { ca?: string }) => (ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } })

const watch = (at: { url: string } | { socket: string }, watches: boolean): UnlessSilent =>
  watches ? watchSilence(at) : (work, signal = new AbortController().signal) => work(signal)

/** Settings of every statement. */
export const STATEMENT_SETTINGS = {
  max_execution_time: LIMITS.query_seconds,
  max_memory_usage: String(LIMITS.query_memory_bytes),
  max_bytes_before_external_sort: String(LIMITS.query_memory_bytes / 4),
  max_bytes_before_external_group_by: String(LIMITS.query_memory_bytes / 4),
  // Reading in key order opens every part at once; sorting reads one after the other.
  optimize_read_in_order: 0,
  max_query_size: String(LIMITS.sql_bytes),
} satisfies ClickHouseSettings

const optionsOf = (mode_settings: ClickHouseSettings) => ({
  // An idle timeout would end a long query or a slow reader.
  request_timeout: LIMITS.export_seconds * 1000,
  max_open_connections: 16,
  application: 'demarc',
  log: { level: ClickHouseLogLevel.OFF },
  clickhouse_settings: { ...STATEMENT_SETTINGS, ...mode_settings },
})

const socketClient = (socket: string, settings: ClickHouseSettings): ClickHouseClient =>
  createClient({
    ...optionsOf(settings),
    url: 'http://cdr-engine',
    http_agent: new SocketAgent(socket),
    keep_alive: { enabled: false },
  })

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
