import * as z from 'zod'
import { operation } from './operation.ts'
import { id, list, page, queryText, timestamp } from './shapes.ts'

/** What has happened on an account: its own events, in words. */

const activity = z.object({
  type: z.literal('activity'),
  id,
  attributes: z.object({
    occurred_at: timestamp,
    event_type: z.string().meta({ description: 'Such as `number.changed`.', examples: ['number.changed'] }),
    subject_type: z.string().meta({ description: 'What it is about: `number`, `portorder`, `e911`, …' }),
    subject_id: z.string().meta({ description: 'Of a number its digits.' }),
    by: z.enum(['account', 'operator', 'system']),
    sentence: z.string().meta({ description: 'What has happened, for people to read.' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The facts of the event that are yours; `from` and `to` of what was changed.' }),
  }),
})

export const listActivity = operation({
  feature: 'accounts',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'listActivity',
  summary: 'List what has happened on the account',
  description:
    'With `number`, everything that names the number: its own changes, the port orders that it was on, and what was done to many numbers of which it was among the first hundred.',
  method: 'GET',
  path: '/v2/activity',
  access: 'read',
  query: z.object({
    ...page(10, 200),
    event_type: queryText,
    subject_type: queryText,
    subject_id: queryText,
    number: z
      .string()
      .regex(/^[+ ]?1\d{10}$/, 'Must be a number of 11 digits that begin with 1.')
      .transform((text) => text.replace(/^[+ ]/, ''))
      .optional(),
  }),
  responses: { 200: { description: 'The newest first.', body: list(activity) } },
  problems: ['invalid-input'],
  effect: 'read',
})
