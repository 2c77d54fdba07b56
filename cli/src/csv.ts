import { csvLine_max, readCsv, readCsvRows, type CsvRow } from '@demarc/client'
import { usage } from './failure.ts'

/** CSV rows from chunks of text, each with the line where it begins. `file` names the file in errors. */
export const csvLines = (pieces: AsyncIterable<string>, file: string): AsyncGenerator<CsvRow> =>
  readCsvRows(pieces, refusalOf(file))

/** The same as lists of cells, without line numbers. */
export const csvRows = (pieces: AsyncIterable<string>, file: string): AsyncGenerator<string[]> =>
  readCsv(pieces, refusalOf(file))

const refusalOf =
  (file: string) =>
  (after_line: number): never => {
    throw usage(
      'file',
      `${file}, after line ${after_line}: a quote is not closed, or more than ${csvLine_max} characters are without an end of the line.`,
      'Close the quote. Inside a quoted cell, write a quote twice.',
    )
  }
