import { CsvError } from 'csv-parse'
import { CsvRecords } from '../../../platform/csv.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'

const DELIMITERS = [',', '\t', ';', '|']

/** The most frequent of comma, tab, semicolon, and bar in the first line. */
export function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** A quote inside a cell is an ordinary character: `12" PIPE LN`. Accepts both line endings. */
export function csvRecords(delimiter: string): CsvRecords {
  return new CsvRecords(IMPORT.record_max, { delimiter, relax_quotes: true, record_delimiter: ['\r\n', '\n'] })
}

const REFUSALS: Record<string, string> = {
  CSV_MAX_RECORD_SIZE: `A row is longer than ${IMPORT.record_max} characters: it has an unclosed quote, or the file is not CSV. Fix that row.`,
  CSV_QUOTE_NOT_CLOSED: 'A quote near the end of the file is not closed. Fix that row, or send the complete file.',
}

/** Turns CSV errors into FileRefused. */
export async function orRefused(reading: Promise<string[][]>): Promise<string[][]> {
  try {
    return await reading
  } catch (error) {
    const refusal = error instanceof CsvError ? REFUSALS[error.code] : undefined
    if (refusal === undefined) throw error
    throw new FileRefused(refusal, { cause: error })
  }
}
