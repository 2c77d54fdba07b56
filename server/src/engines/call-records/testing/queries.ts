/** Reads call records in tests through the exports of the store. */

import { text } from 'node:stream/consumers'
import type { ClickHouse } from '../clickhouse.ts'
import { LIMITS } from '../limits.ts'
import { measure } from '../stream.ts'
import type { CdrQuery, CdrTotals, Warehouse } from '../types.ts'

/** A record as NDJSON exports it: money as decimal strings, times ISO 8601 with milliseconds and `Z`. */
export type ExportedRow = Record<string, string | number | null | string[]>

/** The rows of an export, parsed. */
export async function exportedRows(warehouse: Pick<Warehouse, 'export'>, query: CdrQuery): Promise<ExportedRow[]> {
  const { result } = await warehouse.export(query, 'ndjson', text)
  const lines = result.split('\n').slice(0, -1)
  // The columns of an export have these types; see columns.ts.
  return lines.map((line) => JSON.parse(line) as ExportedRow)
}

/** The totals of an export, without reading its file. */
export async function totalsOf(warehouse: Pick<Warehouse, 'stream'>, query: CdrQuery): Promise<CdrTotals> {
  const { body, totals } = await warehouse.stream(query, 'csv')
  body.destroy()
  return totals
}

/** Sorted ids of the stored records, which exports omit. */
export async function storedIds(
  { clickhouse, database }: { clickhouse: ClickHouse; database: string },
  query: CdrQuery,
): Promise<string[]> {
  const { parts } = await measure({ clickhouse, database, slice_rows: LIMITS.slice_rows }, query)
  const ids: string[] = []
  for (const { from } of parts)
    for (const [id] of await clickhouse.rows<[id: string]>(`SELECT id ${from}`)) ids.push(id)
  return ids.toSorted()
}
