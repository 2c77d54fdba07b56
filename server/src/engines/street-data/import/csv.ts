import { CsvError } from 'csv-parse'
import { CsvRecords } from '../../../platform/csv.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'

const DELIMITERS = [',', '\t', ';', '|']

/** The most frequent of comma, tab, semicolon and bar in the first line. */
export function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** A quote that is not at the beginning of a cell is an ordinary character: `12" PIPE LN`. Lines may end in either way. */
export function csvRecords(delimiter: string): CsvRecords {
  return new CsvRecords(IMPORT.record_max, { delimiter, relax_quotes: true, record_delimiter: ['\r\n', '\n'] })
}

const REFUSALS: Record<string, string> = {
  CSV_MAX_RECORD_SIZE: `A row is longer than ${IMPORT.record_max} characters: a quote is never closed, or the file is no CSV. Mend that row.`,
  CSV_QUOTE_NOT_CLOSED: 'A quote near the end of the file is never closed. Mend that row, or send the file whole.',
}

/** The records that are read. Throws FileRefused where they cannot be. */
export async function orRefused(reading: Promise<string[][]>): Promise<string[][]> {
  try {
    return await reading
  } catch (error) {
    const refusal = error instanceof CsvError ? REFUSALS[error.code] : undefined
    if (refusal === undefined) throw error
    throw new FileRefused(refusal, { cause: error })
  }
}
