import { sql } from 'kysely'
import { sqlState, type Db, type Executor } from './db.ts'

declare module './db.ts' {
  interface Database {
    clock_offset: { one: boolean; ahead_ms: string }
  }
}

/** The source of business time. Features never read the database's or the process's time. */
export interface Clock {
  now(): Date
}

export const realClock: Clock = { now: () => new Date() }

/** A time as responses show it. Null stays null. */
export function timeText(time: Date): string
export function timeText(time: Date | null): string | null
export function timeText(time: Date | null): string | null {
  return time?.toISOString() ?? null
}

/** Demo mode: the real clock plus an offset that all processes share through the database. */
export interface MovableClock extends Clock {
  /** Reads the offset from the database, at start and whenever another process changes it. */
  reload(): Promise<void>
  /** Advances to a time; a time in the past changes nothing. Notifies the other processes. */
  advanceTo(time: Date): Promise<void>
}

export const clockChannel = 'clock_moved'

/** Opens the movable clock. Call `reload` on every notification of `clockChannel`. */
export async function openMovableClock(db: Db): Promise<MovableClock> {
  let ahead_ms = 0
  const clock: MovableClock = {
    now: () => new Date(Date.now() + ahead_ms),
    async reload() {
      const row = await db.selectFrom('clock_offset').select('ahead_ms').executeTakeFirstOrThrow()
      ahead_ms = Number(row.ahead_ms)
    },
    async advanceTo(time) {
      const wanted = time.getTime() - Date.now()
      // greatest(): two processes that advance it concurrently never set it back
      await sql`update clock_offset set ahead_ms = greatest(ahead_ms, ${wanted}::bigint)`.execute(db)
      await sql`select pg_notify(${clockChannel}, '')`.execute(db)
      await clock.reload()
    },
  }
  await clock.reload()
  return clock
}

/** `now` plus a PostgreSQL interval ("45 days"); null if the interval is invalid or the sum is out of range. */
export async function addInterval(db: Executor, now: Date, interval: string): Promise<Date | null> {
  try {
    const { rows } = await sql<{ later: Date | number | null }>`
      select ${now}::timestamptz + ${interval}::text::interval as later`.execute(db)
    const later = rows[0]?.later
    // "infinity" is an interval since PostgreSQL 17, and the sum is not a Date
    return later instanceof Date && !Number.isNaN(later.getTime()) ? later : null
  } catch (error) {
    // class 22, data exception: not an interval
    if (sqlState(error)?.startsWith('22')) return null
    throw error
  }
}
