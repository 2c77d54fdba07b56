import type { Generated } from 'kysely'
import type { documents } from '@demarc/client'

export interface DocumentTable {
  account_id: string
  port_order_id: string
  id: Generated<string>
  source: 'pull' | 'upload' | 'service'
  kind: 'document' | 'loa'
  /** Safe, short file name. */
  name: string
  /** The submitted URL of a pull. May contain secrets: never log it or put it in events. */
  original_url: string | null
  /** The URL that a pull requests. */
  url: string | null
  status: documents.DocumentStatus
  failure_reason: string | null
  attempts: Generated<number>
  failures: Generated<number>
  next_attempt_at: Date | null
  created_at: Date
  finished_at: Date | null
  sha256: string | null
  bytes: string | null
  media_type: documents.DocumentType | null
}

export interface DocumentAttemptTable {
  account_id: string
  document_id: string
  /** Counted from 1. */
  number: number
  started_at: Date
  finished_at: Date | null
  outcome: documents.AttemptOutcome | null
  response_status: number | null
  failure_reason: string | null
}

declare module '../platform/db.ts' {
  interface Database {
    port_order_document: DocumentTable
    port_order_document_attempt: DocumentAttemptTable
  }
}
