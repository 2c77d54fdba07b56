import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** What has happened on the account. */

const list = plain('list', operations.listActivity, {
  columns: ['occurred_at', 'by', 'event_type', 'subject_id', 'sentence'],
  fields: {
    number: { value: 'number', summary: 'Events of this number' },
    event_type: { value: 'type', summary: 'Events of this type, such as number.changed' },
    subject_type: { value: 'type', summary: 'Events of this type of record, such as portorder' },
    subject_id: { summary: 'Events of the record with this ID' },
  },
  examples: ['activity list --number 12065550100', 'activity list --subject-type portorder --subject-id 7'],
})

export const activity: Noun = { name: 'activity', summary: 'The account’s activity log', verbs: [list] }
