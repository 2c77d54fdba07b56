import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** Tables in COPY's text format. */

export interface Table {
  name: string
  /** Without generated columns. */
  columns: string[]
}
/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The rows of a table. `rows` is their number once the stream has ended. */
export function copyOut(client: pg.ClientBase, { name, columns }: Table): { stream: Readable; rows: () => number } {
  const stream = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`))
  return { stream, rows: () => stream.rowCount }
}

export async function copyIn(client: pg.ClientBase, { name, columns }: Table, source: Readable): Promise<number> {
  const into = client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`))
  await pipeline(source, into)
  return into.rowCount
}
