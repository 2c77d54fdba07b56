import { sql } from 'kysely'
import type { Coverage } from '../engines/street-data/index.ts'
import type { Context } from '../platform/context.ts'

/** What readiness depends on. */
export interface Dependencies {
  started: boolean
  warehouse: { ready(options?: { signal?: AbortSignal }): Promise<void> }
  /** What emergency addresses are checked against. Whatever it is, they are checked: nothing to wait for. */
  coverage(): Promise<Coverage>
}

type DependencyHealth = { status: 'ready' | 'failing'; detail?: string }

/** A part that has not answered by then is failing. */
const patience_ms = 2000
/** A job that waits so long past its time means that no worker runs. */
const late_ms = 60_000

/** Asks every part whether it answers. */
export async function checkDependencies(parts: Dependencies, c: Context): Promise<Record<string, DependencyHealth>> {
  const [database, call_records, worker, e911] = await Promise.all([
    check(c, 'database', () => sql`select 1`.execute(c.db)),
    check(c, 'call_records', (signal) => parts.warehouse.ready({ signal })),
    check(c, 'worker', async () => {
      const since = new Date(c.clock.now().getTime() - late_ms)
      const { rows } = await sql`
        select from job where dead_at is null and locked_by is null and due_at < ${since} limit 1`.execute(c.db)
      return rows.length > 0 ? 'has work that waits for more than a minute; is one running?' : undefined
    }),
    covered(parts, c),
  ])
  const start: DependencyHealth = parts.started ? { status: 'ready' } : { status: 'failing', detail: 'is under way' }
  return { start, database, call_records, worker, e911 }
}

/** Failing when it answers a reason, throws, or takes too long. What was thrown goes to the log only: anybody may ask, and it names hosts and folders. */
async function check(c: Context, part: string, ask: (signal: AbortSignal) => Promise<unknown>): Promise<DependencyHealth> {
  const signal = AbortSignal.timeout(patience_ms)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${patience_ms / 1000} s`)))
  })
  try {
    const reason = await Promise.race([ask(signal), late])
    return typeof reason === 'string' ? { status: 'failing', detail: reason } : { status: 'ready' }
  } catch (error) {
    c.log.warn({ err: error, part }, 'a part is not ready')
    return { status: 'failing', detail: 'does not answer' }
  }
}

/** Always ready: the detail says how far. */
async function covered(parts: Dependencies, c: Context): Promise<DependencyHealth> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience_ms)
  })
  try {
    const coverage = await Promise.race([parts.coverage(), late])
    return { status: 'ready', detail: coverage?.words ?? 'what is covered is being counted' }
  } catch (error) {
    c.log.warn({ err: error }, 'could not tell what street data covers')
    return { status: 'ready', detail: 'what is covered cannot be told at present' }
  } finally {
    clearTimeout(timer)
  }
}
