import { demoOperatorName, operatorKeyNamed } from './accounts/index.ts'
import type { Config } from './config.ts'
import { countAddressesByState } from './e911/index.ts'
import { inspectServer } from './engines/call-records/index.ts'
import { activeDatasets, coverageByState } from './engines/street-data/index.ts'
import { checks, ok, warning, type CheckName } from './operator/diagnosis/checks.ts'
import { tryWriting } from './operator/diagnosis/data/folder.ts'
import * as data from './operator/diagnosis/data/rules.ts'
import * as rules from './operator/diagnosis/rules.ts'
import type { Probes } from './operator/diagnosis/run.ts'
import { knowsTimeZone, readSessions, readTime } from './operator/diagnosis/store.ts'
import * as web from './operator/diagnosis/web.ts'
import { freeBytes, readBacklog } from './operator/health.ts'
import { countUnmailedInvitations } from './people/index.ts'
import { countAlerts } from './platform/alerts.ts'
import type { Deps } from './platform/context.ts'
import { readRows } from './platform/db.ts'
import { probeBucket } from './platform/files/index.ts'
import { countJobs } from './platform/jobs.ts'
import { probeRelay } from './platform/mail/probe.ts'
import { migrationState } from './platform/migrate.ts'
import { parseDatabaseUrl } from './platform/postgres/database-url.ts'
import { sessionProblems } from './platform/postgres/session-settings.ts'
import { keyProblem, recordedKeys, unusedKeys } from './platform/secret-keys.ts'
import { sessionPrefix, type Runtime } from './runtime.ts'
import { checkConnections } from './start/database.ts'
import { explaining, migrationsFolder } from './start/migrate.ts'

/** Assembles the checks of an installation: what each reads, and the rule that assesses it. */

/** What the checks read. None of it needs a database that responds. */
export interface Diagnosed extends Pick<Runtime, 'config' | 'installation' | 'warehouse' | 'replicas' | 'isListening'> {
  deps: Pick<Deps, 'db' | 'clock' | 'links' | 'vault' | 'log'>
  forwarding: rules.Forwarding
}

export const probesOf = (diagnosed: Diagnosed): Probes => ({
  ...webProbes(diagnosed),
  ...databaseProbes(diagnosed),
  ...storageProbes(diagnosed),
  ...contentProbes(diagnosed),
})

type Group<Name extends CheckName> = Pick<Probes, Name>

function webProbes({
  config,
  deps,
  forwarding,
}: Diagnosed): Group<'public_url' | 'certificate' | 'metrics' | 'proxy' | 'mail' | 'dns' | 'open_files' | 'log'> {
  const { public_url: url, mode, mail } = config
  const is_secure = url !== null && url.startsWith('https:')
  return {
    public_url: async (signal) =>
      rules.publicUrl(url, mode, is_secure ? await web.reach(url, deps.links, signal) : null),
    certificate: async (signal) =>
      rules.certificate(url, is_secure ? await web.readCertificate(url, signal) : null, new Date()),
    metrics: async (signal) =>
      rules.metrics(mode === 'production' && url !== null ? await web.readMetrics(url, signal) : 'refused'),
    proxy: () => rules.proxy(forwarding),
    mail: async (signal) =>
      mail === null
        ? rules.mail(null, null, await countUnmailedInvitations(deps.db, deps.clock.now()))
        : rules.mail({ host: rules.hostOf(mail.smtp_url), from: mail.from }, await probeRelay(mail, signal), 0),
    dns: async () => rules.dns(await web.queryNameServers()),
    open_files: async () => rules.openFiles(await web.readOpenFileLimit(), config.connections),
    log: () => rules.log(config.log_level),
  }
}

function databaseProbes({
  config,
  deps: { db, log },
  installation,
  replicas,
  isListening,
}: Diagnosed): Group<
  | 'database'
  | 'database_settings'
  | 'database_tls'
  | 'database_connections'
  | 'pooler'
  | 'replicas'
  | 'migrations'
  | 'time_zone'
  | 'database_clock'
> {
  const readSettings = () => sessionProblems((text, values) => readRows(db, text, values))
  const is_pooled = installation.database_direct_url !== null
  return {
    database: () =>
      explaining('DATABASE_URL', async () =>
        data.database({ read_only: (await readSettings()).read_only, is_listening: isListening() }),
      ),
    database_settings: async () => data.databaseSettings(await readSettings()),
    database_tls: () => data.databaseTls(databaseUrls(config)),
    database_connections: async () =>
      data.connections(await readSessions(db, sessionPrefix), { pool_size: config.database_connections, is_pooled }),
    pooler: async () => {
      await checkConnections(config, installation, log)
      return ok(is_pooled ? 'The pooler can be used.' : 'There is no pooler in transaction mode.')
    },
    replicas: async () => data.replicas((await replicas?.lags()) ?? []),
    migrations: async () => data.migrations(await migrationState((text) => readRows(db, text, []), migrationsFolder)),
    time_zone: async () => data.timeZone(config.time_zone, await knowsTimeZone(db, config.time_zone)),
    database_clock: async () => {
      const sent = Date.now()
      const theirs = (await readTime(db)).getTime()
      return rules.clock('PostgreSQL', { theirs, sent, arrived: Date.now() })
    },
  }
}

function databaseUrls(config: Config): data.DatabaseTls[] {
  const urls = [
    ['DATABASE_URL', config.database_url],
    ['DATABASE_DIRECT_URL', config.database_direct_url],
    ...config.database_replica_urls.map((url) => ['DATABASE_REPLICA_URL', url] as const),
  ] as const
  return urls.flatMap(([setting, url]) => {
    if (url === null) return []
    const { servers, sslmode } = parseDatabaseUrl(url)
    return [{ setting, hosts: servers.map(({ host }) => host), sslmode }]
  })
}

function storageProbes({
  config,
  installation,
  warehouse,
}: Diagnosed): Group<'call_records' | 'bucket' | 'data_folder'> {
  const { s3 } = config.files
  return {
    call_records: async (signal) => {
      if (config.clickhouse === null || !('url' in installation.warehouse)) {
        await warehouse.ready({ signal })
        return ok('The embedded engine responds.')
      }
      const sent = Date.now()
      const { servers, down, now } = await inspectServer(installation.warehouse, config.clickhouse.mode)
      return [
        down > 0
          ? warning(`${down} of ${servers + down} servers are down.`, 'Start them, and check their logs.')
          : ok('ClickHouse has the version, mode, and settings that Demarc needs.'),
        rules.clock('ClickHouse', { theirs: now.getTime(), sent, arrived: Date.now() }),
      ]
    },
    bucket: async (signal) => {
      if (s3 === null) return ok('Files are in the data folder.')
      const probed = await probeBucket(s3, signal)
      const clock = probed.clock && rules.clock('the bucket’s server', { ...probed.clock, resolution_ms: 1_000 })
      return [data.bucket(probed), ...(clock ? [clock] : [])]
    },
    data_folder: async () => {
      const code = await tryWriting(config.data_dir)
      const free_bytes = code === null ? await freeBytes(installation.folders) : 0
      return data.dataFolder(config.data_dir, { code, free_bytes })
    },
  }
}

function contentProbes({
  config,
  installation: { secrets },
  deps,
}: Diagnosed): Group<'secret_keys' | 'demo_keys' | 'street_data' | 'jobs' | 'alerts'> {
  const { db, clock, vault } = deps
  return {
    secret_keys: async () => {
      const recorded = await recordedKeys(db)
      const configured = [
        ['DEMARC_PEPPER', secrets.pepper],
        ['DEMARC_PEPPER_ACCEPTED', secrets.accepted_pepper],
        ...secrets.seal_keys.map(({ id, key }) => [`The key ${id} in DEMARC_SEAL_KEYS`, key] as const),
      ] as const
      const weak = configured.filter(([, key]) => typeof key === 'string' && data.isWeak(key)).map(([name]) => name)
      const found = { problem: keyProblem(recorded, vault), weak, unused: unusedKeys(recorded, vault) }
      return data.secretKeys(found, checks.secret_keys.otherwise)
    },
    demo_keys: async () => data.demoKeys(config.mode, await operatorKeyNamed(db, demoOperatorName)),
    street_data: async () => {
      const [covered, addresses, active] = await Promise.all([
        coverageByState(db),
        countAddressesByState(db),
        activeDatasets(db),
      ])
      const now = clock.now().getTime()
      return data.streetData({
        remotes: [config.e911.lost_url, config.e911.census_url].filter((url) => url !== null).length,
        missing: addresses.filter(({ state }) => !covered.some((each) => each.state === state)),
        datasets: active.flatMap(({ name, activated_at }) =>
          activated_at === null ? [] : [{ name, age_days: Math.floor((now - activated_at.getTime()) / 86_400_000) }],
        ),
      })
    },
    jobs: async () => {
      const [backlog, { dead }] = await Promise.all([readBacklog({ db, clock }), countJobs(db, clock.now())])
      return data.jobs({ ...backlog, dead })
    },
    alerts: async () =>
      data.alerts((await countAlerts(db, 'file-damaged')) + (await countAlerts(db, 'call-records-missing'))),
  }
}
