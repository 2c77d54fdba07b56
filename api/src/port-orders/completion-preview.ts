import * as z from 'zod'
import { operation } from '../operation.ts'
import { list, money, page, pathId, queryBoolean, resource, text, timestamp, id } from '../shapes.ts'
import { statusFilter } from './operations.ts'
import { portOrder, portOrderNext } from './shapes.ts'
import { portOrderStatuses } from './transitions.ts'

/** What can be known of an order beforehand, and the operator's side: the queue, the moves, the letter's test. */

const common = { feature: 'portorders', media: 'json' } as const
const portorder_id = z.object({ portorder_id: pathId })

export const checkPortOrder = operation({
  ...common,
  id: 'checkPortOrder',
  summary: 'Examine a port order before it is sent',
  description:
    'Everything that would bring the order back, at once, with the field and, where there is one, a value to put there.',
  method: 'POST',
  path: '/v2/portorders/{portorder_id}/check',
  principals: ['account', 'operator'],
  access: 'read',
  params: portorder_id,
  responses: {
    200: {
      description: 'The findings; errors first.',
      body: z.object({
        data: z.object({
          type: z.literal('portorder_check'),
          id,
          attributes: z.object({
            /** True when nothing is known that will be rejected. */
            ok: z.boolean(),
            findings: z.array(
              z.object({
                severity: z.enum(['error', 'warning']),
                code: z.string(),
                title: z.string(),
                pointer: z.string(),
                message: z.string(),
                suggestion: z.string().nullable(),
              }),
            ),
          }),
        }),
      }),
    },
  },
  problems: ['not-found'],
  effect: 'read',
})

/** A preset and the numbers that it will not work for; few are named, all are counted. */
const plan = z.object({
  preset: z.enum(['primary_route_id', 'failover_route_id', 'alias', 'cnam_id', 'e911_id']),
  value: z.string(),
  /** When it is applied: with the completion, or on the morning of that day. */
  when: z.enum(['completion', 'morning']),
  works_for: z.int(),
  fails: z.array(z.object({ because: z.string(), numbers_count: z.int(), numbers: z.array(z.string()) })),
})

export const previewCompletion = operation({
  ...common,
  id: 'previewCompletion',
  summary: 'See what the completion of a port order will do',
  description:
    'As things stand now: which numbers will be on the account, which presets will work, and what would fail and why. Nothing is written.',
  method: 'GET',
  path: '/v2/portorders/{portorder_id}/completion',
  principals: ['account', 'operator'],
  access: 'read',
  params: portorder_id,
  responses: {
    200: {
      description: 'The plan.',
      body: z.object({
        data: z.object({
          type: z.literal('portorder_completion'),
          id,
          attributes: z.object({
            completion_date: z.iso.date().nullable(),
            /** When emergency address and caller-ID name are switched over; null without a completion date. */
            morning_at: timestamp.nullable(),
            numbers_count: z.int(),
            fails: z.array(z.object({ because: z.string(), numbers_count: z.int(), numbers: z.array(z.string()) })),
            presets: z.array(plan),
          }),
        }),
      }),
    },
  },
  problems: ['not-found', 'conflict'],
  effect: 'read',
})

const queued = resource(
  'portorder',
  z.object({
    account_id: id,
    alias: z.string(),
    group_id: z.string(),
    provider: z.string(),
    numbers_count: z.int(),
    cost: money,
    status: z.enum(portOrderStatuses),
    /** Since when it is in this status. */
    since: timestamp,
    next: portOrderNext,
    overdue: z.boolean(),
    completion_date: z.iso.date().nullable(),
  }),
)

export const listPortOrderQueue = operation({
  ...common,
  id: 'listPortOrderQueue',
  summary: 'See which port orders wait, for whom, until when',
  description: 'Open orders of all accounts, the one that is due first at the top.',
  method: 'GET',
  path: '/operator/portorders',
  principals: ['operator'],
  access: 'read',
  query: z.object({
    ...page(10, 200),
    status: statusFilter.optional(),
    who: z.enum(['account', 'operator', 'carrier']).optional().meta({ description: 'Whose move it is.' }),
    overdue: queryBoolean.optional(),
    account_id: z
      .string()
      .regex(/^\d{1,18}$/, 'Must be the id of an account.')
      .optional(),
  }),
  responses: { 200: { description: 'Orders.', body: list(queued) } },
  problems: ['invalid-input'],
  effect: 'read',
})

const warnings = z.array(z.object({ code: z.string(), message: z.string() }))

export const transitionPortOrder = operation({
  ...common,
  id: 'transitionPortOrder',
  summary: 'Move a port order',
  description:
    'By the table of transitions. Rejected needs `reason_code`, a code of the catalogue or of the carrier; Accepted needs `completion_date`. `comment` is seen by the account holder.',
  method: 'POST',
  path: '/operator/portorders/{portorder_id}/transitions',
  principals: ['operator'],
  access: 'write',
  params: portorder_id,
  body: z.strictObject({
    to: z
      .string()
      .pipe(statusFilter)
      .meta({ wire: { enum: [...portOrderStatuses] } }),
    reason_code: text(100).min(1).nullish(),
    reason: text(2000).nullish(),
    completion_date: z.iso.date('Must be a date, YYYY-MM-DD.').nullish(),
    /** Numbers that did not come across; with Completed only. */
    left_behind: z.array(text(20)).max(20_000).nullish(),
    comment: text(2000).nullish(),
  }),
  responses: {
    200: {
      description: 'The order, and what the operator should know of it.',
      body: z.object({ data: portOrder, links: z.object({ self: z.string() }), meta: z.object({ warnings }) }),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input'],
  effect: 'transaction',
})

export const verifyLoa = operation({
  ...common,
  id: 'verifyLoa',
  summary: 'Test whether a PDF is the letter that was signed',
  method: 'POST',
  path: '/operator/portorders/{portorder_id}/loa/verify',
  principals: ['operator'],
  access: 'read',
  params: portorder_id,
  body: { bytes: ['application/pdf', 'application/octet-stream'] },
  responses: {
    200: {
      description: 'Signed or not, and what is kept of the signing.',
      body: z.object({
        data: z.object({
          type: z.literal('loa_verification'),
          id,
          attributes: z.object({
            authentic: z.boolean(),
            fault: z.enum(['evidence_changed', 'another_letter', 'letter_changed']).nullable(),
            because: z.string().nullable(),
            signed_at: timestamp,
            signature_name: z.string(),
            signature_title: z.string(),
            agreement_version: z.string(),
            facts_sha256: z.string(),
            pdf_sha256: z.string(),
            access_key_id: z.string().nullable(),
            ip: z.string().nullable(),
            user_agent: z.string().nullable(),
            age_days: z.int(),
            /** Fields of the order that were changed since. */
            changed: z.array(z.string()),
          }),
        }),
      }),
    },
  },
  problems: ['not-found', 'payload-too-large', 'unsupported-media-type'],
  effect: 'read',
})
