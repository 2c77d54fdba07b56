import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** The audit log, for the operator. */

const list = plain('list', operations.listEvents, {
  description: 'Newest first. With --account, only events of that account.',
  columns: ['id', 'occurred_at', 'account_id', 'actor', 'person.name', 'event_type', 'subject_type', 'subject_id'],
  fields: {
    event_type: { value: 'type', summary: 'Events of this type, such as cnam.created' },
    subject_type: { value: 'type', summary: 'Events of this type of record' },
    subject_id: { summary: 'Events of the record with this ID' },
    actor: { summary: 'Events of this actor: person:3, or key: and the access key' },
    from: { value: 'time', summary: 'Events at or after this time, ISO 8601 with an offset' },
    before: { value: 'time', summary: 'Events before this time' },
  },
  examples: ['audit list --limit 20', 'audit list --account 1001 --event-type cnam.created --ndjson'],
})

const verify = plain('verify', operations.verifyEvents, {
  description: 'Without --account, verifies the operator’s chain.',
  examples: ['audit verify --account 1001'],
})

export const audit: Noun = { name: 'audit', summary: 'The audit log and its hash chain', verbs: [list, verify] }
