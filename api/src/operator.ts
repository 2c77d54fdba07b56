import * as z from 'zod'
import { operation } from './operation.ts'
import { id, list, page, queryId, queryText, resource, timestamp } from './shapes.ts'

/** Operations for the carrier's staff: accounts at a glance, the audit log, and in demo mode the clock. */

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const

/** So many numbers and port orders of an account are counted at most. */
export const accountSummary_max = 100_000

const accountSummary = resource(
  'account_summary',
  z.object({
    name: z.string(),
    created_at: timestamp,
    numbers_count: z.int(),
    open_port_orders_count: z.int(),
    waiting_port_orders_count: z.int().meta({ description: 'Open port orders that the operator acts on next.' }),
    people_count: z.int(),
    last_signed_in_at: timestamp.nullable().meta({ description: 'When one of its people last signed in.' }),
    keys_count: z.int().meta({ description: 'Access keys that work.' }),
    last_used_at: timestamp.nullable().meta({ description: 'When one of its access keys was last used.' }),
  }),
)

export const listAccountSummaries = operation({
  ...common,
  id: 'listAccountSummaries',
  summary: 'List accounts with what they have',
  description: `Accounts, oldest first, with their numbers, open port orders, people and working keys. Up to ${accountSummary_max.toLocaleString('en-US')} numbers and port orders of each are counted.`,
  method: 'GET',
  path: '/operator/account_summaries',
  access: 'read',
  query: z.object({
    ...page(10, 50),
    search: queryText.meta({ description: 'A part of the name, or the id.' }),
    account_id: queryId,
  }),
  responses: { 200: { description: 'Accounts.', body: list(accountSummary) } },
  problems: ['invalid-input'],
  effect: 'read',
})

/** A point in time in a query. */
const instant = z.iso
  .datetime({ offset: true, error: 'Must be a time in ISO 8601 with an offset, such as 2027-01-31T00:00:00Z.' })
  .optional()

const event = z.object({
  type: z.literal('event'),
  id,
  attributes: z.object({
    account_id: z.string().nullable(),
    sequence: z.int(),
    occurred_at: timestamp,
    actor: z.string(),
    person: z
      .object({
        name: z.string(),
        email: z.string(),
        is_operator: z.boolean(),
        accounts: z.array(z.object({ id, name: z.string() })).meta({ description: 'Up to ten that they belong to.' }),
      })
      .nullable()
      .meta({
        description: 'Who the actor is, as of now; null for keys, the service, and people who are no longer known.',
      }),
    event_type: z.string(),
    subject_type: z.string(),
    subject_id: z.string(),
    data: z.unknown(),
    hash: z.string(),
  }),
})

export const listEvents = operation({
  ...common,
  id: 'listEvents',
  summary: 'Read the audit log',
  method: 'GET',
  path: '/operator/audit',
  access: 'read',
  query: z.object({
    ...page(10, 200),
    account_id: queryId,
    event_type: queryText,
    subject_type: queryText,
    subject_id: queryText,
    actor: queryText.meta({
      description: 'As the events have it: `person:3`, `key:ak_…`, `operator:…`, `system:…`. No index has it.',
    }),
    from: instant.meta({ description: 'Events that occurred at this time or later.' }),
    before: instant.meta({ description: 'Events that occurred before this time.' }),
  }),
  responses: {
    200: {
      description: 'Events, newest first.',
      body: z.object({ data: z.array(event), links: z.object({ self: z.string(), next: z.string().optional() }) }),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})

export const verifyEvents = operation({
  ...common,
  id: 'verifyEvents',
  summary: 'Check the hash chain of an account’s events',
  description: 'Without `account_id`: the operator’s own chain.',
  method: 'GET',
  path: '/operator/audit/verify',
  access: 'read',
  query: z.object({ account_id: queryId }),
  responses: {
    200: {
      description: 'Whether each event follows from the one before it, and the first that does not.',
      body: z.object({
        data: z.object({
          intact: z.boolean(),
          events: z.int(),
          first_at: timestamp.nullable().meta({ description: 'When the first of them occurred.' }),
          last_at: timestamp.nullable().meta({ description: 'When the last of them occurred.' }),
          head: z.string(),
          broken_at: z.int().nullable(),
        }),
      }),
    },
  },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})

const clock = z.object({ data: z.object({ now: timestamp }) })

export const getClock = operation({
  ...common,
  id: 'getClock',
  summary: 'Read the service’s clock (demo mode)',
  method: 'GET',
  path: '/operator/clock',
  access: 'read',
  responses: { 200: { description: 'The service’s time.', body: clock } },
  problems: ['not-found'],
  effect: 'read',
})

export const moveClock = operation({
  ...common,
  id: 'moveClock',
  summary: 'Move the service’s clock forward (demo mode)',
  description:
    '`advance` takes a PostgreSQL interval (`45 days`), `set` a time. Responds after everything that fell due in between has been done, in order.',
  method: 'POST',
  path: '/operator/clock',
  access: 'write',
  body: z
    .strictObject({
      advance: z.string().min(1).max(100).optional(),
      set: z.iso.datetime({ offset: true, error: 'Must be a time in ISO 8601 with an offset.' }).optional(),
    })
    .check((c) => {
      if ((c.value.advance === undefined) === (c.value.set === undefined))
        c.issues.push({ code: 'custom', path: ['advance'], message: 'Give either advance or set.', input: c.value })
    }),
  responses: { 200: { description: 'The new time.', body: clock } },
  problems: ['not-found', 'invalid-input'],
  effect: 'own',
})
