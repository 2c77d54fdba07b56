import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Database, Executor } from '../platform/db.ts'
import { quoted, type Table } from './copy.ts'
import { BackupRefused } from './refused.ts'

/** The tables as COPY's text format, which every version of PostgreSQL reads, and the journal of an unfinished restore. */

/**
 * Tables that describe this installation's servers and not its data: a restored installation may have another call-record store or
 * bucket. `schema_migration` is in the manifest.
 */
const left_out = [
  'schema_migration',
  'cdr_schema_step',
  'cdr_shard',
  'cdr_move',
  'cdr_move_month',
  'file_bucket',
  'file_move',
  'file_copy',
]

/** A table in the target exists while a restore is unfinished, so that no process serves what is only a part. */
export const restoreTable = 'demarc_restore'

export interface Sequence {
  name: string
  last_value: string
  is_called: boolean
}
export interface Migration {
  name: string
  checksum: string
}

/** Removes a session's time limits, and makes it read and write the same text whatever settings the role or server has. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(`set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s';
    set client_encoding = 'UTF8'; set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
    set bytea_output = 'hex'; set extra_float_digits = 1`)
}

/** Runs work in a transaction that sees the database at one time, in which no migration changes a table. */
export async function withSnapshot<T>(
  client: pg.ClientBase,
  work: (snapshot: { db: Executor; tables: Table[]; migrations: Migration[]; version: string }) => Promise<T>,
): Promise<T> {
  const names = (await listTables(client)).map(({ name }) => name)
  await client.query('begin transaction isolation level repeatable read read only')
  try {
    // LOCK takes no snapshot, so the next statement sees every migration that ended before
    await client.query(`lock table schema_migration, ${names.map(quoted).join(', ')} in access share mode`)
    const tables = await listTables(client)
    if (tables.map(({ name }) => name).join() !== names.join())
      throw new BackupRefused(
        'A migration changed the database’s tables while the backup was starting. Run the backup again.',
      )
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
    const { version = '' } = rows[0] ?? {}
    return await work({ db: ofConnection(client), tables, migrations: await listMigrations(client), version })
  } finally {
    await client.query('rollback')
  }
}

/** Queries of features in the transaction of one connection. */
function ofConnection(client: pg.ClientBase): Executor {
  const lent = Object.assign(client, { release: () => undefined })
  const pool = { options: {}, connect: () => Promise.resolve(lent), end: () => Promise.resolve() }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/** The tables with data of this installation, by name. Counts that a crash of the server would lose are not among them. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all ($1)
    group by c.relname order by c.relname collate "C"`,
    [[...left_out, restoreTable]],
  )
  return rows
}

export async function listMigrations(client: pg.ClientBase): Promise<Migration[]> {
  const { rows } = await client.query<Migration>(
    `select name, checksum from schema_migration order by name collate "C"`,
  )
  return rows
}

/** Current values, which are at least those of the snapshot. */
export async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S'
    order by relname collate "C"`,
  )
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const found = await client.query<Omit<Sequence, 'name'>>(`select last_value, is_called from ${quoted(name)}`)
    for (const { last_value, is_called } of found.rows) sequences.push({ name, last_value, is_called })
  }
  return sequences
}

/**
 * Empties the tables and runs `load` in the transaction that is open, without foreign keys and triggers. Adding the foreign keys
 * again checks all rows.
 */
export async function loadTables(
  client: pg.ClientBase,
  tables: readonly Table[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows: keys } = await client.query<{ owner: string; name: string; definition: string }>(
    `select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by 1, 2`,
  )
  for (const { owner, name } of keys) await client.query(`alter table ${owner} drop constraint ${name}`)
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} disable trigger user`)
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  await load()
  for (const { owner, name, definition } of keys)
    await client.query(`alter table ${owner} add constraint ${name} ${definition}`)
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} enable trigger user`)
}

export async function setSequences(client: pg.ClientBase, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, last_value, is_called } of sequences)
    await client.query('select setval($1::text::regclass, $2, $3)', [quoted(name), last_value, is_called])
}

/** Names of sequences that are behind the rows of their table. */
export async function sequencesBehind(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ sequence: string; owner: string; column: string }>(
    `select s.relname as sequence, t.relname as owner, a.attname as column
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_class t on t.oid = d.refobjid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where d.deptype in ('a', 'i') and d.refobjsubid > 0 and s.relnamespace = current_schema()::regnamespace`,
  )
  const behind: string[] = []
  for (const { sequence, owner, column } of rows) {
    const found = await client.query<{ behind: boolean }>(
      `select coalesce((select max(${quoted(column)}) from ${quoted(owner)}), 0) > last_value as behind from ${quoted(sequence)}`,
    )
    if (found.rows[0]?.behind) behind.push(sequence)
  }
  return behind
}

/** Statistics for the planner, which the loaded tables lack. */
export const analyze = async (client: pg.ClientBase): Promise<void> => void (await client.query('analyze'))

/** The ids of all chains of events. */
export async function listChains(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ chain_id: string }>('select chain_id from event_chain order by chain_id')
  return rows.map(({ chain_id }) => chain_id)
}

/** The unfinished restore of this database: the backup's digest, and whether its tables are loaded. Null if there is none. */
export async function findRestore(client: pg.ClientBase): Promise<{ backup: string; is_loaded: boolean } | null> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass(quote_ident(current_schema()) || '.${restoreTable}') is not null as found`,
  )
  if (!rows[0]?.found) return null
  const restore = await client.query<{ backup: string; is_loaded: boolean }>(
    `select backup, is_loaded from ${restoreTable}`,
  )
  return restore.rows[0] ?? null
}

/** Whether the database has a table. */
export async function hasTables(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r') as found`,
  )
  return rows[0]?.found === true
}

export async function beginRestore(client: pg.ClientBase, backup: string): Promise<void> {
  await client.query('begin')
  await client.query(
    `create table ${restoreTable} (one boolean primary key default true check (one), backup text not null,
      is_loaded boolean not null default false)`,
  )
  await client.query(`insert into ${restoreTable} (backup) values ($1)`, [backup])
  await client.query('commit')
}

export async function markLoaded(client: pg.ClientBase): Promise<void> {
  await client.query(`update ${restoreTable} set is_loaded = true`)
}

export async function endRestore(client: pg.ClientBase): Promise<void> {
  await client.query(`drop table ${restoreTable}`)
}

/** One backup or restore of a database at a time. The lock ends with the connection. */
export async function tryLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock_key])
  return rows[0]?.locked === true
}

/** "dmbk" in ASCII. */
const lock_key = 0x646d626b
