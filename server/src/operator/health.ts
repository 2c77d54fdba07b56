import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'

/** What readiness depends on. */
export interface Parts {
  started: boolean
  warehouse: { ready(options?: { signal?: AbortSignal }): Promise<void> }
}

type PartHealth = { status: 'ready' | 'failing'; detail?: string }

/** A part that has not answered by then is failing. */
const patience_ms = 2000
/** A job that waits so long past its time means that no worker runs. */
const late_ms = 60_000

/** Asks every part whether it answers. */
export async function checkParts(parts: Parts, c: Context): Promise<Record<string, PartHealth>> {
  const [database, call_records, worker] = await Promise.all([
    check(c, 'database', () => sql`select 1`.execute(c.db)),
    check(c, 'call_records', (signal) => parts.warehouse.ready({ signal })),
    check(c, 'worker', async () => {
      const since = new Date(c.clock.now().getTime() - late_ms)
      const { rows } = await sql`
        select from job where dead_at is null and locked_by is null and due_at < ${since} limit 1`.execute(c.db)
      return rows.length > 0 ? 'has work that waits for more than a minute; is one running?' : undefined
    }),
  ])
  const start: PartHealth = parts.started ? { status: 'ready' } : { status: 'failing', detail: 'is under way' }
  return { start, database, call_records, worker }
}

/** Failing when it answers a reason, throws, or takes too long. What was thrown goes to the log only: anybody may ask, and it names hosts and folders. */
async function check(c: Context, part: string, ask: (signal: AbortSignal) => Promise<unknown>): Promise<PartHealth> {
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
