import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Coverage } from '../engines/street-data/index.ts'
import type { Context } from '../platform/context.ts'
import { readRows, sqlState } from '../platform/db.ts'
import { sessionProblems } from '../platform/postgres/session-settings.ts'
import { jobBacklog } from '../platform/jobs.ts'
import { keyProblem, recordedKeys } from '../platform/secret-keys.ts'

/** What readiness checks. */
export interface Dependencies {
  phase: 'starting' | 'serving' | 'stopping'
  /** Whether notifications of the database arrive. */
  isListening(): boolean
  warehouse: { ready(options?: { signal?: AbortSignal }): Promise<void> }
  /** The data that emergency addresses are validated against. Any coverage counts as ready. */
  coverage(): Promise<Coverage>
  /** Folders whose disks need free space. */
  folders: readonly string[]
}

type DependencyHealth = { status: 'ready' | 'failing'; detail?: string }

/** A dependency that has not responded within this time is failing. */
const timeout_ms = 2000
/** Jobs overdue by this long are a backlog, or mean that no worker is running. */
export const backlog_s = 60
/** A busy worker is without a running job only for the milliseconds between two jobs. */
const idle_ms = 300
/** PostgreSQL and the call-record store write files of up to 16 MiB, and stop when they cannot. */
export const room_bytes_min = 64 * 1024 * 1024

export async function checkDependencies(
  dependencies: Dependencies,
  c: Context,
): Promise<Record<string, DependencyHealth>> {
  const [database, secrets, storage, call_records, worker, e911] = await Promise.all([
    check(c, 'database', () => databaseHealth(dependencies, c)),
    check(c, 'secrets', async () => {
      const reason = keyProblem(await recordedKeys(c.db), c.vault)
      if (reason !== null) return failing(reason)
    }),
    check(c, 'storage', async () => {
      const room_bytes = await freeBytes(dependencies.folders)
      if (room_bytes < room_bytes_min) return failing(`has only ${Math.floor(room_bytes / 1024 ** 2)} MiB left`)
    }),
    check(c, 'call_records', (signal) => dependencies.warehouse.ready({ signal })),
    check(c, 'worker', () => workerHealth(c)),
    checkCoverage(dependencies, c),
  ])
  const { phase } = dependencies
  const start =
    phase === 'serving'
      ? { status: 'ready' as const }
      : failing(phase === 'starting' ? 'is under way' : 'has ended: this process is stopping')
  return { start, database, secrets, storage, call_records, worker, e911 }
}

/**
 * A read-only database serves reads and nothing else. Without notifications, and with other limits than the service sets where no
 * pooler keeps it from doing so, everything works, but slower or for longer.
 */
async function databaseHealth({ isListening }: Dependencies, c: Context): Promise<DependencyHealth | undefined> {
  const { read_only, unsafe, limits } = await sessionProblems((text, values) => readRows(c.db, text, values))
  if (read_only) return failing('is read-only')
  if (unsafe.length > 0) return failing(`has unsafe settings; run as its role: ${unsafe.join('; ')}`)
  const details = [
    ...(isListening() ? [] : ['sends no notifications, so caches are off']),
    ...(limits.length > 0 ? [`lacks limits; run as its role: ${limits.join('; ')}`] : []),
  ]
  return details.length > 0 ? { status: 'ready', detail: details.join('; ') } : undefined
}

const failing = (detail: string): DependencyHealth => ({ status: 'failing', detail })

/** Failing when jobs are overdue and no worker is running one. A backlog alone is not a failure: requests still work. */
async function workerHealth(c: Context): Promise<DependencyHealth | undefined> {
  const backlog = await readBacklog(c)
  if (backlog.late_s < backlog_s) return undefined
  return backlog.running
    ? { status: 'ready', detail: `has jobs that are overdue by ${Math.floor(backlog.late_s)} s` }
    : failing('has jobs overdue by more than a minute and works on none; is one running?')
}

/** The backlog; between two jobs, of a moment later. */
export async function readBacklog({ db, clock }: Pick<Context, 'db' | 'clock'>): ReturnType<typeof jobBacklog> {
  const backlog = await jobBacklog(db, clock.now())
  if (backlog.running || backlog.late_s < backlog_s) return backlog
  await sleep(idle_ms)
  return await jobBacklog(db, clock.now())
}

/** Free space on the fullest disk of these folders, in bytes. A disk that cannot hold another file counts as full. */
export async function freeBytes(folders: readonly string[]): Promise<number> {
  const rooms = await Promise.all(
    folders.map(async (folder) => {
      const { bavail, bsize, files, ffree } = await statfs(folder)
      // some file systems do not count files
      return files > 0 && ffree === 0 ? 0 : bavail * bsize
    }),
  )
  return Math.min(...rooms)
}

/**
 * The probe's result, ready by default; failing if it throws or times out. The error goes only to the log, because the endpoint
 * is public and errors name hosts and folders.
 */
async function check(
  c: Context,
  dependency: string,
  probe: (signal: AbortSignal) => Promise<DependencyHealth | undefined | void>,
): Promise<DependencyHealth> {
  const signal = AbortSignal.timeout(timeout_ms)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no response within ${timeout_ms / 1000} s`)))
  })
  try {
    return (await Promise.race([probe(signal), late])) ?? { status: 'ready' }
  } catch (error) {
    c.log.warn({ err: error, dependency }, 'a dependency is not ready')
    // 53300: too_many_connections
    return failing(sqlState(error) === '53300' ? 'has no connection left' : 'is not responding')
  }
}

/** Always ready; the detail gives the coverage. */
async function checkCoverage(dependencies: Dependencies, c: Context): Promise<DependencyHealth> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeout_ms)
  })
  try {
    const coverage = await Promise.race([dependencies.coverage(), late])
    return { status: 'ready', detail: coverage?.description ?? 'the coverage is being counted' }
  } catch (error) {
    c.log.warn({ err: error }, 'could not count the coverage of street data')
    return { status: 'ready', detail: 'the coverage is unknown at present' }
  } finally {
    clearTimeout(timer)
  }
}
