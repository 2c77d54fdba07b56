import type { Generated } from 'kysely'

export type NotificationStatus = 'pending' | 'delivered' | 'failed' | 'stopped'

export interface NotificationTable {
  account_id: string
  id: Generated<string>
  event_id: string
  event_type: string
  url: string
  /** The exact bytes that every attempt signs and sends. */
  body: string
  status: NotificationStatus
  created_at: Date
  /** Attempts of the current round; a replay starts a new one. */
  attempts: number
  next_attempt_at: Date | null
}

export interface NotificationAttemptTable {
  account_id: string
  notification_id: string
  id: Generated<string>
  attempted_at: Date
  response_status: number | null
  failure: string | null
  duration_ms: number
}

declare module '../platform/db.ts' {
  interface Database {
    notification: NotificationTable
    notification_attempt: NotificationAttemptTable
  }
}
