import { sql, type RawBuilder } from 'kysely'
import type { Deps } from './context.ts'
import type { Db, Executor } from './db.ts'
import { currentKey, SealError, type KeyRecord, type Vault } from './secrets.ts'

/** Columns whose values are sealed, or hashed with the pepper. Each feature declares its own. */
export interface SecretColumns {
  sealed: readonly SealedColumn[]
  hashed: readonly HashedColumn[]
}

export interface SealedColumn {
  table: string
  column: string
  /** The columns of the primary key with their types. */
  id: Readonly<Record<string, 'bigint' | 'text'>>
  /** The context that the value was sealed for, from the primary key. */
  contextOf: (id: Readonly<Record<string, string>>) => string
}

export interface HashedColumn {
  table: string
  column: string
  /** `bytes` and `hex`: what `hashSecret` returned; `phc`: a password's hash with the pepper's id as `keyid`. */
  form: 'bytes' | 'hex' | 'phc'
  /** Which rows still work. */
  is_live: RawBuilder<boolean>
}

/** Counts by table and column: `account.signing_secret`. */
export type Uses = Record<string, number>

const resealLimits = { rows: 200 } as const

/** How many values were made with each key. Reads every row of these tables. */
export async function usesOf(
  db: Executor,
  { sealed, hashed }: SecretColumns,
): Promise<{ kind: KeyRecord['kind']; id: string; uses: Uses }[]> {
  const found = new Map<string, { kind: KeyRecord['kind']; id: string; uses: Uses }>()
  const add = (kind: KeyRecord['kind'], name: string, rows: readonly { id: string; count: number }[]) => {
    for (const { id, count } of rows) {
      const entry = found.get(`${kind} ${id}`) ?? { kind, id, uses: {} }
      entry.uses[name] = count
      found.set(`${kind} ${id}`, entry)
    }
  }
  for (const { table, column } of sealed)
    add('seal', `${table}.${column}`, await countBy(db, table, column, sql`split_part(${sql.ref(column)}, '.', 2)`))
  for (const { table, column, form, is_live } of hashed)
    add('pepper', `${table}.${column}`, await countBy(db, table, column, pepperIn[form](column), is_live))
  return [...found.values()]
}

const pepperIn = {
  bytes: (column) => sql`encode(substring(${sql.ref(column)} from 1 for 4), 'hex')`,
  hex: (column) => sql`left(${sql.ref(column)}, 8)`,
  phc: (column) => sql`substring(${sql.ref(column)} from 'keyid=([0-9a-f]{8})')`,
} as const satisfies Record<HashedColumn['form'], (column: string) => RawBuilder<unknown>>

async function countBy(
  db: Executor,
  table: string,
  column: string,
  key: RawBuilder<unknown>,
  is_live: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<{ id: string; count: number }[]> {
  const { rows } = await sql<{ id: string; count: number }>`
    select ${key} as id, count(*)::int as count from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${is_live} group by 1 having ${key} is not null`.execute(db)
  return rows
}

/**
 * Seals the values of a column again that have another key than the current one, in small batches. Each batch is one statement
 * and replaces only what it read, so it is safe to stop, to repeat, and to run while others write. Returns how many values it
 * could not open.
 */
export async function resealColumn(
  { db, vault, log }: Pick<Deps, 'db' | 'vault' | 'log'>,
  column: SealedColumn,
  signal: AbortSignal,
): Promise<{ resealed: number; unreadable: number }> {
  const result = { resealed: 0, unreadable: 0 }
  let after: Row | null = null
  for (;;) {
    signal.throwIfAborted()
    const rows: Row[] = await outdatedAfter(db, vault, column, after)
    const pairs = rows.flatMap((row) => {
      const text = openValue(vault, row, column.contextOf(row.row_key))
      return text === null ? [] : [{ ...row, sealed: vault.seal(text, column.contextOf(row.row_key)) }]
    })
    await replaceValues(db, column, pairs)
    result.resealed += pairs.length
    result.unreadable += rows.length - pairs.length
    after = rows.at(-1) ?? null
    if (rows.length < resealLimits.rows) break
  }
  if (result.unreadable > 0)
    log.warn({ table: column.table, column: column.column, ...result }, 'some sealed values could not be opened')
  return result
}

interface Row {
  /** The primary key. Not named like a column, because ORDER BY prefers names of the result. */
  row_key: Record<string, string>
  row_value: string
}

async function outdatedAfter(db: Db, vault: Vault, column: SealedColumn, after: Row | null): Promise<Row[]> {
  const current = currentKey(vault, 'seal')?.id ?? ''
  const names = Object.keys(column.id)
  const value = sql.ref(column.column)
  const refs = sql.join(names.map((name) => sql.ref(name)))
  const last = names.map((name) => sql`${after?.row_key[name] ?? ''}::${sql.raw(column.id[name] ?? 'text')}`)
  const fields = names.map((name) => sql`${sql.lit(name)}, ${sql.ref(name)}::text`)
  const { rows } = await sql<Row>`
    select json_build_object(${sql.join(fields)}) as row_key, ${value} as row_value from ${sql.table(column.table)}
    where ${value} is not null and not starts_with(${value}, ${`v1.${current}.`})
      and ${after === null ? sql`true` : sql`(${refs}) > (${sql.join(last)})`}
    order by ${refs} limit ${sql.lit(resealLimits.rows)}`.execute(db)
  return rows
}

/** Null if the value has been altered, or its key is not configured: the others are still sealed again. */
function openValue(vault: Vault, { row_value }: Row, context: string): string | null {
  try {
    return vault.open(row_value, context)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

async function replaceValues(db: Db, column: SealedColumn, pairs: readonly (Row & { sealed: string })[]) {
  if (pairs.length === 0) return
  const names = Object.keys(column.id)
  const arrays = names.map((name) => {
    const values = pairs.map(({ row_key }) => row_key[name])
    return sql`${values}::${sql.raw(`${column.id[name] ?? 'text'}[]`)}`
  })
  const isSame = sql.join(
    names.map((name) => sql`t.${sql.ref(name)} = u.${sql.ref(name)}`),
    sql` and `,
  )
  await sql`
    update ${sql.table(column.table)} t set ${sql.ref(column.column)} = u.new_value
    from unnest(${sql.join(arrays)}, ${pairs.map(({ row_value }) => row_value)}::text[], ${pairs.map(({ sealed }) => sealed)}::text[])
      as u (${sql.join(names.map((name) => sql.ref(name)))}, old_value, new_value)
    where ${isSame} and t.${sql.ref(column.column)} = u.old_value`.execute(db)
}
