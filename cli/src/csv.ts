import { csvLine_max, readCsv } from '@demarc/client'
import { usage } from './failure.ts'

/** Rows of a CSV, as lists of cells, from pieces of its text. `file` names it in refusals. */
export const csvRows = (pieces: AsyncIterable<string>, file: string): AsyncGenerator<string[]> =>
  readCsv(pieces, (lines) => {
    throw usage(
      'file',
      `${file}, after line ${lines}: more than ${csvLine_max} characters without an end of the line.`,
      'Is a quote not closed?',
    )
  })
