import type { Judgement } from './judge.ts'

/** A row as read, and how it is written beside what came of it. */
export type BulkRow = { write(judgement: Judgement): string } & (
  | { fields: Readonly<Record<string, unknown>> }
  /** What is said of a row that cannot be read. */
  | { unread: Judgement }
)

export interface BulkFormat {
  /** Rows as they come. Throws FileRefused for a file that cannot be read on. */
  rows(source: AsyncIterable<Uint8Array>): AsyncIterable<BulkRow>
}
