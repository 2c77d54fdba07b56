import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from './postgres/log.ts'

export interface Migration {
  /** The file's name, `0001_platform.sql`. */
  name: string
  sql: string
  /** SHA-256 of the text with `\n` line ends, in hex. */
  checksum: string
}

/** Advisory lock key, the same in all processes: "dema" in ASCII. */
const LOCK_KEY = 0x64656d61
/** Requests queue behind a migration that waits for a table's lock, so it stops waiting, lets them pass, and tries again. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_ATTEMPTS = 15
const LOCK_PAUSE_MS = 1_000
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/

/**
 * Applies the files of `folder` that the database lacks, in name order, each in its own transaction, and returns their names.
 * Processes that start together lock each file, so each is applied once. Throws if an applied file was changed or removed, a
 * name is not `NNNN_name.sql`, two files share a number, or a file's SQL fails.
 */
export async function migrate(database: pg.Pool | pg.ClientBase, folder: string, log: Log): Promise<string[]> {
  const migrations = await readMigrations(folder)
  if (!(database instanceof pg.Pool)) return applyAll(database, migrations, log)
  const client = await database.connect()
  try {
    return await applyAll(client, migrations, log)
  } finally {
    client.release(true) // a migration may have left session settings behind
  }
}

/** Files of `folder` that the database lacks, and migrations that it has from a newer release. Changes nothing. */
export async function migrationState(
  read: (text: string) => Promise<{ name: string }[]>,
  folder: string,
): Promise<{ pending: string[]; newer: string[] }> {
  const names = (await readMigrations(folder)).map(({ name }) => name)
  const [table] = await read(`select to_regclass('schema_migration')::text as name`)
  const applied = table?.name ? (await read('select name from schema_migration')).map(({ name }) => name) : []
  return {
    pending: names.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !names.includes(name)),
  }
}

/** The migrations of a folder in the order they apply. Throws for an invalid name. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  names.forEach((name, index) => {
    if (!FILE_NAME.test(name))
      throw new Error(`Migration ${name} is not named NNNN_name.sql (lower case, underscores).`)
    const previous = names[index - 1]
    if (previous?.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(`Migrations ${previous} and ${name} have the same number. Give one of them the next free number.`)
    }
  })
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function applyAll(client: pg.ClientBase, migrations: readonly Migration[], log: Log): Promise<string[]> {
  const applied: string[] = []
  for (let attempt = 1; ; attempt++) {
    try {
      const name = await applyNext(client, migrations, log)
      if (name === undefined) return applied
      applied.push(name)
      attempt = 0
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !(error instanceof Error && isLocked(error))) throw error
      log.warn({ reason: String(error), attempt }, 'a table is in use; trying the migration again')
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

/** lock_not_available or deadlock_detected */
const isLocked = ({ cause }: Error): boolean =>
  cause instanceof pg.DatabaseError && ['55P03', '40P01'].includes(cause.code ?? '')

/** Applies the first missing file; undefined if there is none. */
async function applyNext(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  log: Log,
): Promise<string | undefined> {
  await client.query('begin')
  try {
    await client.query('set local statement_timeout = 0; set local lock_timeout = 0')
    // Held until commit, so it also works through a pooler in transaction mode.
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    const pending = firstPending(migrations, await appliedMigrations(client), log)
    if (!pending) {
      await client.query('commit')
      return undefined
    }
    const started = performance.now()
    await run(client, pending)
    await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [
      pending.name,
      pending.checksum,
    ])
    await client.query('commit')
    log.info({ migration: pending.name, duration_ms: Math.round(performance.now() - started) }, 'migration applied')
    return pending.name
  } catch (error) {
    await client.query('rollback').catch((also: unknown) => log.warn({ err: also }, 'rolling a migration back failed'))
    throw error
  }
}

async function appliedMigrations(client: pg.ClientBase): Promise<Map<string, string>> {
  await client.query(`
    create table if not exists schema_migration (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migration')
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function firstPending(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
  log: Log,
): Migration | undefined {
  const newest = migrations.at(-1)?.name ?? ''
  const present = new Set(migrations.map(({ name }) => name))
  for (const name of [...applied.keys()].filter((each) => !present.has(each))) {
    // Applied by a newer release: by the rule in migrations/README.md its tables still work with this one.
    if (name > newest) log.warn({ migration: name }, 'the database is newer than this release')
    else throw new Error(`Migration ${name} was applied to this database, but its file is gone. Restore the file.`)
  }
  for (const { name, checksum } of migrations) {
    const recorded = applied.get(name)
    if (recorded !== undefined && recorded !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database ` +
          `(applied ${recorded.slice(0, 12)}, file ${checksum.slice(0, 12)}). ` +
          `Restore the original file and put the change into a new one. If you don’t need the data, delete the data folder.`,
      )
    }
  }
  return migrations.find(({ name }) => !applied.has(name))
}

async function run(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  const transaction = await transactionId(client)
  try {
    await client.query(migration.sql)
  } catch (error) {
    throw new Error(`Migration ${migration.name} failed and left no trace: ${describe(error, migration.sql)}`, {
      cause: error,
    })
  }
  if ((await transactionId(client)) !== transaction) {
    throw new Error(
      `Migration ${migration.name} ends its transaction itself. Remove BEGIN, COMMIT and ROLLBACK from it.`,
    )
  }
}

async function transactionId(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
  return rows[0]?.id
}

function describe(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError)) return String(error)
  const line = error.position === undefined ? undefined : sql.slice(0, Number(error.position)).split('\n').length
  return `${error.message} (SQLSTATE ${error.code}${line === undefined ? '' : `, line ${line}`})`
}
