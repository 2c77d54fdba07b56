import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { visibleTo, type Actor } from './actor.ts'
import { readRows, type Database, type Executor } from './db.ts'

/** Query fragments shared by the stores of all features. Column names are unqualified. */

export interface RowKey {
  account_id: string
  id: string
}

/** The condition for the row with that key. */
export const isRow = ({ account_id, id }: RowKey): RawBuilder<boolean> =>
  sql<boolean>`(account_id = ${account_id} and id = ${id})`

/** Rows whose column has this value; all rows if undefined. */
export const hasValue = (
  column: string,
  value: string | boolean | RawBuilder<unknown> | undefined,
): RawBuilder<boolean> => (value === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${value}`)

/** Many integers as one parameter. As text, because the driver's own form of a list takes ten times as long. */
export const bigints = (values: readonly string[]): RawBuilder<unknown> => sql`${`{${values.join()}}`}::bigint[]`

/** Rows whose column contains this text, ignoring case; all rows if undefined. Not LIKE, in which % and _ are wildcards. */
export const containsText = (column: string, text: string | RawBuilder<string> | undefined): RawBuilder<boolean> =>
  text === undefined ? sql<boolean>`true` : sql<boolean>`position(lower(${text}) in lower(${sql.ref(column)})) > 0`

/** For `$call`: pages of these rows, newest first. */
export const newestFirst =
  ({ limit, offset }: { limit: number | RawBuilder<number>; offset: number | RawBuilder<number> }) =>
  <DB, T extends keyof DB, O>(query: SelectQueryBuilder<DB, T, O>): SelectQueryBuilder<DB, T, O> =>
    query.orderBy(sql.ref('id'), 'desc').limit(limit).offset(offset)

export async function countRows(db: Executor, table: keyof Database, condition: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from ${sql.table(table)} where ${condition}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/** Counts each account's rows that match a condition, up to `most` per account. */
export async function countByAccount(
  db: Executor,
  table: keyof Database,
  account_ids: readonly string[],
  most: number,
  condition: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; n: string }>`
    select a.id, (select count(*) from (
      select from ${sql.table(table)} where account_id = a.id and ${condition} limit ${most}
    ) counted) as n from unnest(${account_ids}::bigint[]) as a (id)`.execute(db)
  return new Map(rows.map(({ id, n }) => [id, Number(n)]))
}

/** Names by id; deleted rows are omitted. */
export async function namesById(
  db: Executor,
  table: keyof Database,
  name: RawBuilder<string>,
  account_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, ${name} as name from ${sql.table(table)}
    where account_id = ${account_id} and id = any(${[...ids]}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** The least that a file counts in an account's storage, because it occupies at least one disk block. */
export const storedBytes_min = 4096

/** The storage used by the files of a table's rows that match a condition. */
export async function sumStoredBytes(
  db: Executor,
  table: keyof Database,
  condition: RawBuilder<boolean>,
): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(greatest(bytes, ${sql.lit(storedBytes_min)})), 0) as bytes from ${sql.table(table)} where ${condition}`.execute(
    db,
  )
  return Number(rows[0]?.bytes ?? 0)
}

export interface NamedFile {
  sha256: string
  /** Null where the row does not record it. */
  bytes: number | null
  account_id: string | null
  /** What the file belongs to, for the operator and the customer: `export 12`. */
  used_by: string
}

/** The files of a query for `sha256`, `bytes`, `account_id`, and `used_by`. */
export async function readNamedFiles(
  db: Executor,
  query: RawBuilder<Omit<NamedFile, 'bytes'> & { bytes: string | null }>,
): Promise<NamedFile[]> {
  const { rows } = await query.execute(db)
  return rows.map(({ bytes, ...file }) => ({ ...file, bytes: bytes === null ? null : Number(bytes) }))
}

/** Whether the account has the row. If so, it is locked against deletion until the transaction ends. */
export async function lockRowForKeyShare(tx: Executor, table: keyof Database, row: RowKey): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${isRow(row)} for key share`.execute(tx)
  return rows.length > 0
}

/** A select by key that returns the rows an actor can see. */
type ReadByKey<R> = (db: Executor, actor: Pick<Actor, 'account_id'>, ...values: (string | null)[]) => Promise<R[]>

/**
 * Creates a short, frequent select with the values that `build` uses. It is compiled only twice per process, for actors within
 * an account and for others, because compiling costs as much as running it.
 */
export function readByKey<R>(
  build: (visible: (column: string) => RawBuilder<boolean>, ...values: string[]) => RawBuilder<R>,
): ReadByKey<R> {
  const compiled = new Map<boolean, { text: string; order: readonly number[] }>()
  return async (db, { account_id }, ...values) => {
    const within = account_id !== null
    const known = compiled.get(within) ?? compileRead(db, build, within, values.length)
    compiled.set(within, known)
    const parameters = [account_id, ...values]
    return await readRows<R>(
      db,
      known.text,
      known.order.map((i) => parameters[i] ?? null),
    )
  }
}

/** Creates a `readByKey` for a table whose ids are unique across accounts. */
export function readById<R>(table: keyof Database, columns: readonly (keyof R & string)[]) {
  const rows = readByKey((visible, id) => selectById<R>(table, columns, id, visible('account_id')))
  return async (db: Executor, actor: Actor, id: string): Promise<R | undefined> => (await rows(db, actor, id))[0]
}

/**
 * Creates the same select with a row lock until the transaction ends. `no key update` still allows others to reference the row.
 */
export function lockById<R>(
  table: keyof Database,
  columns: readonly (keyof R & string)[],
  strength: 'update' | 'no key update' = 'update',
) {
  const lock = sql.raw(`for ${strength}`)
  return async (tx: Executor, actor: Actor, id: string): Promise<R | undefined> => {
    const { rows } = await sql<R>`${selectById<R>(table, columns, id, visibleTo(actor))} ${lock}`.execute(tx)
    return rows[0]
  }
}

const selectById = <R>(
  table: keyof Database,
  columns: readonly (keyof R & string)[],
  id: string,
  visible: RawBuilder<boolean>,
): RawBuilder<R> => sql<R>`
  select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)} where id = ${id} and ${visible}`

/** Compiled with positions instead of values, which shows the value of each parameter. Position 0 is the account. */
function compileRead<R>(
  db: Executor,
  build: Parameters<typeof readByKey<R>>[0],
  within: boolean,
  count: number,
): { text: string; order: readonly number[] } {
  const visible = (column: string) => visibleTo({ account_id: within ? '0' : null }, column)
  const positions = Array.from({ length: count }, (_, i) => String(i + 1))
  const { sql: text, parameters } = build(visible, ...positions).compile(db)
  return { text, order: parameters.map(Number) }
}
