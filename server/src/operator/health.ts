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

/** Asks every part whether it answers. Jobs that wait long past their time mean that no worker runs. */
export async function checkParts(parts: Parts, c: Context): Promise<Record<string, PartHealth>> {
  const [database, call_records, worker] = await Promise.all([
    check(() => sql`select 1`.execute(c.db)),
    check((signal) => parts.warehouse.ready({ signal })),
    check(async () => {
      const { rows } = await sql<{ late: string }>`
        select count(*) as late from job where dead_at is null and locked_by is null and due_at < ${new Date(c.clock.now().getTime() - 60_000)}`.execute(
        c.db,
      )
      const late = Number(rows[0]?.late ?? 0)
      if (late > 0) throw new Error(`${late} jobs wait for more than a minute; is a worker running?`)
    }),
  ])
  const start: PartHealth = parts.started
    ? { status: 'ready' }
    : { status: 'failing', detail: 'the service is starting' }
  return { start, database, call_records, worker }
}

async function check(ask: (signal: AbortSignal) => Promise<unknown>): Promise<PartHealth> {
  const signal = AbortSignal.timeout(patience_ms)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${patience_ms / 1000} s`)))
  })
  try {
    await Promise.race([ask(signal), late])
    return { status: 'ready' }
  } catch (error) {
    return { status: 'failing', detail: error instanceof Error ? error.message : String(error) }
  }
}
