import { operations } from '@demarc/client'
import { download, upload } from '../files.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Bulk validation of emergency addresses, step by step; `e911 validate --csv` does all of it. */

const validation_id = { summary: 'ID of the validation' }

const create = upload('create', operations.createE911Validation, {
  description: 'CSV with a header, or one JSON object per line. The response has the ID of the validation.',
  media: { '.csv': 'text/csv', '.ndjson': 'application/x-ndjson', '.jsonl': 'application/x-ndjson' },
  examples: ['e911-validation create addresses.csv'],
})

const get = plain('get', operations.getE911Validation, {
  arguments: { validation_id },
  examples: ['e911-validation get 4 --json --fields status,progress'],
})

const getFile = download('download', operations.getE911ValidationFile, {
  arguments: { validation_id },
  examples: ['e911-validation download 4 -o report.csv'],
})

export const e911Validation: Noun = {
  name: 'e911-validation',
  summary: 'Bulk validation of emergency addresses, step by step',
  verbs: [create, get, getFile],
}
