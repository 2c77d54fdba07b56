/**
 * Checks a ClickHouse server before anything is sent to it that it may not know: its version, that it is what CLICKHOUSE_MODE says, the
 * settings that Demarc sends, and the rights of its user. Throws WarehouseRefused with what to do.
 */

import { text } from 'node:stream/consumers'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { plainClient, STATEMENT_SETTINGS, withoutCredentials } from './addresses.ts'
import { asWarehouseError, errorCode, neverConnected } from './client-errors.ts'
import { INSERT_SETTINGS } from './clickhouse.ts'
import { WarehouseFailed, WarehouseRefused, WarehouseUnavailable } from './errors.ts'
import { clusterOf, settingsOf, type StoreMode } from './modes.ts'
import { DEFAULT_DATABASE } from './schema.ts'
import type { ServerAddress } from './types.ts'

/** The oldest version that the client library supports. */
export const MINIMUM_VERSION = [24, 8] as const

const PAGE = 'See docs/operate/call-records.md.'

/** A server that responds to plain SQL without settings. `rows`: cells as text, in columns without tabs or line feeds. */
export type Server = {
  name: string
  rows: (sql: string, settings?: ClickHouseSettings) => Promise<string[][]>
}

/** Runs work with the first of the URLs that is reachable. */
export async function withServer<T>(at: ServerAddress, work: (server: Server) => Promise<T>): Promise<T> {
  const urls = [at.url, ...(at.others ?? [])]
  for (const [nth, url] of urls.entries()) {
    const client = plainClient(url, at)
    try {
      return await work(serverOf(client, withoutCredentials(url)))
    } catch (error) {
      if (!(error instanceof NotReached) || nth === urls.length - 1) throw error
    } finally {
      await client.close()
    }
  }
  throw new RangeError('A store without an address')
}

/** Nothing listens there. */
class NotReached extends WarehouseUnavailable {}

const serverOf = (client: ClickHouseClient, name: string): Server => ({
  name,
  rows: async (sql, clickhouse_settings = {}) => {
    try {
      const { stream } = await client.exec({ query: `${sql} FORMAT TabSeparated`, clickhouse_settings })
      const lines = (await text(stream)).split('\n').slice(0, -1)
      return lines.map((line) => line.split('\t'))
    } catch (error) {
      throw explained(error, name)
    }
  },
})

/** Errors of a connection or of its user that only the operator can fix, by Node's or ClickHouse's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  '516': 'did not accept the user and password in CLICKHOUSE_URL.',
  '194': 'requires a password: add it to CLICKHOUSE_URL.',
  '193': 'did not accept the password in CLICKHOUSE_URL.',
  '192': 'does not know the user in CLICKHOUSE_URL.',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of a private authority: set CLICKHOUSE_CA_FILE to its certificate.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate: set CLICKHOUSE_CA_FILE to it.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'has a certificate of an unknown authority: set CLICKHOUSE_CA_FILE to its certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'has a certificate of an unknown authority: set CLICKHOUSE_CA_FILE to its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host name.',
  CERT_HAS_EXPIRED: 'has an expired certificate.',
  EPROTO: 'does not speak TLS on this port, or no version that Node accepts.',
}

function explained(error: unknown, name: string): Error {
  const remedy = REMEDIES[errorCode(error)]
  // ClickHouse's own text names the user
  if (remedy !== undefined) return new WarehouseRefused(`ClickHouse at ${name} ${remedy} ${PAGE}`)
  if (neverConnected(error))
    return new NotReached(`Nothing responds at ${name} (${errorCode(error)})`, { cause: error })
  return asWarehouseError(error)
}

/** The servers of the store that are up, and how many are not. */
export type Checked = { servers: number; down: number }

/** The same check while the store is in use, and the server's time. Throws what it throws. */
export const inspectServer = (at: ServerAddress, mode: StoreMode): Promise<Checked & { now: Date }> =>
  withServer(at, async (server) => {
    const [[now_ms = ''] = []] = await server.rows('SELECT toUnixTimestamp64Milli(now64(3))')
    return { ...(await checkServer(server, mode, DEFAULT_DATABASE)), now: new Date(Number(now_ms)) }
  })

export async function checkServer(server: Server, mode: StoreMode, database: string): Promise<Checked> {
  const [[version = ''] = []] = await server.rows('SELECT version()')
  checkVersion(`ClickHouse at ${server.name}`, version)
  await checkMode(server, mode, database)
  await checkSettings(server, mode)
  const cluster = clusterOf(mode, database)
  if (cluster === null || mode.name === 'cloud') return { servers: 1, down: 0 }
  return await checkCluster(server, cluster)
}

export function checkVersion(what: string, version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [least_major, least_minor] = MINIMUM_VERSION
  if (major > least_major || (major === least_major && minor >= least_minor)) return
  throw new WarehouseRefused(
    `${what} is version ${version}, but Demarc needs ${MINIMUM_VERSION.join('.')} or newer: upgrade it. ${PAGE}`,
  )
}

async function checkMode(server: Server, mode: StoreMode, database: string): Promise<void> {
  const [[is_cloud = '0'] = []] = await server.rows("SELECT value FROM system.settings WHERE name = 'cloud_mode'")
  const [[engine = ''] = []] = await server.rows(`SELECT engine FROM system.databases WHERE name = '${database}'`)
  const refuse = (problem: string): never => {
    throw new WarehouseRefused(`${problem} ${PAGE}`)
  }
  if (mode.name === 'cloud') {
    if (is_cloud !== '1') refuse(`CLICKHOUSE_MODE is cloud, but ${server.name} is not ClickHouse Cloud.`)
    return
  }
  if (is_cloud === '1') refuse(`${server.name} is ClickHouse Cloud: set CLICKHOUSE_MODE to cloud.`)
  if (mode.name === 'replicated-database') {
    if (engine !== 'Replicated')
      refuse(
        `CLICKHOUSE_MODE is replicated-database, but the database ${database} ${engine === '' ? 'does not exist' : `has the engine ${engine}`}. Run on every server: CREATE DATABASE ${database} ENGINE = Replicated('/clickhouse/databases/${database}', '{shard}', '{replica}').`,
      )
  } else if (engine === 'Replicated')
    refuse(`The database ${database} has the engine Replicated: set CLICKHOUSE_MODE to replicated-database.`)
}

/** UNKNOWN_SETTING, READONLY, SETTING_CONSTRAINT_VIOLATION, and those for a value that does not fit. */
const SETTING_CODES = new Set(['115', '164', '452', '53', '72'])

/** Sends every setting of the product once. */
async function checkSettings(server: Server, mode: StoreMode): Promise<void> {
  const { all, insert, ddl } = settingsOf(mode)
  try {
    await server.rows('SELECT 1', { ...STATEMENT_SETTINGS, ...INSERT_SETTINGS, ...all, ...insert, ...ddl })
  } catch (error) {
    if (!(error instanceof WarehouseFailed && SETTING_CODES.has(error.code))) throw error
    throw new WarehouseRefused(
      `ClickHouse at ${server.name} refuses a setting that Demarc sends: ${error.message} ${PAGE}`,
    )
  }
}

/** For reads of all servers: one that is down does not keep a process from starting. */
export const SKIPPED: ClickHouseSettings = { skip_unavailable_shards: 1 }

async function checkCluster(server: Server, cluster: string): Promise<Checked> {
  const members = await server.rows(`SELECT host_name, port FROM system.clusters WHERE cluster = '${cluster}'`)
  if (members.length === 0) {
    const names = (await server.rows('SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster')).flat()
    throw new WarehouseRefused(
      `ClickHouse at ${server.name} has no cluster ${cluster}. It has: ${names.join(', ') || 'none'}. Set CLICKHOUSE_CLUSTER to one of them. ${PAGE}`,
    )
  }
  await checkInternalReplication(server, cluster)
  const all = `clusterAllReplicas('${cluster}', system.one)`
  const macros = "getMacro('shard'), getMacro('replica')"
  const up = await server.rows(`SELECT hostName(), tcpPort(), version() FROM ${all}`, SKIPPED)
  for (const [host = '', port = '', version = ''] of up) checkVersion(`Server ${host}:${port} of the cluster`, version)
  await checkMacros(await server.rows(`SELECT hostName(), tcpPort(), ${macros} FROM ${all}`, SKIPPED))
  return { servers: up.length, down: members.length - up.length }
}

/** Versions before 24.10 do not show it. */
async function checkInternalReplication(server: Server, cluster: string): Promise<void> {
  const columns = "SELECT name FROM system.columns WHERE database = 'system' AND table = 'clusters'"
  if (!(await server.rows(columns)).some(([name]) => name === 'internal_replication')) return
  const [[least] = []] = await server.rows(
    `SELECT min(internal_replication) FROM system.clusters WHERE cluster = '${cluster}'`,
  )
  if (least === '1') return
  throw new WarehouseRefused(
    `Set <internal_replication>true</internal_replication> for every shard of the cluster ${cluster}: otherwise each record is inserted once for each replica. ${PAGE}`,
  )
}

async function checkMacros(servers: readonly string[][]): Promise<void> {
  const seen = new Map<string, string>()
  for (const [host = '', port = '', shard = '', replica = ''] of servers) {
    const own = `${host}:${port}`
    const other = seen.get(`${shard} ${replica}`)
    if (other !== undefined)
      throw new WarehouseRefused(
        `Servers ${other} and ${own} have the same macros shard (${shard}) and replica (${replica}): give each server its own. ${PAGE}`,
      )
    seen.set(`${shard} ${replica}`, own)
  }
}
