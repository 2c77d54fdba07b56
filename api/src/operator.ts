import * as z from 'zod'
import { operation } from './declare.ts'
import { id, list, page, queryId, queryText, resource, timestamp } from './shapes.ts'

/** Operations for the carrier's staff: account summaries, the audit log, and the demo mode clock. */

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const

/** Maximum numbers and port orders counted per account. */
export const accountSummary_max = 100_000

const accountSummary = resource(
  'account_summary',
  z.object({
    name: z.string(),
    created_at: timestamp,
    numbers_count: z.int(),
    open_port_orders_count: z.int(),
    waiting_port_orders_count: z.int().meta({ description: 'Open port orders that are waiting for the operator.' }),
    people_count: z.int(),
    last_signed_in_at: timestamp.nullable().meta({ description: 'When someone on the account last signed in.' }),
    keys_count: z.int().meta({ description: 'Active access keys.' }),
    last_used_at: timestamp.nullable().meta({ description: 'When an access key of the account was last used.' }),
  }),
)

export const listAccountSummaries = operation({
  ...common,
  id: 'listAccountSummaries',
  summary: 'List accounts with their totals',
  description: `Accounts, oldest first, with counts of numbers, open port orders, people, and active keys. Counts at most ${accountSummary_max.toLocaleString('en-US')} numbers and port orders per account.`,
  endpoint: 'GET /operator/account_summaries',
  replica: true,
  query: z.object({
    ...page(10, 50),
    search: queryText.meta({ description: 'Part of the name, or the ID.' }),
    account_id: queryId,
  }),
  responses: { 200: { description: 'Accounts.', body: list(accountSummary) } },
})

/** A time in a query. */
const instant = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 time with an offset, such as 2027-01-31T00:00:00Z.' })
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
        accounts: z
          .array(z.object({ id, name: z.string() }))
          .meta({ description: 'Up to ten accounts that the person belongs to.' }),
      })
      .nullable()
      .meta({
        description: 'The person’s current details; null for keys, the service, and people who have been deleted.',
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
  endpoint: 'GET /operator/audit',
  replica: true,
  query: z.object({
    ...page(10, 200),
    account_id: queryId,
    event_type: queryText,
    subject_type: queryText,
    subject_id: queryText,
    actor: queryText.meta({
      description:
        'The actor as recorded in the event: `person:3`, `key:ak_…`, `operator:…`, `system:…`. This filter uses no index.',
    }),
    from: instant.meta({ description: 'Events that occurred at this time or later.' }),
    before: instant.meta({ description: 'Events that occurred before this time.' }),
  }),
  responses: {
    200: {
      description: 'Events, newest first.',
      body: list(event),
    },
  },
})

export const verifyEvents = operation({
  ...common,
  id: 'verifyEvents',
  summary: 'Verify the hash chain of an account’s events',
  description: 'Without `account_id`, verifies the operator’s chain.',
  endpoint: 'GET /operator/audit/verify',
  query: z.object({ account_id: queryId }),
  responses: {
    200: {
      description: 'Whether every event’s hash matches the event before it, and the first event whose hash does not.',
      body: z.object({
        data: z.object({
          intact: z.boolean(),
          events: z.int(),
          deleted: z.int().meta({ description: 'Earlier events, which retention deleted.' }),
          erased: z.int().meta({ description: 'Events without their details, because personal data was deleted.' }),
          first_at: timestamp.nullable().meta({ description: 'When the first event occurred.' }),
          last_at: timestamp.nullable().meta({ description: 'When the last event occurred.' }),
          head: z.string(),
          broken_at: z.int().nullable(),
        }),
      }),
    },
  },
  problems: ['not-found', 'invalid-input'],
})

const alert = z.object({
  type: z.literal('alert'),
  id,
  attributes: z.object({
    kind: z.enum(['file-damaged', 'call-records-missing']),
    subject: z.string().meta({ description: 'The file’s SHA-256 digest, or the account and month: `1001:2026-03`.' }),
    account_id: z.string().nullable(),
    message: z.string(),
    details: z.unknown().meta({ description: 'What was expected and what was found.' }),
    raised_at: timestamp,
    resolved_at: timestamp.nullable(),
  }),
})

export const listAlerts = operation({
  ...common,
  id: 'listAlerts',
  summary: 'List alerts about damaged or missing data',
  description: 'An alert is resolved when a check finds the data correct again.',
  endpoint: 'GET /operator/alerts',
  query: z.object({
    ...page(10, 200),
    state: z.enum(['open', 'resolved']).optional().meta({ description: 'Open alerts by default.' }),
  }),
  responses: {
    200: {
      description: 'Alerts, newest first.',
      body: list(alert),
    },
  },
})

/** A check's result. `failed`: the installation doesn't work, or isn't safe. `warning`: it works, but will not for long, or not for everyone. */
const diagnosisResults = ['ok', 'warning', 'failed'] as const

const finding = z.object({
  check: z.string().meta({ description: 'The name of the check: `public_url`.' }),
  result: z.enum(diagnosisResults),
  details: z.string(),
  remedy: z
    .string()
    .nullable()
    .meta({ description: 'The command or setting that fixes it; null if nothing is wrong.' }),
  docs: z.string().meta({ description: 'The page of the documentation: `docs/operate/mail.md`.' }),
})

export const diagnose = operation({
  ...common,
  id: 'diagnose',
  summary: 'Find what is wrong with the installation',
  description:
    'Runs every check at the same time, in the process that serves the request. Each has a time limit of a few seconds. A check may have several results. Requests within five seconds get the same ones.',
  endpoint: 'GET /operator/diagnosis',
  effect: 'own',
  responses: {
    200: {
      description: 'The results, problems first.',
      body: z.object({ data: z.object({ checked_at: timestamp, checks: z.array(finding) }) }),
    },
  },
})

const clock = z.object({ data: z.object({ now: timestamp }) })

export const getClock = operation({
  ...common,
  id: 'getClock',
  summary: 'Read the service’s clock (demo mode)',
  endpoint: 'GET /operator/clock',
  responses: { 200: { description: 'The service’s time.', body: clock } },
  problems: ['not-found'],
})

export const moveClock = operation({
  ...common,
  id: 'moveClock',
  summary: 'Move the service’s clock forward (demo mode)',
  description:
    '`advance` takes a PostgreSQL interval (`45 days`), `set` a time. Responds after all jobs that became due in between have run, in order.',
  endpoint: 'POST /operator/clock',
  body: z
    .strictObject({
      advance: z.string().min(1).max(100).optional(),
      set: z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time with an offset.' }).optional(),
    })
    .check((c) => {
      if ((c.value.advance === undefined) === (c.value.set === undefined))
        c.issues.push({ code: 'custom', path: ['advance'], message: 'Send either advance or set.', input: c.value })
    }),
  responses: { 200: { description: 'The new time.', body: clock } },
  problems: ['not-found', 'invalid-input'],
  effect: 'own',
})
