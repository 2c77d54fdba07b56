import { sql } from 'kysely'
import type { Db } from './db.ts'

export const jobChannel = 'job'

/** Wake-ups that a process sends are at least so far apart; those between are sent together. */
export const INTERVAL_MS = 50

/** The kinds of jobs whose wake-up is due, and when the last ones were sent. */
const waiting = new WeakMap<Db, { kinds: Set<string>; sent_at: number; timer: NodeJS.Timeout | undefined }>()

/**
 * Tells the workers that there is a job of this kind. Called after the commit that made the job: NOTIFY takes a lock over all
 * databases of the server until the transaction ends, so that within a transaction it serializes the commits of all writers.
 * A wake-up that is lost costs at most the interval at which workers poll.
 */
export function wakeWorkers(db: Db, kind: string): void {
  const state = waiting.get(db) ?? { kinds: new Set<string>(), sent_at: -Infinity, timer: undefined }
  waiting.set(db, state)
  state.kinds.add(kind)
  if (state.timer !== undefined) return
  const send = (): void => {
    state.timer = undefined
    state.sent_at = performance.now()
    const kinds = [...state.kinds]
    state.kinds.clear()
    // the workers poll; whatever keeps this statement from running keeps others from running, which say so
    sql`select pg_notify(${jobChannel}, kind) from unnest(${kinds}::text[]) as kind`.execute(db).catch(() => undefined)
  }
  const wait_ms = state.sent_at + INTERVAL_MS - performance.now()
  if (wait_ms <= 0) send()
  else state.timer = setTimeout(send, wait_ms).unref()
}
