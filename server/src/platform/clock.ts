import { sql } from 'kysely'
import { sqlState, type Db, type Executor } from './db.ts'

declare module './db.ts' {
  interface Database {
    clock_offset: { one: boolean; ahead_ms: string }
  }
}

/** Where business time comes from. Features never ask the database or the process for it. */
export interface Clock {
  now(): Date
}

export const realClock: Clock = { now: () => new Date() }

/** Demo mode: the real clock plus an offset that all processes share through the database. */
export interface MovableClock extends Clock {
  /** Takes the offset from the database; called at start and whenever another process moved it. */
  reload(): Promise<void>
  /** Moves forward to a time; a time already past changes nothing. Tells the other processes. */
  moveTo(time: Date): Promise<void>
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
    async moveTo(time) {
      const wanted = time.getTime() - Date.now()
      // greatest(): two who move at once never move it back
      await sql`update clock_offset set ahead_ms = greatest(ahead_ms, ${wanted}::bigint)`.execute(db)
      await sql`select pg_notify(${clockChannel}, '')`.execute(db)
      await clock.reload()
    },
  }
  await clock.reload()
  return clock
}

/** `now` plus PostgreSQL interval words ("45 days"); null if they are not understood, or give no time that can be reckoned with. */
export async function addInterval(db: Executor, now: Date, words: string): Promise<Date | null> {
  try {
    const { rows } = await sql<{ later: Date | number | null }>`
      select ${now}::timestamptz + ${words}::text::interval as later`.execute(db)
    const later = rows[0]?.later
    // "infinity" is an interval since PostgreSQL 17, and its sum no Date
    return later instanceof Date && !Number.isNaN(later.getTime()) ? later : null
  } catch (error) {
    // class 22, data exception: the words are not an interval
    if (sqlState(error)?.startsWith('22')) return null
    throw error
  }
}
