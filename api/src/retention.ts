import * as z from 'zod'
import { operation } from './declare.ts'
import { line, listLinks, page, queryId, resource, timestamp } from './shapes.ts'

/** Operations for the operator: closing accounts, retention, legal holds, and the deletion of personal data. */

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const
const account_id = z.string()

export const closeAccount = operation({
  ...common,
  id: 'closeAccount',
  summary: 'Close an account',
  description:
    'Revokes its access keys, ends its invitations and calendar link, and takes access from its people. Its records stay until their retention period ends.',
  endpoint: 'POST /operator/accounts/{account_id}/close',
  responses: {
    200: {
      description: 'Closed.',
      body: z.object({ data: z.object({ account_id, closed_at: timestamp.nullable() }) }),
    },
  },
  problems: ['not-found', 'conflict'],
})

export const setLegalHold = operation({
  ...common,
  id: 'setLegalHold',
  summary: 'Set or lift the legal hold of an account',
  description:
    'While an account is held, neither retention nor a deletion of personal data deletes its data. Only the operator’s audit log records the hold.',
  endpoint: 'PUT /operator/accounts/{account_id}/legal_hold',
  body: z.strictObject({
    is_held: z.boolean(),
    reason: line(500)
      .min(1)
      .meta({ description: 'Why it is set or lifted, for the audit log.', examples: ['Subpoena of November 3, 2026'] }),
  }),
  responses: {
    200: {
      description: 'The hold.',
      body: z.object({
        data: z.object({
          account_id,
          held_at: timestamp.nullable(),
          hold_reason: z.string().nullable(),
          held_by: z.string().nullable(),
        }),
      }),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

const plan = resource(
  'retention_plan',
  z.object({
    class: z.string().meta({ description: 'What is deleted, such as `exports`.' }),
    account_id: z.string().nullable().meta({ description: 'Null for rows of no account, such as sessions.' }),
    period: z.string().meta({ description: 'How long it is kept.' }),
    count: z.int().meta({ description: 'Rows, calls, or events.' }),
    oldest_at: timestamp.nullable(),
    is_held: z.boolean().meta({ description: 'True if a legal hold prevents the deletion.' }),
  }),
  z.string(),
)

const planClass = z.object({
  class: z.string(),
  period: z.string().nullable().meta({ description: 'Null: kept forever.' }),
  cutoff_at: timestamp.nullable().meta({ description: 'Older rows are due.' }),
  count: z.int().meta({ description: 'In all accounts, including those under legal hold.' }),
})

export const planRetention = operation({
  ...common,
  id: 'planRetention',
  summary: 'List what retention would delete now',
  description: 'By class and account. The job that runs at night deletes this, except what is held.',
  endpoint: 'GET /operator/retention',
  query: z.object({ ...page(100, 1000), account_id: queryId }),
  responses: {
    200: {
      description: 'Data that is due for deletion. `meta` lists every class, with a count of 0 if nothing is due.',
      body: z.object({ data: z.array(plan), links: listLinks, meta: z.object({ classes: z.array(planClass) }) }),
    },
  },
})

export const runRetention = operation({
  ...common,
  id: 'runRetention',
  summary: 'Delete what retention would delete now',
  description: 'A job deletes it in batches. Each batch is an event `retention.deleted` in the operator’s audit log.',
  endpoint: 'POST /operator/retention/run',
  responses: {
    202: { description: 'Requested.', body: z.object({ data: z.object({ requested_at: timestamp.nullable() }) }) },
  },
  problems: [],
})

const report = z.object({
  data: z.object({
    account_id,
    status: z.enum(['not_requested', 'processing', 'completed']),
    requested_at: timestamp.nullable(),
    requested_by: z.string().nullable(),
    completed_at: timestamp.nullable(),
    obstacles: z.array(z.string()).meta({ description: 'What prevents the deletion.' }),
    classes: z.array(
      z.object({
        class: z.string(),
        count: z.int().meta({ description: 'What is left to delete.' }),
        deleted: z.int(),
        kept: z.int(),
        reason: z.string().nullable().meta({ description: 'Why it is kept.' }),
      }),
    ),
  }),
})

export const getPersonalData = operation({
  ...common,
  id: 'getPersonalData',
  summary: 'Report on the deletion of an account’s personal data',
  description:
    'Before the deletion, a dry run: how much of each class would be deleted, how much would be kept, and why.',
  endpoint: 'GET /operator/accounts/{account_id}/personal_data',
  responses: { 200: { description: 'The report.', body: report } },
})

export const deletePersonalData = operation({
  ...common,
  id: 'deletePersonalData',
  summary: 'Delete an account’s personal data',
  description:
    'For a closed account without numbers, open port orders, and legal hold. It can’t be undone. A job deletes it; what the law requires you to keep is deleted when its period ends.',
  endpoint: 'POST /operator/accounts/{account_id}/personal_data/delete',
  body: z.strictObject({ confirm: z.string().max(200).meta({ description: 'The name of the account.' }) }),
  responses: { 202: { description: 'The report.', body: report } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})
