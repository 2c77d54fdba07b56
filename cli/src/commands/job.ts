import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Background jobs, for the operator. */

const list = plain('list', operations.listJobs, {
  columns: ['id', 'state', 'account_id', 'due_at', 'attempts', 'last_error'],
  fields: {
    state: { value: 'state', summary: 'Jobs in this state' },
    kind: { value: 'kind', summary: 'Jobs of this kind, such as build-cdr-export' },
  },
  examples: ['job list', 'job list --state dead --ids'],
})

const kinds = plain('kinds', operations.listJobKinds, {
  columns: ['id', 'due', 'running', 'scheduled', 'dead', 'oldest_due_at'],
  examples: ['job kinds'],
})

const retry = plain('retry', operations.retryJob, {
  arguments: { job_id: { summary: 'ID of the job, as shown by job list' } },
  examples: ['job retry build-cdr-export:12'],
})

export const job: Noun = {
  name: 'job',
  summary: 'Background jobs, including failed ones',
  verbs: [list, kinds, retry],
}
