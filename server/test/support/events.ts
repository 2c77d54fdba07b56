import type { Db } from '../../src/platform/db.ts'
import { listEvents, type EventTable } from '../../src/platform/events.ts'

/** The newest event of a type, for any account; undefined if there is none. */
export async function lastEvent(db: Db, type: string): Promise<Omit<EventTable, 'notification'> | undefined> {
  return (await listEvents(db, { type, limit: 1, offset: 0 }))[0]
}

/** The events of a type about one subject, newest first. */
export const eventsOf = (db: Db, type: string, subject_id: string): Promise<Omit<EventTable, 'notification'>[]> =>
  listEvents(db, { type, subject_id, limit: 100, offset: 0 })
