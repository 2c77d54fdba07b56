import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Coverage } from '../engines/street-data/index.ts'
import type { Context } from '../platform/context.ts'

/** What readiness checks. */
export interface Dependencies {
  started: boolean
  warehouse: { ready(options?: { signal?: AbortSignal }): Promise<void> }
  /** What emergency addresses are validated against. Any coverage is ready. */
  coverage(): Promise<Coverage>
  /** Folders whose disks must have room. */
  folders: readonly string[]
}

type DependencyHealth = { status: 'ready' | 'failing'; detail?: string }

/** A dependency that has not responded by then is failing. */
const timeout_ms = 2000
/** A job that is overdue by so long means that no worker is running. */
const late_ms = 60_000
/** PostgreSQL and the call-record store write files of up to 16 MiB, and stop when they cannot. */
const room_bytes_min = 64 * 1024 * 1024

/** Checks every dependency. */
export async function checkDependencies(
  dependencies: Dependencies,
  c: Context,
): Promise<Record<string, DependencyHealth>> {
  const [database, storage, call_records, worker, e911] = await Promise.all([
    check(c, 'database', () => sql`select 1`.execute(c.db)),
    check(c, 'storage', async () => {
      const room_bytes = await freeBytes(dependencies.folders)
      if (room_bytes < room_bytes_min) return `has only ${Math.floor(room_bytes / 1024 ** 2)} MiB left`
    }),
    check(c, 'call_records', (signal) => dependencies.warehouse.ready({ signal })),
    check(c, 'worker', async () => {
      const since = new Date(c.clock.now().getTime() - late_ms)
      const { rows } = await sql`
        select from job where dead_at is null and locked_by is null and due_at < ${since} limit 1`.execute(c.db)
      return rows.length > 0 ? 'has jobs overdue by more than a minute; is one running?' : undefined
    }),
    checkCoverage(dependencies, c),
  ])
  const start: DependencyHealth = dependencies.started
    ? { status: 'ready' }
    : { status: 'failing', detail: 'is under way' }
  return { start, database, storage, call_records, worker, e911 }
}

/** Room on the fullest disk of these folders, bytes. A disk that cannot have another file has none. */
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

/** Failing when the probe returns a reason, throws, or times out. The error goes to the log only, because the endpoint is public and errors name hosts and folders. */
async function check(
  c: Context,
  dependency: string,
  probe: (signal: AbortSignal) => Promise<unknown>,
): Promise<DependencyHealth> {
  const signal = AbortSignal.timeout(timeout_ms)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no response within ${timeout_ms / 1000} s`)))
  })
  try {
    const reason = await Promise.race([probe(signal), late])
    return typeof reason === 'string' ? { status: 'failing', detail: reason } : { status: 'ready' }
  } catch (error) {
    c.log.warn({ err: error, dependency }, 'a dependency is not ready')
    return { status: 'failing', detail: 'does not respond' }
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
