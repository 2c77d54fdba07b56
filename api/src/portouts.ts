import * as z from 'zod'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import { numberValue } from './numbers.ts'
import { document, id, line, list, page, pathNumber, queryId, resource, timestamp } from './shapes.ts'

/**
 * Port-outs: requests of other carriers to move numbers away from an account, with the transitions table. The server enforces the
 * table; portal, CLI, and docs show it.
 */

export const portoutStatuses = ['open', 'confirmed', 'rejected', 'completed', 'canceled'] as const
export type PortoutStatus = (typeof portoutStatuses)[number]

/** Why a request may be rejected: a field that 47 CFR 52.36 lets a carrier validate, or the customer's objection. */
export const portoutReasons = {
  account_number: 'The account number does not match.',
  zip_code: 'The ZIP Code does not match.',
  passcode: 'The customer has asked for a passcode, and the request has a different one or none.',
  incomplete: 'A required field is missing or invalid.',
  disputed: 'The customer says that they did not authorize it.',
} as const
export type PortoutReason = keyof typeof portoutReasons
export const portoutReasonCodes = Object.keys(portoutReasons) as [PortoutReason, ...PortoutReason[]]

export interface PortoutTransition {
  readonly from: PortoutStatus
  readonly to: PortoutStatus
  /** The event is `portout.` followed by this. */
  readonly event: 'confirmed' | 'rescheduled' | 'rejected' | 'completed' | 'canceled'
  readonly needs?: 'foc_date' | 'reason_code'
  readonly description: string
}

/** Every change of status. The operator makes all of them. */
export const portoutTransitions: readonly PortoutTransition[] = [
  {
    from: 'open',
    to: 'confirmed',
    event: 'confirmed',
    needs: 'foc_date',
    description: 'You sent the gaining carrier a firm order commitment with this date.',
  },
  {
    from: 'open',
    to: 'rejected',
    event: 'rejected',
    needs: 'reason_code',
    description: 'The request is invalid. The gaining carrier can send a new one.',
  },
  {
    from: 'open',
    to: 'completed',
    event: 'completed',
    description: 'The numbers moved without a confirmation, because the timers of the NPAC ran out.',
  },
  {
    from: 'confirmed',
    to: 'confirmed',
    event: 'rescheduled',
    needs: 'foc_date',
    description: 'Both carriers agreed to another date.',
  },
  { from: 'confirmed', to: 'completed', event: 'completed', description: 'The numbers moved.' },
  { from: 'open', to: 'canceled', event: 'canceled', description: 'The gaining carrier withdrew its request.' },
  { from: 'confirmed', to: 'canceled', event: 'canceled', description: 'The gaining carrier withdrew its request.' },
]

/** The transitions that are possible in this status. */
export const portoutTransitionsFrom = (status: PortoutStatus): readonly PortoutTransition[] =>
  portoutTransitions.filter(({ from }) => from === status)

/** Results of comparing the passcode. `not_set`: the customer has not asked for one, so none may be required. */
export const passcodeResults = ['not_set', 'matched', 'mismatched'] as const

/** What a customer can say about a port-out. */
export const portoutResponses = ['authorized', 'disputed'] as const

/** Most numbers of a port-out. */
export const portoutNumbers_max = 1_000

const passcodeResult = z.enum(passcodeResults).meta({
  description: '`not_set`: the customer has not asked for a passcode, so none may be required (47 CFR 52.36(c)).',
})
const date = z.iso.date('Must be a date, YYYY-MM-DD.')

const portout = resource(
  'portout',
  z.object({
    status: z.enum(portoutStatuses),
    account_id: id,
    numbers: z.array(z.string()).meta({ description: 'In ascending order.' }),
    gaining_carrier: z.string(),
    gaining_spid: z.string(),
    reference: z.string().meta({ description: 'The purchase order number of the gaining carrier.' }),
    requested_due_date: z.iso.date(),
    complete_by: z.iso.date().meta({
      description:
        'When the port must be complete (47 CFR 52.35): one business day after the request for a simple port, four for others, or the requested date if that is later.',
    }),
    foc_date: z.iso.date().nullable().meta({ description: 'The date of the firm order commitment.' }),
    is_simple: z.boolean(),
    passcode_result: passcodeResult,
    reason_code: z.enum(portoutReasonCodes).nullable().meta({ description: 'Why it was rejected.' }),
    reason: z.string().nullable(),
    customer_response: z.enum(portoutResponses).nullable(),
    customer_comment: z.string().nullable(),
    responded_at: timestamp.nullable(),
    created_at: timestamp,
    changed_at: timestamp.meta({ description: 'When its status last changed.' }),
  }),
).meta({ id: 'Portout' })

const common = { feature: 'numbers', media: 'json' } as const
const forBoth = { ...common, principals: ['account', 'operator'] } as const
const forOperator = { ...common, principals: ['operator'] } as const
const portoutDocument = document(portout)

export const listPortouts = operation({
  ...forBoth,
  id: 'listPortouts',
  summary: 'List port-outs',
  description: 'Requests of other carriers to move numbers away from the account.',
  endpoint: 'GET /v2/portouts',
  query: z.object({
    ...page(10, 200),
    status: z.enum(portoutStatuses).optional(),
    number: pathNumber.optional().meta({ description: 'Port-outs of this number.' }),
    account_id: queryId.meta({ description: 'Port-outs of this account.' }),
  }),
  responses: { 200: { description: 'Newest first.', body: list(portout) } },
})

export const getPortout = operation({
  ...forBoth,
  id: 'getPortout',
  summary: 'Get a port-out',
  endpoint: 'GET /v2/portouts/{portout_id}',
  responses: { 200: { description: 'The port-out.', body: portoutDocument } },
})

export const respondToPortout = operation({
  ...forBoth,
  id: 'respondToPortout',
  summary: 'Authorize or dispute a port-out',
  description:
    'Tells the operator whether the customer authorized the request. The port-out proceeds even without a response: another carrier may not be kept waiting for it.',
  endpoint: 'POST /v2/portouts/{portout_id}/respond',
  body: envelope(
    'portout',
    z.strictObject({
      response: z.enum(portoutResponses),
      comment: line(500).optional(),
    }),
    { flat: true },
  ),
  responses: { 200: { description: 'The port-out.', body: portoutDocument } },
  problems: ['not-found', 'invalid-input', 'conflict'],
})

export const createPortout = operation({
  ...forOperator,
  id: 'createPortout',
  summary: 'Record a port-out request from another carrier',
  description:
    'All numbers must be on one account. They cannot be released until the port-out is final, and the customer is notified.',
  endpoint: 'POST /operator/portouts',
  body: z.strictObject({
    numbers: z.array(numberValue).min(1).max(portoutNumbers_max),
    gaining_carrier: line(100)
      .min(1, 'Is required.')
      .meta({ examples: ['Northwind Telephone'] }),
    gaining_spid: z
      .string()
      .regex(/^[A-Z0-9]{4}$/, 'Must be four capital letters or digits.')
      .meta({ examples: ['123X'] }),
    reference: line(50)
      .min(1, 'Is required.')
      .meta({ examples: ['NW-20261201-7'] }),
    requested_due_date: date,
    is_simple: z.boolean().optional().meta({
      description:
        'A single line without other services; it must move in one business day. Default: true for one number.',
    }),
    passcode_result: passcodeResult.optional().meta({ description: 'Default: `not_set`.' }),
  }),
  responses: { 201: { description: 'The port-out.', body: portoutDocument } },
})

export const changePortout = operation({
  ...forOperator,
  id: 'changePortout',
  summary: 'Confirm, reject, complete, or cancel a port-out',
  description:
    'Completing it removes its numbers from the account, with their emergency addresses, caller ID names, and voice routes, in one transaction. Those of the inventory become `ported_out`.',
  endpoint: 'PATCH /operator/portouts/{portout_id}',
  body: z.strictObject({
    status: z.enum(['confirmed', 'rejected', 'completed', 'canceled']),
    foc_date: date.optional().meta({ description: 'Required to confirm.' }),
    reason_code: z.enum(portoutReasonCodes).optional().meta({
      description:
        'Required to reject. `passcode` needs the passcode result `mismatched`, and `disputed` the response `disputed` of the customer.',
    }),
    reason: line(200).optional(),
    passcode_result: passcodeResult.optional(),
  }),
  responses: { 200: { description: 'The port-out.', body: portoutDocument } },
  problems: ['not-found', 'invalid-input', 'conflict'],
})
