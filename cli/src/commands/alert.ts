import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Alerts about damaged or missing data, for the operator. */

const list = plain('list', operations.listAlerts, {
  columns: ['id', 'kind', 'account_id', 'message', 'raised_at', 'resolved_at'],
  fields: { state: { value: 'state', summary: 'Open alerts (default) or resolved ones' } },
  examples: ['alert list', 'alert list --state resolved'],
})

export const alert: Noun = { name: 'alert', summary: 'Alerts about damaged or missing data', verbs: [list] }
