import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import type { Database, Executor } from './db.ts'

/** Pieces of queries that the stores of all features are put together from. Columns are named unqualified unless said. */

/** What names a row of an account. */
export interface RowKey {
  account_id: string
  id: string
}

/** The row of that name. */
export const isRow = ({ account_id, id }: RowKey): RawBuilder<boolean> =>
  sql<boolean>`(account_id = ${account_id} and id = ${id})`

/** Rows in which the column has this value; all of them when none is asked for. */
export const hasValue = (column: string, value: string | boolean | undefined): RawBuilder<boolean> =>
  value === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${value}`

/** Rows in which the text has this part, in any case; all of them when none is asked for. Not LIKE: % and _ are letters like any other. */
export const hasPart = (column: string, part: string | undefined): RawBuilder<boolean> =>
  part === undefined ? sql<boolean>`true` : sql<boolean>`position(lower(${part}) in lower(${sql.ref(column)})) > 0`

/** For `$call`: these rows in pages, newest first. */
export const newestFirst =
  ({ limit, offset }: { limit: number; offset: number }) =>
  <DB, T extends keyof DB, O>(query: SelectQueryBuilder<DB, T, O>): SelectQueryBuilder<DB, T, O> =>
    query.orderBy(sql.ref('id'), 'desc').limit(limit).offset(offset)

/** How many rows of a table fulfil a condition. */
export async function countRows(db: Executor, table: keyof Database, condition: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from ${sql.table(table)} where ${condition}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/** Whether the account has the row; if so, it cannot go before the transaction ends. */
export async function holdRow(tx: Executor, table: keyof Database, row: RowKey): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${isRow(row)} for key share`.execute(tx)
  return rows.length > 0
}
