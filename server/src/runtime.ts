import type { Warehouse, WarehouseOptions } from './engines/call-records/index.ts'
import type { Config } from './config.ts'
import { accessKeyChannel } from './accounts/index.ts'
import { accountSecrets } from './accounts/secret-store.ts'
import {
  cdrSecrets,
  lockInserts,
  openCurrentStore,
  placementSource,
  storedBytes as exportBytes,
  type StoreSettings,
} from './cdrs/index.ts'
import { storedBytes as validationBytes } from './e911/index.ts'
import { storedBytes as documentBytes } from './order-documents/index.ts'
import {
  sendByFetch,
  censusValidator,
  chainedValidator,
  countedValidator,
  localValidator,
  lostValidator,
  type Validator,
} from './engines/addresses/index.ts'
import { deliveryLimits, type DeliveryLimits } from './notifications/rules.ts'
import { peopleSecrets } from './people/secret-store.ts'
import { portOrderSecrets } from './port-orders/secret-store.ts'
import { clockChannel, openMovableClock, realClock, type MovableClock } from './platform/clock.ts'
import type { Deps } from './platform/context.ts'
import { listen, notify, openDatabase, type DatabaseHandle, type Log } from './platform/db.ts'
import { checkBucketRecord, openStores } from './platform/files/index.ts'
import { jobChannel } from './platform/jobs.ts'
import { createLinks } from './platform/links.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createOutbound, type Outbound } from './platform/outbound/index.ts'
import { createVault } from './platform/secrets.ts'
import { checkSecretKeys } from './platform/secret-keys.ts'
import type { SecretColumns } from './platform/secret-columns.ts'
import { idempotencySecrets } from './platform/idempotency.ts'
import {
  createReplicas,
  replicaLimits,
  type ReplicaLimits,
  type ReplicaObserver,
  type Replicas,
} from './platform/replicas.ts'
import { createStorage, type Storage } from './platform/storage.ts'
import type { Dependencies } from './operator/health.ts'
import { version } from './operator/version.ts'
import type { Installation } from './installation.ts'
import { activeStreets } from './engines/street-data/index.ts'

/** Enough for the two concurrent statements of a few validations. More validations wait in the pool's queue. */
const e911_connections = 6

/** Prefix of the application_name of every database session, followed by the process name. */
export const sessionPrefix = 'demarc-'

const secrets = [accountSecrets, peopleSecrets, portOrderSecrets, cdrSecrets, idempotencySecrets]
/** What every feature seals, or hashes with the pepper. */
export const secretColumns: SecretColumns = {
  sealed: secrets.flatMap(({ sealed }) => sealed),
  hashed: secrets.flatMap(({ hashed }) => hashed),
}

/** The opened dependencies of one process. */
export interface Runtime {
  deps: Deps
  config: Config
  installation: Installation
  database: DatabaseHandle
  /** Null without DATABASE_REPLICA_URL. */
  replicas: Replicas | null
  warehouse: Warehouse
  outbound: Outbound
  delivery: DeliveryLimits
  /** Validates emergency addresses. */
  e911: Validator
  metrics: Metrics
  /** The storage limit for the files of each account. */
  storage: Storage
  /** Readiness fails before this process has started completely, and once it stops. */
  phase: Dependencies['phase']
  /** Demo mode only. */
  movable: MovableClock | null
  /** Adds handlers for notifications from the database. */
  subscribe(handlers: NotificationHandlers): void
  /** Whether notifications from the database arrive. */
  isListening(): boolean
  close(): Promise<void>
}

export interface NotificationHandlers {
  onKeyChanged?: (access_key: string) => void
  onJobEnqueued?: () => void
  /** Called with true once all channels are subscribed, and with false when the connection is lost: caches may then be stale. */
  onSubscribed?: (listening: boolean) => void
}

/** Replaces dependencies and limits that the settings define. */
export interface RuntimeOverrides {
  /** How long to wait for a database connection. `openDatabase` has the default. */
  connect_timeout_ms?: number
  /** Rejects address validations while one has waited longer than this for a connection. */
  longest_wait_ms?: number
  outbound?: Outbound
  delivery?: Partial<DeliveryLimits>
  warehouse?: Pick<WarehouseOptions, 'wait_ms' | 'failFast' | 'slice_rows'>
  /** Limits of files in S3. */
  files?: Parameters<typeof openStores>[2]
}

/** Opens all dependencies of a process. The database must have been migrated. */
export async function openRuntime(
  config: Config,
  installation: Installation,
  name: string,
  log: Log,
  overrides: RuntimeOverrides = {},
): Promise<Runtime> {
  const { files } = await openStores(installation.files_dir, config.files, overrides.files)
  const common = poolOptions(config, installation, overrides, log)
  const database = openDatabase({
    pool_size: config.database_connections,
    application_name: sessionPrefix + name,
    ...common,
  })
  // a separate pool: requests that hold all connections of the pool above during validation would deadlock waiting for a second
  const streets = openDatabase({
    pool_size: e911_connections,
    application_name: `${sessionPrefix}${name}-e911`,
    longest_wait_ms: overrides.longest_wait_ms ?? Infinity,
    ...common,
  })
  const movable = config.mode === 'demo' ? await openMovableClock(database.db) : null
  const deps = await openDeps(config, installation, { db: database.db, clock: movable ?? realClock, log, files })
  const metrics = createMetrics()
  const replicas = openReplicas(config, name, database, metrics, log)
  const notified = subscribeToDatabase(installation, name, { movable, pools: [database, streets] }, log)
  const warehouse = openCurrentStore(
    // no one holds a connection of this pool while waiting for another
    { reads: streets.db, vault: deps.vault },
    {
      ...callRecordStore(config, installation),
      exclusively: lockInserts(database.db, deps.clock),
      placements: placementSource(database.db),
      ...overrides.warehouse,
    },
  )
  return {
    deps,
    config,
    installation,
    database,
    replicas,
    warehouse,
    outbound:
      overrides.outbound ?? createOutbound({ allow_cidrs: config.outbound_allow, user_agent: `Demarc/${version}` }),
    delivery: { ...deliveryLimits, ...overrides.delivery },
    e911: addressValidator(config, streets.db, metrics),
    metrics,
    storage: storageOf(config, log),
    movable,
    phase: 'starting',
    ...notified,
    async close() {
      await notified.close()
      await warehouse.close()
      await streets.close()
      await replicas?.close()
      await database.close()
    },
  }
}

/** What signs and seals with the secrets of the installation. */
export const signersOf = ({ secrets }: Installation) => ({
  links: createLinks({ keys: [secrets.pepper, ...(secrets.accepted_pepper ? [secrets.accepted_pepper] : [])] }),
  vault: createVault(secrets),
})

/** The call-record store that the settings name. */
export const callRecordStore = (config: Config, { warehouse: at }: Installation): StoreSettings => ({
  at,
  mode: config.clickhouse?.mode ?? { name: 'embedded' },
})

const storageOf = ({ storage_limit_bytes }: Config, log: Log): Storage =>
  createStorage({ limit_bytes: storage_limit_bytes, log, stored: [exportBytes, documentBytes, validationBytes] })

/** Pools for the read replicas, which connect when they are used. Null if none are configured. */
export function openReplicas(
  { database_replica_urls, database_connections }: Config,
  name: string,
  database: DatabaseHandle,
  metrics: Metrics,
  log: Log,
  limits: ReplicaLimits = replicaLimits,
): Replicas | null {
  if (database_replica_urls.length === 0) return null
  const handles = database_replica_urls.map((connection, n) =>
    openDatabase({
      connection,
      pool_size: database_connections,
      application_name: `${sessionPrefix}${name}-replica${n + 1}`,
      connect_timeout_ms: limits.response_ms,
      replica: true,
      log,
    }),
  )
  const countRead = metrics.counter(
    'demarc_replica_reads_total',
    'Reads that may use a replica, by the server that was chosen.',
    ['server'],
  )
  const countSkip = metrics.counter(
    'demarc_replica_skips_total',
    'Reads that a replica could not serve, by the reason.',
    ['server', 'reason'],
  )
  const observer: ReplicaObserver = {
    onRead: (server) => countRead({ server }),
    onSkip: (server, reason) => countSkip({ server, reason }),
  }
  return createReplicas(database, handles, observer, log, limits)
}

/** What the pools to the primary have in common. */
export const poolOptions = (config: Config, installation: Installation, overrides: RuntimeOverrides, log: Log) => ({
  connection: installation.database_url,
  direct: installation.database_direct_url,
  prepared: config.prepared_statements,
  connect_timeout_ms: overrides.connect_timeout_ms,
  log,
})

async function openDeps(
  { time_zone, files }: Config,
  installation: Installation,
  base: Pick<Deps, 'db' | 'clock' | 'log' | 'files'>,
): Promise<Deps> {
  await checkBucketRecord(base.db, files)
  const signers = signersOf(installation)
  await checkSecretKeys({ ...base, ...signers }, secretColumns)
  return { ...base, ...signers, public_url: installation.public_url, time_zone }
}

/** Forwards database notifications to subscribers, and reloads the movable clock in demo mode. */
function subscribeToDatabase(
  { database_url, database_direct_url }: Installation,
  name: string,
  { movable, pools }: { movable: MovableClock | null; pools: readonly [DatabaseHandle, ...DatabaseHandle[]] },
  log: Log,
): Pick<Runtime, 'subscribe' | 'isListening' | 'close'> {
  const subscribers: NotificationHandlers[] = []
  const reloadClock = async () => {
    try {
      await movable?.reload()
      for (const s of subscribers) s.onJobEnqueued?.()
    } catch (error) {
      log.warn({ err: error }, 'could not read the clock; retrying at the next notification')
    }
  }
  const listener = listen(
    database_direct_url ?? database_url,
    [accessKeyChannel, jobChannel, clockChannel],
    (channel, payload) => {
      if (channel === accessKeyChannel) for (const s of subscribers) s.onKeyChanged?.(payload)
      else if (channel === jobChannel) for (const s of subscribers) s.onJobEnqueued?.()
      else void reloadClock()
    },
    {
      onUp: () => {
        for (const s of subscribers) s.onSubscribed?.(true)
        void reloadClock()
      },
      onDown: () => {
        for (const pool of pools) pool.leaveServer()
        for (const s of subscribers) s.onSubscribed?.(false)
      },
      onSilence: (silent) => {
        log.warn({ silent }, silent ? 'the database is not responding' : 'the database responds again')
        for (const pool of pools) pool.setSilent(silent)
      },
      notify: (channel, payload) => notify(pools[0].db, channel, payload),
      application_name: `${sessionPrefix}${name}-listen`,
      log,
    },
  )
  return {
    subscribe(handlers) {
      subscribers.push(handlers)
      handlers.onSubscribed?.(listener.isUp())
    },
    isListening: () => listener.isUp(),
    close: () => listener.close(),
  }
}

/** Validates with local data first. For addresses that it does not cover, tries the configured remote validators in order. */
function addressValidator(config: Config, db: Deps['db'], metrics: Metrics): Validator {
  const { min_level, lost_url, census_url } = config.e911
  const now = () => Date.now()
  const remotes = [
    ...(lost_url === null ? [] : [lostValidator({ url: lost_url, send: sendByFetch, now })]),
    ...(census_url === null ? [] : [censusValidator({ url: census_url, send: sendByFetch, now })]),
  ]
  const local = localValidator({ streets: activeStreets(db), min_level, defers: remotes.length > 0 })
  const validator = remotes.length === 0 ? local : chainedValidator(local, remotes, min_level)
  return countedValidator(
    validator,
    metrics.counter('demarc_e911_verdicts_total', 'Emergency addresses validated, by verdict and validation level.', [
      'verdict',
      'level',
    ]),
  )
}
