import type { FastifyInstance } from 'fastify'
import { operations } from '@demarc/client'
import { createAuthentication } from './accounts/index.ts'
import { accountRoutes } from './accounts/routes.ts'
import { activityRoutes } from './activity/routes.ts'
import { coldGauges } from './cdrs/index.ts'
import { cdrRoutes } from './cdrs/routes.ts'
import { cnamRoutes } from './cnam/routes.ts'
import { documentRoutes } from './order-documents/routes.ts'
import { e911Routes } from './e911/routes.ts'
import { countLow } from './inventory/index.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { locationRoutes } from './location/routes.ts'
import { noticeRoutes } from './notices/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { countNumbersByVoiceRoute, clearCnamFromNumbers, numbersOfCnam } from './numbers/index.ts'
import { numberRoutes } from './numbers/routes.ts'
import { probesOf } from './diagnosis.ts'
import { countForwarding, type Forwarding } from './operator/diagnosis/rules.ts'
import { diagnosisRoutes } from './operator/diagnosis/routes.ts'
import { diagnose } from './operator/diagnosis/run.ts'
import { freeBytes } from './operator/health.ts'
import { addPages } from './operator/pages.ts'
import { operatorRoutes } from './operator/routes.ts'
import { byKeyOrSession } from './people/index.ts'
import { peopleRoutes } from './people/routes.ts'
import { countAlerts } from './platform/alerts.ts'
import { scrubProgress } from './platform/file-scrub.ts'
import { buildServer } from './platform/http/server.ts'
import { LoopDelay } from './platform/http/shedding.ts'
import type { Site } from './platform/http/site.ts'
import { countJobs, jobBacklog } from './platform/jobs.ts'
import { keyUses } from './platform/secret-keys.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { dropReasons, onSpansDropped } from './platform/traces/index.ts'
import { editFiles, orderForFiles } from './port-orders/index.ts'
import { portOrderRoutes } from './port-orders/routes.ts'
import { retentionRoutes } from './retention/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { voiceRouteRoutes } from './voice-routes/routes.ts'
import type { Runtime } from './runtime.ts'

/** Approximate event-loop turns per request, each of which waits for the processor. */
const loopTurns = 5

/** Assembles the HTTP server from every feature's routes and the portal. It contains no logic of its own. */
export async function buildApp(runtime: Runtime, site: Promise<Site> | null = null): Promise<FastifyInstance> {
  const { deps, config, metrics } = runtime
  const authentication = createAuthentication(deps)
  runtime.subscribe({ onKeyChanged: authentication.invalidate, onSubscribed: authentication.setSubscribed })
  const forwarding: Forwarding = { requests: 0, forwarded: 0, peer: null }
  const bindings = [
    ...operatorRoutes(runtime)(deps),
    ...diagnosisRoutes(() => diagnose(probesOf({ ...runtime, forwarding }), deps.log))(deps),
    ...accountRoutes(authentication)(deps),
    ...peopleRoutes(runtime)(deps),
    ...voiceRouteRoutes(countNumbersByVoiceRoute)(deps),
    ...cnamRoutes({ clearFromNumbers: clearCnamFromNumbers, numbersOf: numbersOfCnam })(deps),
    ...e911Routes(runtime)(deps),
    ...numberRoutes(runtime)(deps),
    ...inventoryRoutes(runtime)(deps),
    ...cdrRoutes(runtime)(deps),
    ...portOrderRoutes(runtime)(deps),
    ...documentRoutes({ orderForFiles, editFiles }, runtime)(deps),
    ...locationRoutes(runtime)(deps),
    ...notificationRoutes(runtime)(deps),
    ...activityRoutes,
    ...noticeRoutes(runtime)(deps),
    ...searchRoutes(deps),
    ...retentionRoutes(runtime, authentication)(deps),
  ]
  assertEveryOperationBound(bindings.map((b) => b.operation.id))
  const authenticate = byKeyOrSession(authentication.authenticate, deps)
  const limit = createRateLimit(config.requests_per_minute, deps)
  const countClosing = metrics.counter(
    'demarc_http_connections_closed',
    'Connections closed by a limit: per address, new ones per address and second, in total, waiting requests, or because the client stopped reading a response.',
    ['reason'],
    ['address', 'total', 'arrivals', 'pipelined', 'stalled'].map((reason) => ({ reason })),
  )
  const shed = shedding(runtime)
  const app = buildServer(deps, bindings, {
    authenticate,
    limit,
    replicas: runtime.replicas,
    isOverloaded: shed.isOverloaded,
    observeRefusal: shed.observeRefusal,
    body_limit_bytes: config.body_limit_bytes,
    trust_proxy: config.trust_proxy,
    site,
    limits: {
      connections: config.connections,
      connections_per_address: config.connections_per_address,
      arrivals_per_address: config.connections_per_address,
    },
    observe: metrics.observeRequest,
    observeForwarding: (peer) => countForwarding(forwarding, peer),
    observeClosing: (reason) => countClosing({ reason }),
  })
  addGauges(runtime)
  countDroppedSpans(runtime)
  await addPages(app, runtime, { authenticate, limit, has_site: site !== null })
  app.addHook('onClose', () => authentication.close())
  app.addHook('onClose', async () => shed.close())
  return app
}

/** Decides when to reject requests because others have waited too long, and counts those rejected. */
function shedding({ config, database, metrics }: Runtime) {
  const loop = new LoopDelay()
  const waiting = (): 'database' | 'processor' | null => {
    if (database.longestWait_ms() > config.queue_ms) return 'database'
    return loop.standing_ms() > config.queue_ms / loopTurns ? 'processor' : null
  }
  const countRefusal = metrics.counter(
    'demarc_http_requests_refused',
    'Requests rejected because others have waited too long.',
    ['reason'],
    [{ reason: 'database' }, { reason: 'processor' }],
  )
  return {
    isOverloaded: () => waiting() !== null,
    observeRefusal: () => countRefusal({ reason: waiting() ?? 'database' }),
    close: () => loop.close(),
  }
}

function countDroppedSpans({ metrics }: Runtime): void {
  const count = metrics.counter(
    'demarc_trace_spans_dropped_total',
    'Spans of traces that were not sent: the queue was full, or the receiver did not accept them.',
    ['reason'],
    dropReasons.map((reason) => ({ reason })),
  )
  onSpansDropped((reason, spans) => count({ reason }, spans))
}

function addGauges({ deps, config, installation, metrics, replicas }: Runtime): void {
  metrics.gauge(
    'demarc_jobs_due',
    'Jobs that are due and have not started.',
    async () => (await countJobs(deps.db, deps.clock.now())).due,
  )
  metrics.gauge(
    'demarc_jobs_dead',
    'Jobs that failed permanently.',
    async () => (await countJobs(deps.db, deps.clock.now())).dead,
  )
  metrics.gauge(
    'demarc_jobs_late_seconds',
    'How long the longest-waiting job has been due.',
    async () => (await jobBacklog(deps.db, deps.clock.now())).late_s,
  )
  metrics.gauge('demarc_files_damaged', 'Stored files that are damaged or missing.', () =>
    countAlerts(deps.db, 'file-damaged'),
  )
  metrics.gauge('demarc_call_record_months_incomplete', 'Months of accounts with call records missing.', () =>
    countAlerts(deps.db, 'call-records-missing'),
  )
  metrics.gauge('demarc_inventory_low_rate_centers', 'Rate centers with few available numbers.', () =>
    countLow(deps.db),
  )
  metrics.gauge('demarc_cold_call_record_months', 'Months of accounts with call records in the file store.', () =>
    coldGauges.months(deps),
  )
  metrics.gauge('demarc_cold_call_record_bytes', 'Bytes of the files with call records.', () => coldGauges.bytes(deps))
  metrics.gauge(
    'demarc_cold_call_record_months_due',
    'Months of accounts that are old enough for the file store and are not there yet.',
    () => coldGauges.due(deps, config.cold_after_months),
  )
  metrics.gauge(
    'demarc_file_scrub_progress',
    'How far the check of all stored files has come, from 0 to 1; 1 between checks.',
    async () => (await scrubProgress(deps.db)).progress,
  )
  metrics.gauge(
    'demarc_file_scrub_finished_timestamp_seconds',
    'When the last check of all stored files ended, in Unix time; 0 if none has.',
    async () => (await scrubProgress(deps.db)).finished_s,
  )
  metrics.gauges(
    'demarc_secret_key_uses',
    'Stored values that need a pepper or seal key, when last counted.',
    ['kind', 'key'],
    () => keyUses(deps.db),
  )
  metrics.gauge('demarc_storage_free_bytes', 'Free space on the fullest disk that this installation writes to.', () =>
    freeBytes(installation.folders),
  )
  if (replicas)
    metrics.gauge(
      'demarc_replica_lag_seconds',
      'How far the replica that is furthest behind is behind; infinite if one does not respond.',
      () => replicas.lag_s(),
    )
}

/** Throws for declared operations without a handler. */
function assertEveryOperationBound(bound: readonly string[]): void {
  const missing = Object.keys(operations).filter((id) => !bound.includes(id))
  if (missing.length > 0) throw new Error(`Operations declared in api/ without a handler: ${missing.join(', ')}`)
}
