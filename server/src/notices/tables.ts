import type { Generated } from 'kysely'
import type { notices } from '@demarc/client'
import type { MailState } from './rules.ts'

export interface NoticeTable {
  /** Null for the operator's staff. */
  account_id: string | null
  id: Generated<string>
  event_id: string
  kind: notices.NoticeKind
  title: string
  body: string
  path: string
  occurred_at: Date
  created_at: Date
}

export interface NoticeRecipientTable {
  person_id: string
  notice_id: string
  account_id: string | null
  read_at: Date | null
  mail: MailState
  mailed_at: Date | null
  mail_failure: string | null
}

export interface NoticePreferenceTable {
  person_id: string
  kind: notices.NoticeKind
  delivery: notices.NoticeDelivery
  changed_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    notice: NoticeTable
    notice_recipient: NoticeRecipientTable
    notice_preference: NoticePreferenceTable
  }
}
