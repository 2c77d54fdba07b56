import { operations } from '@demarc/client'
import { exportIds } from './complete-ids.ts'
import { download } from './files.ts'
import { exportFields } from './export-fields.ts'
import { plain } from './plain.ts'
import type { Noun } from './verb.ts'

/** Call records: exports of the account holder. */

const export_id = { summary: 'Id of the export', complete: exportIds }

const list = plain('list', operations.listCdrExports, {
  columns: ['id', 'status', 'format', 'requested_at', 'num_calls', 'total_cost', 'expires_at'],
  fields: { status: { summary: 'Exports in this status' } },
  examples: ['cdr list', 'cdr list --status completed --ids'],
})

const get = plain('get', operations.getCdrExport, {
  arguments: { export_id },
  examples: ['cdr get 12', 'cdr get 12 --json --fields status,progress,sha256'],
})

const estimate = plain('estimate', operations.estimateCdrExport, {
  description: 'Exact number and cost of the calls at this moment; bytes and seconds are estimates.',
  fields: exportFields,
  without: ['callback_url'],
  examples: ['cdr estimate --from "2026-11-01 00:00:00" --to "2026-12-01 00:00:00"'],
})

const getFile = download('download', operations.getCdrExportFile, {
  arguments: { export_id },
  examples: ['cdr download 12 -o calls.csv.gz'],
})

export const cdr: Noun = {
  name: 'cdr',
  summary: 'Call records: exports, their files and totals',
  verbs: [list, get, estimate, getFile],
}
