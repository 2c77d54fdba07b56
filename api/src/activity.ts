import * as z from 'zod'
import { operation } from './declare.ts'
import { id, list, page, queryText, timestamp } from './shapes.ts'

/** The activity log of an account: its events as sentences. */

const activity = z.object({
  type: z.literal('activity'),
  id,
  attributes: z.object({
    occurred_at: timestamp,
    event_type: z.string().meta({ description: 'For example, `number.changed`.', examples: ['number.changed'] }),
    subject_type: z.string().meta({ description: 'The type of resource: `number`, `portorder`, `e911`, …' }),
    subject_id: z.string().meta({ description: 'The resource’s ID. For a number, its digits.' }),
    by: z.enum(['account', 'operator', 'system']),
    sentence: z.string().meta({ description: 'The event as a sentence.' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Details of the event, such as `from` and `to` of a change.' }),
  }),
})

export const listActivity = operation({
  feature: 'accounts',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'listActivity',
  summary: 'List the account’s activity',
  description:
    'With `number`, lists every event that names the number: its changes, its port orders, and bulk changes in which it was among the first hundred numbers.',
  endpoint: 'GET /v2/activity',
  replica: true,
  query: z.object({
    ...page(10, 200),
    event_type: queryText,
    subject_type: queryText,
    subject_id: queryText,
    number: z
      .string()
      .regex(/^[+ ]?1\d{10}$/, 'Must be 11 digits, beginning with 1.')
      .transform((text) => text.replace(/^[+ ]/, ''))
      .optional(),
  }),
  responses: { 200: { description: 'Events, newest first.', body: list(activity) } },
})
