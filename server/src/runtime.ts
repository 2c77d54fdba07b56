import { openWarehouse, type Warehouse, type WarehouseOptions } from './engines/call-records/index.ts'
import type { Config } from './config.ts'
import { accessKeyChannel } from './accounts/index.ts'
import { storedBytes as exportBytes } from './cdrs/index.ts'
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
import { withAdvisoryLock } from './platform/advisory-lock.ts'
import { clockChannel, openMovableClock, realClock, type MovableClock } from './platform/clock.ts'
import type { Deps } from './platform/context.ts'
import { listen, openDatabase, type DatabaseHandle, type Log } from './platform/db.ts'
import { openFiles } from './platform/files.ts'
import { jobChannel } from './platform/job-wakeups.ts'
import { createLinks } from './platform/links.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createOutbound, type Outbound } from './platform/outbound/index.ts'
import { createVault } from './platform/secrets.ts'
import { createStorage, type Storage } from './platform/storage.ts'
import { version } from './operator/version.ts'
import type { Installation } from './installation.ts'
import { activeStreets } from './engines/street-data/index.ts'

/** Enough for the two concurrent statements of a few validations. More validations wait in the pool's queue. */
const e911_connections = 6

/** Prefix of the application_name of every database session, followed by the process name. */
export const sessionPrefix = 'demarc-'

/** The opened dependencies of one process. */
export interface Runtime {
  deps: Deps
  config: Config
  installation: Installation
  database: DatabaseHandle
  warehouse: Warehouse
  outbound: Outbound
  delivery: DeliveryLimits
  /** Validates emergency addresses. */
  e911: Validator
  metrics: Metrics
  /** The storage limit for the files of each account. */
  storage: Storage
  /** False until this process has started completely. Readiness fails until then. */
  started: boolean
  /** Demo mode only. */
  movable: MovableClock | null
  /** Adds handlers for notifications from the database. */
  subscribe(handlers: NotificationHandlers): void
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
  warehouse?: Pick<WarehouseOptions, 'wait_ms' | 'failFast'>
}

/** Opens all dependencies of a process. The database must have been migrated. */
export async function openRuntime(
  config: Config,
  installation: Installation,
  name: string,
  log: Log,
  overrides: RuntimeOverrides = {},
): Promise<Runtime> {
  const { connect_timeout_ms } = overrides
  const common = {
    connection: installation.database_url,
    ...(connect_timeout_ms !== undefined && { connect_timeout_ms }),
    log,
  }
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
  const deps = await openDeps(config, installation, { db: database.db, clock: movable ?? realClock, log })
  const metrics = createMetrics()
  const notified = subscribeToDatabase(installation.database_url, name, { movable, pools: [database, streets] }, log)
  const warehouse = openWarehouse({
    at: installation.warehouse,
    exclusively: (work) => withAdvisoryLock(database.db, work),
    ...overrides.warehouse,
  })
  return {
    deps,
    config,
    installation,
    database,
    warehouse,
    outbound:
      overrides.outbound ?? createOutbound({ allow_cidrs: config.outbound_allow, user_agent: `Demarc/${version}` }),
    delivery: { ...deliveryLimits, ...overrides.delivery },
    e911: addressValidator(config, streets.db, metrics),
    metrics,
    storage: createStorage({
      limit_bytes: config.storage_limit_bytes,
      stored: [exportBytes, documentBytes, validationBytes],
    }),
    movable,
    started: false,
    subscribe: notified.subscribe,
    async close() {
      await notified.close()
      await warehouse.close()
      await streets.close()
      await database.close()
    },
  }
}

async function openDeps(
  { time_zone }: Config,
  { secrets, files_dir, public_url }: Installation,
  given: Pick<Deps, 'db' | 'clock' | 'log'>,
): Promise<Deps> {
  return {
    ...given,
    files: await openFiles(files_dir),
    links: createLinks({ keys: [secrets.pepper] }),
    vault: createVault({ pepper: secrets.pepper, seal_keys: secrets.seal_keys }),
    public_url,
    time_zone,
  }
}

/** Forwards database notifications to subscribers, and reloads the movable clock in demo mode. */
function subscribeToDatabase(
  database_url: string,
  name: string,
  { movable, pools }: { movable: MovableClock | null; pools: readonly DatabaseHandle[] },
  log: Log,
): Pick<Runtime, 'subscribe' | 'close'> {
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
    database_url,
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
        for (const s of subscribers) s.onSubscribed?.(false)
      },
      onSilence: (silent) => {
        log.warn({ silent }, silent ? 'the database does not respond' : 'the database responds again')
        for (const pool of pools) pool.setSilent(silent)
      },
      application_name: `${sessionPrefix}${name}-listen`,
      log,
    },
  )
  return {
    subscribe(handlers) {
      subscribers.push(handlers)
      handlers.onSubscribed?.(listener.isUp())
    },
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
