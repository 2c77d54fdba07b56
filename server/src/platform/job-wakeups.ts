import { sql } from 'kysely'
import type { Db } from './db.ts'

export const jobChannel = 'job'

/** Minimum interval between wake-ups from one process; those in between are combined. */
export const INTERVAL_MS = 50

/** Kinds of jobs with a pending wake-up, and when the last ones were sent. */
const waiting = new WeakMap<Db, { kinds: Set<string>; sent_at: number; timer: NodeJS.Timeout | undefined }>()

/**
 * Wakes the workers for a kind of job. Called after the commit that created the job: NOTIFY takes a lock across all databases
 * of the server until its transaction ends, so inside a transaction it would serialize all writers' commits. A lost wake-up
 * costs at most one polling interval.
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
    // the workers poll anyway; whatever makes this statement fail also fails others, which report it
    sql`select pg_notify(${jobChannel}, kind) from unnest(${kinds}::text[]) as kind`.execute(db).catch(() => undefined)
  }
  const wait_ms = state.sent_at + INTERVAL_MS - performance.now()
  if (wait_ms <= 0) send()
  else state.timer = setTimeout(send, wait_ms).unref()
}
