import { chmodSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import http from 'node:http'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { freePort } from '../support/free-port.ts'
import { operatorKeys } from '../crash/loop.ts'
import { installed, keepsPrepared, pgbouncerVersion, startPgBouncer } from '../servers/pgbouncer.ts'
import { postgresFolders, startPostgresServer, type PostgresServer } from '../servers/postgres.ts'
import { newFolder } from '../support/service.ts'
import { authorization, timed } from '../support/timed-http.ts'
import { hang_ms, until } from '../support/until.ts'
import type { Drill, DrillOptions, DrillResult } from './drill.ts'
import { Installation } from './installation.ts'

const revocations = { long: 50, short: 5 }
/** What docs/operate/keys-and-scopes.md promises. */
const refused_ms_max = 1_000
const give_up_ms = 5_000

/** The statements of docs/operate/postgresql.md for a role behind a pooler. */
const roleSettings = `alter role demarc set TimeZone = 'UTC'; alter role demarc set statement_timeout = '15s';
  alter role demarc set lock_timeout = '5s'; alter role demarc set idle_in_transaction_session_timeout = '30s'`

export const databases: Drill = {
  name: 'databases',
  summary: 'runs the service on each PostgreSQL and behind PgBouncer, and measures how soon a revoked key is refused',
  programs: { psql: 'postgresql-client-15', pgbouncer: 'pgbouncer', setpriv: 'util-linux' },
  measures: true,
  async run(options) {
    const folder = await newFolder()
    chmodSync(folder, 0o755)
    const results: DrillResult[] = []
    try {
      const all = postgresFolders()
      for (const bin of all) {
        const server = await startPostgresServer(bin, folder)
        try {
          // the poolers in front of the last one
          const programs = bin === all.at(-1) ? new Set(['pgbouncer', installed]) : new Set<string>()
          results.push(...(await tryOut(server, programs, folder, options)))
        } finally {
          await server.stop()
        }
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    return results
  },
}

/** The service on the server, then behind each PgBouncer. */
async function tryOut(
  server: PostgresServer,
  poolers: ReadonlySet<string>,
  folder: string,
  options: DrillOptions,
): Promise<DrillResult[]> {
  options.log(`PostgreSQL ${server.version}: starting`)
  const began = performance.now()
  const installation = await Installation.open({ apis: 2, workers: 1 }, { DATABASE_URL: server.url })
  try {
    const start = { name: 'Start, with the demo data', value: seconds(performance.now() - began) }
    const tried = '2 API processes and 1 worker on an empty database with an ordinary role'
    const common = { component: 'PostgreSQL', version: server.version, tried }
    const results = [await served(installation, common, [start], options)]
    if (poolers.size > 0) await server.sql(roleSettings)
    for (const program of poolers) results.push(await behind(program, server, installation, folder, options))
    return results
  } finally {
    await installation.close()
    await installation.remove()
  }
}

/** Replaces the processes by ones behind this PgBouncer. */
async function behind(
  program: string,
  server: PostgresServer,
  installation: Installation,
  folder: string,
  options: DrillOptions,
): Promise<DrillResult> {
  const version = pgbouncerVersion(program) ?? 'unknown'
  const prepared = keepsPrepared(version)
  const pooler = await startPgBouncer(`${folder}/pgbouncer-${version}`, await freePort(), {
    server_url: server.url,
    user: 'demarc',
    program,
    settings: prepared ? { max_prepared_statements: 1000 } : {},
  })
  try {
    await installation.reconfigure({
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      DEMARC_PREPARED_STATEMENTS: prepared ? 'on' : 'off',
    })
    const tried = `2 API processes and 1 worker behind it in transaction mode, in front of PostgreSQL ${server.version}, ${prepared ? 'with' : 'without'} prepared statements`
    return await served(installation, { component: 'PgBouncer', version, tried }, [], options)
  } finally {
    await pooler.stop()
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Revokes keys and makes an export. */
async function served(
  installation: Installation,
  tried: Pick<DrillResult, 'component' | 'version' | 'tried'>,
  figures: DrillResult['figures'],
  { short, log }: DrillOptions,
): Promise<DrillResult> {
  const credentials = await operatorKeys(installation)
  const operator = createDemarcClient({ retry: false, base_url: installation.url, credentials })
  const [account] = (await operator.listAccounts({ query: { limit: 1 } })).body.data
  if (account === undefined) throw new Error('The demo data has no account.')
  const ports = installation.members.filter(({ role }) => role === 'api').map(({ port }) => port)
  const measured: number[] = []
  for (let n = 0; n < revocations[short ? 'short' : 'long']; n++)
    measured.push(await revoked(operator, account.id, n, ports))
  const export_ms = await exported(operator, account.id, installation.url)
  const slowest_ms = Math.max(...measured)
  log(`${tried.component} ${tried.version}: revoked keys are refused after ${Math.ceil(slowest_ms)} ms at most`)
  const ok = slowest_ms < refused_ms_max
  return {
    ...tried,
    ok,
    result: ok
      ? 'The service starts, its worker completes an export, and both API processes refuse a revoked key within a second.'
      : `A revoked key was accepted for ${Math.round(slowest_ms)} ms.`,
    figures: [
      ...figures,
      { name: 'Keys revoked', value: String(measured.length) },
      { name: 'Until both API processes refuse one, at most', value: `${Math.ceil(slowest_ms)} ms` },
      { name: 'Export', value: seconds(export_ms) },
    ],
  }
}

/** How long the processes accepted a key after it was revoked, milliseconds. */
async function revoked(
  operator: DemarcClient,
  account_id: string,
  n: number,
  ports: readonly number[],
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true })
  const body = { data: { type: 'access_key' as const, attributes: { name: `${n}` } } }
  const { id, attributes } = (await operator.createKey({ params: { account_id }, body })).body.data
  // its own address, because refusals are counted
  const headers = { ...authorization(attributes), 'x-forwarded-for': `10.${n}.0.1` }
  const attempt = { method: 'GET', path: '/v2/whoami', headers }
  const statuses = () =>
    Promise.all(ports.map(async (port) => (await timed(agent, `http://127.0.0.1:${port}`, attempt, give_up_ms)).status))
  try {
    // each process has the key in its cache then
    await until('the key to work', hang_ms, async () => (await statuses()).every((status) => status === 200))
    await operator.revokeKey({ params: { account_id, key_id: id } })
    const revoked_at = performance.now()
    const isRefused = (status: number | null) => status === 401 || status === 429
    await until('the key to be refused', hang_ms, async () => (await statuses()).every(isRefused))
    return performance.now() - revoked_at
  } finally {
    agent.destroy()
  }
}

/** How long an export of the account takes, milliseconds. */
async function exported(operator: DemarcClient, account_id: string, base_url: string): Promise<number> {
  const key = { data: { type: 'access_key' as const, attributes: { name: 'export' } } }
  const { attributes: credentials } = (await operator.createKey({ params: { account_id }, body: key })).body.data
  const account = createDemarcClient({ retry: false, base_url, credentials })
  const began = performance.now()
  const filter_parameters = { start_call_start_time: '2000-01-01 00:00:00', start_call_end_time: '2100-01-01 00:00:00' }
  const body = { data: { type: 'cdrexport' as const, attributes: { callback_url: null, filter_parameters } } }
  const { id: export_id } = (await account.createCdrExport({ body })).body.data
  await until('the export', hang_ms, async () => {
    const { status } = (await account.getCdrExport({ params: { export_id } })).body.data.attributes
    if (status === 'failed') throw new Error('The export failed.')
    return status === 'completed'
  })
  return performance.now() - began
}
