import { fieldsOf, linesOf, reasonsOf, type NamesOf, type ReportedResult } from './changes.ts'
import { csvOf } from './table-file.ts'

const header = ['line', 'number', 'result', 'field', 'reason', 'changes']

/** The result for each number as a CSV, for the records and for correcting refused lines. */
export const reportOf = (results: readonly ReportedResult[], nameOf: NamesOf): string =>
  csvOf([
    header,
    ...results.map((result) => [
      result.line === undefined ? '' : String(result.line),
      result.value,
      result.outcome,
      fieldsOf(result).join('; '),
      reasonsOf(result).join(' '),
      linesOf(result, nameOf).join('; '),
    ]),
  ])
