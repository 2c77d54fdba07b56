/** The rights that the user of CLICKHOUSE_URL needs. */

import { WarehouseFailed, WarehouseRefused } from './errors.ts'
import { layoutOf, type StoreMode } from './modes.ts'
import type { Server } from './server-check.ts'

export type Right = { right: string; on: string }

/** What the service always needs. */
export function rightsToServe(mode: StoreMode, database: string): Right[] {
  const rights = [
    { right: 'SELECT', on: `${database}.*` },
    { right: 'INSERT', on: `${database}.*` },
    { right: 'SELECT', on: 'system.*' },
  ]
  if (layoutOf(mode, database).distributed_over === null) return rights
  return [
    ...rights,
    { right: 'REMOTE', on: '*.*' },
    { right: 'dictGet', on: `${database}.*` },
    { right: 'SYSTEM RELOAD DICTIONARY', on: '*.*' },
    { right: 'CLUSTER', on: '*.*' },
  ]
}

/** What it needs besides while the tables do not exist on every server. */
export function rightsToCreate(mode: StoreMode, database: string): Right[] {
  const { engine, distributed_over } = layoutOf(mode, database)
  return [
    ...(engine === 'replicated' ? [] : [{ right: 'CREATE DATABASE', on: `${database}.*` }]),
    { right: 'CREATE TABLE', on: `${database}.*` },
    ...(distributed_over === null ? [] : [{ right: 'CREATE DICTIONARY', on: `${database}.*` }]),
  ]
}

/** SYNTAX_ERROR: versions before 24.12 have no CHECK GRANT. They report a missing right when it is used. */
const NO_CHECK = '62'

/** Throws WarehouseRefused that names all missing rights. */
export async function checkRights(server: Server, rights: readonly Right[]): Promise<void> {
  const missing: string[] = []
  for (const { right, on } of rights) {
    try {
      const [[granted] = []] = await server.rows(`CHECK GRANT ${right} ON ${on}`)
      if (granted !== '1') missing.push(`GRANT ${right} ON ${on}`)
    } catch (error) {
      if (error instanceof WarehouseFailed && error.code === NO_CHECK) return
      throw error
    }
  }
  if (missing.length > 0)
    throw new WarehouseRefused(
      `The user in CLICKHOUSE_URL lacks rights. As an administrator of ClickHouse at ${server.name}, run for it: ${missing.join('; ')}. See docs/operate/call-records.md.`,
    )
}
