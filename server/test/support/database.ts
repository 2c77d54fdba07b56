import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, type TestContext } from 'node:test'
import pg from 'pg'
import { openDatabase, type Db } from '../../src/platform/db.ts'
import { migrate, readMigrations } from '../../src/platform/migrate.ts'
import { startPostgres } from '../../src/engines/postgres/launcher.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { TEST_SETTINGS } from './settings.ts'

export const MIGRATIONS = path.resolve(import.meta.dirname, '../../migrations')

/** The address of the server that `npm test` shares among all files. Absent when a file runs alone. */
const SHARED_SERVER = 'DEMARC_TEST_DATABASE'

/** Advisory lock key for creating the template; any number that nothing else here uses. */
const TEMPLATE_LOCK = 0x7e57

export interface TestDatabase {
  /** For processes under test and for `listen`. */
  url: string
  db: Db
  pool: pg.Pool
  /** Called automatically at the end of the test or of the file. Safe to call earlier. */
  close(): Promise<void>
}

export interface TestDatabaseOptions {
  /** False: an empty database without our tables; default true. */
  migrated?: boolean
  /** Connections at most; default 10. */
  pool_size?: number
}

/**
 * A fresh database with all migrations applied, on a real server, dropped at the end of `t`, or without `t` at the end of
 * the file (then call it at the file's top level or in its `before`).
 */
export async function testDatabase(t?: TestContext, options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = await testServer()
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.migrated === false ? 'template0' : await migratedTemplate(server)
  await onServer(server, (client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  const url = databaseUrl(server, name)
  const handle = openDatabase({
    connection: url,
    pool_size: options.pool_size ?? 10,
    application_name: name,
    log: silentLog,
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= dropDatabase(server, name, handle.close))
  if (t) t.after(close)
  else open.push(close)
  return { url, db: handle.db, pool: handle.pool, close }
}

/** The server's address with another database's name. */
export function databaseUrl(server: string, name: string): string {
  const match = /^(?<start>[^?]*\/)[^/?]*(?<query>\?.*)?$/.exec(server)?.groups
  if (!match) throw new Error(`${server} is not a database address`)
  return `${match.start}${name}${match.query ?? ''}`
}

/** Closed at the end of the file, the server last. */
const open: (() => Promise<void>)[] = []
let own_server: Promise<string> | undefined

after(closeDatabases)

/** Closes what this file opened; a run of several files calls it after each. */
export async function closeDatabases(): Promise<void> {
  own_server = undefined
  for (const close of open.splice(0).toReversed()) await close()
}

/** Closes something that uses a test database at the end of the file, before the database. */
export function closeBeforeDatabase(close: () => Promise<void>): void {
  open.push(close)
}

function testServer(): Promise<string> {
  const shared = process.env[SHARED_SERVER]
  if (shared !== undefined) return Promise.resolve(shared)
  own_server ??= startOwnServer()
  return own_server
}

async function startOwnServer(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  await chmod(folder, 0o711) // as root, the server runs as another user, who must be able to enter
  const server = await startPostgres({
    data_dir: path.join(folder, 'postgres'),
    settings: TEST_SETTINGS,
    log: silentLog,
  })
  open.unshift(async () => {
    await server.stop()
    await rm(server.data_dir, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })
  return server.url
}

/** The template database with these migrations; the first process creates it. */
async function migratedTemplate(server: string): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS)
  const digest = createHash('sha256').update(migrations.map(({ name, checksum }) => `${name} ${checksum}`).join('\n'))
  const name = `template_${digest.digest('hex').slice(0, 16)}`
  return onServer(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return name
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished} template template0`)
    await onServer(databaseUrl(server, unfinished), (migrating) => migrate(migrating, MIGRATIONS, silentLog))
    await client.query(`alter database ${unfinished} rename to ${name}`)
    await client.query(`alter database ${name} allow_connections false`)
    return name
  })
}

async function dropDatabase(server: string, name: string, closePool: () => Promise<void>): Promise<void> {
  await closePool()
  await onServer(server, (client) => client.query(`drop database ${name} with (force)`))
}

async function onServer<T>(url: string, fn: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await fn(client)
  } finally {
    await client.end()
  }
}
