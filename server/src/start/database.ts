import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Installation } from '../installation.ts'
import { openDatabase, type Log } from '../platform/db.ts'
import { preparesStatements, sessionProblems, sharesSessions } from '../platform/postgres/session-settings.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { explaining, migrateDatabase, whenReachable } from './migrate.ts'

const page = 'See docs/operate/postgresql.md.'

/**
 * Migrates the database, and checks that the connections of DATABASE_URL and DATABASE_DIRECT_URL can do what is asked of them.
 * Throws StartRefused for what the operator can fix, and logs what is safe but wrong.
 */
export async function prepareDatabase(
  config: Pick<Config, 'database_url' | 'prepared_statements'>,
  installation: Urls,
  log: Log,
): Promise<void> {
  const { url, name } = directOf(installation)
  await migrateDatabase(url, name, log)
  await checkConnections(config, installation, log, (setting, step) => whenReachable(setting, log, step))
}

const directOf = ({ database_url, database_direct_url }: Urls) => ({
  url: database_direct_url ?? database_url,
  name: database_direct_url === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL',
})

type Urls = Pick<Installation, 'database_url' | 'database_direct_url'>

/** The second half of `prepareDatabase`. `attempt` runs a step over connections of a setting; by default once. */
export async function checkConnections(
  config: Pick<Config, 'database_url' | 'prepared_statements'>,
  installation: Urls,
  log: Log,
  attempt: (setting: string, step: () => Promise<void>) => Promise<void> = explaining,
): Promise<void> {
  // nothing stands between Demarc and the embedded server
  if (config.database_url === null) return
  const { url, name } = directOf(installation)
  await attempt(name, () => withTwo({ connection: url, log }, (clients) => checkDirect(clients, name)))
  const { database_url, database_direct_url } = installation
  if (database_direct_url === null) return
  const options = { connection: database_url, direct: database_direct_url, log }
  await attempt('DATABASE_URL', () =>
    withTwo(options, (clients) => checkPooled(clients, config.prepared_statements, log)),
  )
}

type Two = readonly [Client, Client]
type Client = pg.PoolClient

async function withTwo(options: Parameters<typeof openDatabase>[0], check: (clients: Two) => Promise<void>) {
  const database = openDatabase({ ...options, pool_size: 2, application_name: 'demarc-check' })
  try {
    const one = await database.pool.connect()
    const other = await database.pool.connect()
    try {
      await check([one, other])
    } finally {
      // a failed statement may have left something behind
      one.release(true)
      other.release(true)
    }
  } finally {
    await database.close()
  }
}

/** LISTEN, locks of a session, and the names of workers need sessions of their own. */
async function checkDirect([one, other]: Two, name: string): Promise<void> {
  if (!(await sharesSessions(one, other))) return
  throw new StartRefused(
    name === 'DATABASE_URL'
      ? `DATABASE_URL leads to a pooler in transaction mode. Set DATABASE_DIRECT_URL to the PostgreSQL server itself. ${page}`
      : `DATABASE_DIRECT_URL leads to a pooler in transaction mode. Set it to the PostgreSQL server itself. ${page}`,
  )
}

async function checkPooled([one, other]: Two, prepared: boolean, log: Log): Promise<void> {
  const { unsafe, limits } = await sessionProblems(async (text, values) => (await one.query(text, [...values])).rows)
  if (unsafe.length > 0)
    throw new StartRefused(
      `The sessions behind DATABASE_URL have settings that make Demarc store incorrect data. As Demarc's role, run: ${[...unsafe, ...limits].join('; ')}; then RECONNECT in PgBouncer's console. ${page}`,
    )
  if (limits.length > 0)
    log.warn(
      { statements: limits },
      'the sessions behind DATABASE_URL lack limits; run these statements as the role of Demarc, then RECONNECT in the console of PgBouncer',
    )
  if (!prepared || (await preparesStatements(one, other, `demarc_check_${randomBytes(8).toString('hex')}`))) return
  throw new StartRefused(
    `The pooler at DATABASE_URL does not keep prepared statements. Set max_prepared_statements to 1000 in PgBouncer 1.21 or newer, or set DEMARC_PREPARED_STATEMENTS=off. ${page}`,
  )
}
