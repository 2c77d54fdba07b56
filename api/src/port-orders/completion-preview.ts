import * as z from 'zod'
import { operation } from '../declare.ts'
import { document, id, list, money, page, queryBoolean, resource, selfLink, text, timestamp } from '../shapes.ts'
import { statusFilter, whoFilter } from './operations.ts'
import { portOrder, portOrderNext } from './shapes.ts'
import { portOrderStatuses } from './transitions.ts'

/** The preflight check, the completion preview, and the operator's operations: queue, transitions, LOA verification. */

const common = { feature: 'portorders', media: 'json', principals: ['operator'] } as const
export const checkPortOrder = operation({
  ...common,
  id: 'checkPortOrder',
  summary: 'Check a port order before it is sent',
  description:
    'Lists every reason for which the order would be rejected, with the field and, if possible, a suggested value.',
  endpoint: 'POST /v2/portorders/{portorder_id}/check',
  principals: ['account', 'operator'],
  access: 'read',
  responses: {
    200: {
      description: 'The findings, errors first.',
      body: z.object({
        data: z.object({
          type: z.literal('portorder_check'),
          id,
          attributes: z.object({
            /** True if there are no findings of severity `error`. */
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
  effect: 'read',
})

/** Numbers that something fails for: the first are listed, all are counted. */
const failures = z.array(z.object({ reason: z.string(), numbers_count: z.int(), numbers: z.array(z.string()) }))

/** A preset, and how many numbers it will be applied to. */
const presetPreview = z.object({
  preset: z.enum(['primary_route_id', 'failover_route_id', 'alias', 'cnam_id', 'e911_id']),
  value: z.string(),
  /** When it is applied: at completion, or in the morning of that day. */
  activation: z.enum(['completion', 'morning']),
  applied_count: z.int(),
  failures,
})

export const previewCompletion = operation({
  ...common,
  id: 'previewCompletion',
  summary: 'Preview the completion of a port order',
  description:
    'Shows which numbers would be added to the account if the order completed now, which presets would be applied, and what would fail and why. Writes nothing.',
  endpoint: 'GET /v2/portorders/{portorder_id}/completion',
  principals: ['account', 'operator'],
  responses: {
    200: {
      description: 'The preview.',
      body: z.object({
        data: z.object({
          type: z.literal('portorder_completion'),
          id,
          attributes: z.object({
            completion_date: z.iso.date().nullable(),
            /** When emergency address and caller ID name are applied; null if the order has no completion date. */
            activation_at: timestamp.nullable(),
            numbers_count: z.int(),
            failures,
            presets: z.array(presetPreview),
          }),
        }),
      }),
    },
  },
  problems: ['not-found', 'conflict'],
})

const queuedOrder = resource(
  'portorder',
  z.object({
    account_id: id,
    account_name: z.string(),
    alias: z.string(),
    group_id: z.string(),
    provider: z.string(),
    numbers_count: z.int(),
    cost: money,
    status: z.enum(portOrderStatuses),
    /** When it entered this status. */
    since: timestamp,
    next: portOrderNext,
    overdue: z.boolean(),
    completion_date: z.iso.date().nullable(),
  }),
).meta({ id: 'QueuedPortOrder' })

export const listPortOrderQueue = operation({
  ...common,
  id: 'listPortOrderQueue',
  summary: 'List open port orders by due time',
  description: 'Lists open orders of all accounts by due time, with who acts next.',
  endpoint: 'GET /operator/portorders',
  replica: true,
  query: z.object({
    ...page(10, 200),
    status: statusFilter.optional(),
    who: whoFilter.optional(),
    overdue: queryBoolean.optional(),
    account_id: z
      .string()
      .regex(/^\d{1,18}$/, 'Must be the ID of an account.')
      .optional(),
  }),
  responses: { 200: { description: 'Orders.', body: list(queuedOrder) } },
})

export const getQueuedPortOrder = operation({
  ...common,
  id: 'getQueuedPortOrder',
  summary: 'Get one port order with its account and who acts next',
  description: 'Returns the same attributes as the queue, also for orders that are no longer open.',
  endpoint: 'GET /operator/portorders/{portorder_id}',
  responses: { 200: { description: 'The order.', body: document(queuedOrder) } },
})

const warnings = z.array(z.object({ code: z.string(), message: z.string() }))

export const transitionPortOrder = operation({
  ...common,
  id: 'transitionPortOrder',
  summary: 'Change the status of a port order',
  description:
    'Follows the transitions table. Rejected requires `reason_code`, a code from the catalog or from the carrier. Accepted requires `completion_date`. The customer sees `comment`.',
  endpoint: 'POST /operator/portorders/{portorder_id}/transitions',
  body: z.strictObject({
    to: z
      .string()
      .pipe(statusFilter)
      .meta({ wire: { enum: [...portOrderStatuses] } }),
    reason_code: text(100).min(1).nullish(),
    reason: text(2000).nullish(),
    completion_date: z.iso.date('Must be a date, YYYY-MM-DD.').nullish(),
    /** Numbers that were not ported; with Completed only. */
    left_behind: z.array(text(20)).max(20_000).nullish(),
    comment: text(2000).nullish(),
  }),
  responses: {
    200: {
      description: 'The order, with warnings for the operator.',
      body: z.object({ data: portOrder, links: selfLink, meta: z.object({ warnings }) }),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const verifyLoa = operation({
  ...common,
  id: 'verifyLoa',
  summary: 'Verify that a PDF is the signed LOA',
  endpoint: 'POST /operator/portorders/{portorder_id}/loa/verify',
  access: 'read',
  body: { bytes: ['application/pdf', 'application/octet-stream'] },
  responses: {
    200: {
      description: 'Whether it is authentic, and the evidence of the signing.',
      body: z.object({
        data: z.object({
          type: z.literal('loa_verification'),
          id,
          attributes: z.object({
            authentic: z.boolean(),
            error: z.enum(['evidence_changed', 'other_loa', 'loa_changed']).nullable(),
            reason: z.string().nullable(),
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
            /** Fields of the order that have changed since. */
            changed_fields: z.array(z.string()),
          }),
        }),
      }),
    },
  },
  problems: ['not-found', 'payload-too-large', 'unsupported-media-type'],
  effect: 'read',
})
