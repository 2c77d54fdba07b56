/**
 * Creates what a store's servers lack of the tables. A start that finds every table on every server that is up runs no DDL, so a server
 * that is down keeps no process from starting. A server that was added lacks tables: its start creates them.
 */

import { createHash } from 'node:crypto'
import { WarehouseFailed, WarehouseRefused, WarehouseUnavailable } from './errors.ts'
import { clusterOf, layoutOf, settingsOf, type StoreMode } from './modes.ts'
import { checkRights, rightsToCreate, rightsToServe } from './rights.ts'
import { schema, tables, type SchemaStep, type SchemaTable } from './schema.ts'
import { checkServer, SKIPPED, type Server } from './server-check.ts'
import type { SchemaOutcome, WithJournal } from './types.ts'

const digestOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/** Throws WarehouseRefused for what only the operator can fix, and WarehouseUnavailable while a server does not respond. */
export async function applySchema(
  server: Server,
  mode: StoreMode,
  database: string,
  withJournal: WithJournal,
): Promise<SchemaOutcome> {
  const checked = await checkServer(server, mode, database)
  await checkRights(server, rightsToServe(mode, database))
  const layout = layoutOf(mode, database)
  const store = { mode, database, wanted: tables(layout) }
  const steps = schema(database, layout)
  return await withJournal(mode.name, async (journal) => {
    const isNew = ({ name, sql }: SchemaStep) => journal.applied.get(name) !== digestOf(sql)
    const before = await findTables(server, store, 'those that are up')
    if (lacking(before, store).length === 0 && !steps.some(isNew)) return { ...checked, applied: [] }
    await checkRights(server, rightsToCreate(mode, database))
    for (const { sql } of steps) await server.rows(sql, settingsOf(mode).ddl).catch(explainStatement)
    const after = await findTables(server, store, 'all')
    const [lacks] = lacking(after, store)
    if (lacks !== undefined) throw new WarehouseUnavailable(`A server of the call-record store lacks a table: ${lacks}`)
    for (const { name, sql } of steps) await journal.record({ name, digest: digestOf(sql), servers: after.size })
    return { servers: after.size, down: 0, applied: steps.map(({ name }) => name) }
  })
}

/** ACCESS_DENIED of a version without CHECK GRANT, and TIMEOUT_EXCEEDED, after which the other servers run the statement later. */
function explainStatement(error: unknown): never {
  if (error instanceof WarehouseFailed && error.code === '497') throw new WarehouseRefused(error.message)
  if (error instanceof WarehouseFailed && error.code === '159')
    throw new WarehouseUnavailable('Not every server of the cluster has created the tables yet. Is one of them down?')
  throw error
}

type WantedTables = { mode: StoreMode; database: string; wanted: readonly SchemaTable[] }

/** Columns by table by server. */
type Found = Map<string, Map<string, { engine: string; types: Map<string, string> }>>

/** Throws WarehouseRefused for a table that is not as wanted, because nothing here may change it. */
async function findTables(server: Server, store: WantedTables, which: 'all' | 'those that are up'): Promise<Found> {
  const { mode, database } = store
  const cluster = clusterOf(mode, database)
  const from = (table: string) => (cluster === null ? table : `clusterAllReplicas('${cluster}', ${table})`)
  const settings = which === 'all' ? {} : SKIPPED
  const found: Found = new Map()
  for (const [host, port] of await server.rows(`SELECT hostName(), tcpPort() FROM ${from('system.one')}`, settings))
    found.set(`${host}:${port}`, new Map())
  const of = `WHERE database = '${database}'`
  for (const [host, port, table = '', engine = ''] of await server.rows(
    `SELECT hostName(), tcpPort(), name, engine FROM ${from('system.tables')} ${of}`,
    settings,
  ))
    found.get(`${host}:${port}`)?.set(table, { engine, types: new Map() })
  for (const [host, port, table = '', name = '', type = ''] of await server.rows(
    `SELECT hostName(), tcpPort(), table, name, type FROM ${from('system.columns')} ${of}`,
    settings,
  ))
    // tabs and quotes of text are escaped; types have quotes only
    found.get(`${host}:${port}`)?.get(table)?.types.set(name, type.replaceAll("\\'", "'"))
  for (const [name, own] of found) for (const table of store.wanted) checkTable(name, own.get(table.name), table, store)
  return found
}

function checkTable(
  server: string,
  found: { engine: string; types: Map<string, string> } | undefined,
  { name, engine, types }: SchemaTable,
  { mode, database }: WantedTables,
): void {
  if (found === undefined) return
  if (!engine.test(found.engine))
    throw new WarehouseRefused(
      `The table ${database}.${name} on ${server} has the engine ${found.engine}, which is not that of the mode ${mode.name}. Set CLICKHOUSE_MODE and CLICKHOUSE_CLUSTER to how the table was made, or use an empty server. See docs/operate/call-records.md.`,
    )
  for (const [column, type] of Object.entries(types))
    if (found.types.get(column) !== type)
      throw new WarehouseRefused(
        `The column ${column} of ${database}.${name} on ${server} ${found.types.has(column) ? `has the type ${found.types.get(column)}` : 'is missing'}, but must be ${type}.`,
      )
}

/** The tables that servers lack, as "table on server". */
const lacking = (found: Found, { wanted, database }: WantedTables): string[] =>
  [...found].flatMap(([server, own]) =>
    wanted.filter(({ name }) => !own.has(name)).map(({ name }) => `${database}.${name} on ${server}`),
  )
