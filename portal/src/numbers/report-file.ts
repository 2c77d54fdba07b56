import { fieldsOf, linesOf, reasonsOf, type NamesOf, type ReportedResult } from './changes.ts'
import { csvOf } from './table-file.ts'

const header = ['line', 'number', 'result', 'field', 'reason', 'changes']

/** What became of each number as a CSV: for the records, and for whoever corrects the lines that were refused. */
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
