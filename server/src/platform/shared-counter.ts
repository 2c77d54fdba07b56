import type { Db } from './db.ts'
import { addToCounts, type WindowCount, type WindowLimit } from './window-counts.ts'

/** Counts against limits of all processes together, with fewer statements than counts. */
export interface SharedCounter {
  /** Counts one. More than `points` used: the limit is reached, and this one did not count. */
  count(limit: WindowLimit): Promise<WindowCount>
  /** Whether this process knows that the limit is reached. */
  isReached(limit: WindowLimit): boolean
}

export interface SharedCounterOptions {
  /**
   * How long a count waits for the database. After that, and while the database is unavailable, this process counts alone.
   * Undefined: a count waits for the database and throws its errors.
   */
  wait_ms?: number
}

/** What one process may have counted of a window and not reported: this share of its own counts there, and of the limit. */
export const unreported = { of_own: 1 / 8, of_limit: 1 / 100 } as const

/** One key's window as this process knows it. */
interface Window {
  limit: WindowLimit
  /** Counts of the other processes, at this process's last report. */
  others: number
  /** Counts of this process, and how many of them it has reported. */
  own: number
  reported: number
  /** In time of `performance`. */
  resets_at: number
}

/**
 * Each process reports its counts to the database, and learns those of the others in the same statement. It reports every one
 * of the first, and later ones in batches: what it has not reported is at most an eighth of its own counts in the window, and at
 * most a hundredth of the limit. So the processes together allow at most the limit and a hundredth of it for each process but
 * one, and exactly the limit if it is at most 100. Once a limit is reached, a process makes no statement until its window ends.
 */
export function createSharedCounter(db: Db, { wait_ms }: SharedCounterOptions = {}): SharedCounter {
  const windows = createWindows()
  const report = createReports(db, wait_ms)
  const isReached = (window: Window) => window.others + window.own >= window.limit.points
  return {
    async count(limit) {
      const window = windows.current(limit)
      const resets_in_ms = () => Math.max(0, window.resets_at - performance.now())
      if (isReached(window)) return { used: limit.points + 1, resets_in_ms: resets_in_ms() }
      const nth = ++window.own
      const most = Math.floor(Math.min(nth * unreported.of_own, (limit.points - 1) * unreported.of_limit))
      if (nth - window.reported > most) await report(window)
      return { used: window.others + nth, resets_in_ms: resets_in_ms() }
    },
    isReached: (limit) => isReached(windows.current(limit)),
  }
}

/** The windows of all keys, without those that have ended. */
function createWindows(): { current(limit: WindowLimit): Window } {
  const windows = new Map<string, Window>()
  let swept_at = performance.now()
  const sweep = (now: number, every_ms: number) => {
    if (now < swept_at + every_ms) return
    swept_at = now
    for (const [key, { resets_at }] of windows) if (resets_at <= now) windows.delete(key)
  }
  return {
    current(limit) {
      const now = performance.now()
      const known = windows.get(limit.key)
      if (known && known.resets_at > now) return known
      const duration_ms = limit.duration_s * 1000
      sweep(now, duration_ms)
      const window = { limit, others: 0, own: 0, reported: 0, resets_at: now + duration_ms }
      windows.set(limit.key, window)
      return window
    },
  }
}

/**
 * Reports windows to the database, one statement at a time: those that become due meanwhile are the next statement. The promise
 * ends with the statement that has the counts made so far, or when it has taken `wait_ms`.
 */
function createReports(db: Db, wait_ms: number | undefined): (window: Window) => Promise<void> {
  const due = new Map<string, Window>()
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | null = null
  const send = async () => {
    next = null
    const reports = [...due.values()].map((window) => ({ window, own: window.own }))
    due.clear()
    const additions = reports.map(({ window: { limit, reported }, own }) => ({ ...limit, points: own - reported }))
    const counts = await addToCounts(db, additions)
    const now = performance.now()
    for (const { window, own } of reports) {
      const count = counts.get(window.limit.key)
      if (!count) continue
      window.reported = own
      window.others = count.used - own
      window.resets_at = now + count.resets_in_ms
    }
  }
  return (window) => {
    due.set(window.limit.key, window)
    if (!next) {
      const sent = current.then(send)
      // those who wait get its error, or count alone: what makes this statement fail also fails others, which report it
      current = sent.catch(() => undefined)
      next = wait_ms === undefined ? sent : atMost(current, wait_ms)
    }
    return next
  }
}

/** Ends with the work, or after this time. Shared by all that wait, so that those who come later don't wait again. */
async function atMost(work: Promise<unknown>, wait_ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, wait_ms)))])
  clearTimeout(timer)
}
