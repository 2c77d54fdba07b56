import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** The audit log, for the operator. */

const list = plain('list', operations.listEvents, {
  description: 'Newest first; --account names the account whose events are shown.',
  columns: ['id', 'occurred_at', 'account_id', 'actor', 'person.name', 'event_type', 'subject_type', 'subject_id'],
  fields: {
    event_type: { value: 'type', summary: 'Events of this type, such as cnam.created' },
    subject_type: { value: 'type', summary: 'Events of this kind of record' },
    subject_id: { summary: 'Events of the record with this id' },
    actor: { summary: 'Events of whoever did them: person:3, or key: and the access key' },
    from: { value: 'time', summary: 'At this time or later, ISO 8601 with an offset' },
    before: { value: 'time', summary: 'Before this time' },
  },
  examples: ['audit list --limit 20', 'audit list --account 1001 --event-type cnam.created --ndjson'],
})

const verify = plain('verify', operations.verifyEvents, {
  description: 'Of the account that --account names; without it, the operator’s own chain.',
  examples: ['audit verify --account 1001'],
})

export const audit: Noun = { name: 'audit', summary: 'The audit log and its hash chain', verbs: [list, verify] }
