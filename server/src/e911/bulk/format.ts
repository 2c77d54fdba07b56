import type { RowResult } from './validate-row.ts'

/** Longest line or record. A longer one means an unclosed quote, not an address. */
export const recordBytes_max = 64 * 1024

/** A row as read, and how it is written beside what came of it. */
export type BulkRow = { write(result: RowResult): string } & (
  | { fields: Readonly<Record<string, unknown>> }
  /** What is said of a row that cannot be read. */
  | { unread: RowResult }
)

export interface BulkFormat {
  /** Rows as they come. Throws FileRefused for a file that cannot be read on. */
  rows(source: AsyncIterable<Uint8Array>): AsyncIterable<BulkRow>
}
