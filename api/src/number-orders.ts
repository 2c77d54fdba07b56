import * as z from 'zod'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import { availableFilters, bodyMoney } from './inventory.ts'
import { availableNumberValue, numberDocument } from './numbers.ts'
import { presetChanges } from './port-orders/details.ts'
import { presets } from './port-orders/shapes.ts'
import {
  absentWhenEmpty,
  bodyBoolean,
  callbackUrl,
  document,
  idReference,
  line,
  list,
  money,
  page,
  pathNumber,
  queryId,
  resource,
  timestamp,
} from './shapes.ts'

/** Orders and reservations of numbers. */

/** Most numbers of an order, because it is one transaction with an event for each number. */
export const orderedNumbers_max = 1_000
/** Most numbers of a reservation. */
export const reservedNumbers_max = 100

export const numberOrderModes = ['partial', 'all_or_none'] as const
export const numberOrderStatuses = [
  'pending_approval',
  'completed',
  'partial',
  'failed',
  'rejected',
  'canceled',
  'expired',
] as const

const numberOrderAttributes = z.object({
  status: z.enum(numberOrderStatuses).meta({
    description:
      '`pending_approval`: the carrier has to approve it; until `expires_at` its numbers are reserved for it. `partial`: some of the numbers were not ordered. `failed`: none was. `rejected`, `canceled`, `expired`: it was not approved, and its numbers are for sale again.',
  }),
  numbers: z
    .array(
      z
        .object({
          value: z.string(),
          outcome: z.enum(['ordered', 'pending', 'refused']),
          reason: z.string().nullable().meta({ description: 'Why it was not ordered.' }),
          monthly_cost: money
            .nullable()
            .meta({ description: 'At the time of the order; null for a number that was not available.' }),
          setup_cost: money.nullable(),
          warnings: z.array(z.string()).meta({ description: 'Presets that were not applied, and why.' }),
        })
        .meta({ id: 'OrderedNumber' }),
    )
    .meta({ description: 'In the order of the request.' }),
  ordered_count: z.int(),
  missing_count: z.int().meta({ description: 'How many numbers of those requested were not ordered.' }),
  setup_cost: money.meta({ description: 'Setup cost of all ordered or pending numbers.' }),
  monthly_cost: money.meta({ description: 'Monthly cost of all ordered or pending numbers.' }),
  presets,
  callback_url: z.string().nullable(),
  expires_at: timestamp
    .nullable()
    .meta({ description: 'Until when the carrier can approve it; null if it needs no approval.' }),
  rejection_reason: z.string().nullable(),
  created_at: timestamp,
})

const numberOrder = resource('numberorder', numberOrderAttributes).meta({ id: 'NumberOrder' })
/** The document of an order. */
export const numberOrderDocument = document(numberOrder)

const newNumberOrder = z.strictObject({
  numbers: z.array(availableNumberValue).min(1).max(orderedNumbers_max).optional(),
  quantity: z
    .int()
    .min(1)
    .max(orderedNumbers_max)
    .optional()
    .meta({ description: 'How many of the matching numbers to order.' }),
  filters: z
    .strictObject(availableFilters)
    .optional()
    .meta({ description: 'Which numbers match; only with `quantity`.' }),
  reservation_id: idReference('Must be the ID of a reservation.').optional(),
  mode: z.enum(numberOrderModes).optional().meta({ description: 'Default: `partial`.' }),
  setup_cost: bodyMoney.optional().meta({ description: 'The expected setup cost of all numbers together.' }),
  monthly_cost: bodyMoney.optional().meta({ description: 'The expected monthly cost of all numbers together.' }),
  cnam_lookups_enabled: bodyBoolean.optional(),
  presets: presetChanges.nullish(),
  callback_url: absentWhenEmpty(callbackUrl).meta({
    description: 'Receives the order, and later the release and restoration of its numbers.',
  }),
})

const common = { feature: 'numbers', media: 'json', principals: ['account', 'operator'] } as const

export const orderNumber = operation({
  ...common,
  media: 'jsonapi',
  id: 'orderNumber',
  summary: 'Order a number',
  description:
    'The number is on the account as soon as the response arrives. If you give `monthly_cost` or `setup_cost` and the price has changed, nothing is ordered, and the response is 409 with the current price. On an account whose orders need approval, the response is 202 with an order that has the status `pending_approval`.',
  endpoint: 'POST /v2/numbers/{number}',
  params: z.object({ number: pathNumber }),
  body: envelope(
    'number',
    z.strictObject({
      cnam_lookups_enabled: bodyBoolean.optional(),
      messaging_enabled: bodyBoolean
        .refine((enabled) => !enabled, 'Must be false: numbers are sold without messaging.')
        .optional(),
      monthly_cost: bodyMoney.optional().meta({ description: 'The price in the search result.' }),
      setup_cost: bodyMoney.optional().meta({ description: 'The price in the search result.' }),
    }),
    { flat: true },
  ),
  responses: {
    201: { description: 'The number, now on the account.', body: numberDocument },
    202: { description: 'An order of the number, which the carrier has to approve.', body: numberOrderDocument },
  },
  problems: ['not-found', 'invalid-input', 'conflict'],
})

export const createNumberOrder = operation({
  ...common,
  id: 'createNumberOrder',
  summary: 'Order many numbers',
  description:
    'Name the numbers, a `quantity` with `filters`, or a reservation. The order is one transaction: when the response arrives, the ordered numbers are on the account with the presets applied. In mode `partial`, numbers that are not available are listed with the reason, and the others are ordered. In mode `all_or_none`, they prevent the order. If you give the costs and they have changed, nothing is ordered, and the response is 409 with the current costs.',
  endpoint: 'POST /v2/numberorders',
  body: envelope('numberorder', newNumberOrder, { flat: true }),
  responses: {
    201: { description: 'The order.', body: numberOrderDocument },
    202: { description: 'The order, which the carrier has to approve.', body: numberOrderDocument },
  },
  problems: ['invalid-input', 'conflict'],
})

export const listNumberOrders = operation({
  ...common,
  id: 'listNumberOrders',
  summary: 'List number orders',
  endpoint: 'GET /v2/numberorders',
  query: z.object({ ...page(10, 200), status: z.enum(numberOrderStatuses).optional() }),
  responses: { 200: { description: 'Newest first.', body: list(numberOrder) } },
})

export const getNumberOrder = operation({
  ...common,
  id: 'getNumberOrder',
  summary: 'Get a number order',
  endpoint: 'GET /v2/numberorders/{numberorder_id}',
  responses: { 200: { description: 'The order.', body: numberOrderDocument } },
})

export const cancelNumberOrder = operation({
  ...common,
  id: 'cancelNumberOrder',
  summary: 'Cancel a number order that is awaiting approval',
  endpoint: 'POST /v2/numberorders/{numberorder_id}/cancel',
  responses: { 200: { description: 'The canceled order.', body: numberOrderDocument } },
  problems: ['not-found', 'conflict'],
})

const numberOrderOfAccount = resource('numberorder', numberOrderAttributes.extend({ account_id: z.string() })).meta({
  id: 'NumberOrderOfAccount',
})
const forOperator = { ...common, principals: ['operator'] } as const

export const listNumberOrdersAsOperator = operation({
  ...forOperator,
  id: 'listNumberOrdersAsOperator',
  summary: 'List number orders of all accounts',
  endpoint: 'GET /operator/numberorders',
  query: z.object({ ...page(10, 200), status: z.enum(numberOrderStatuses).optional(), account_id: queryId }),
  responses: { 200: { description: 'Newest first.', body: list(numberOrderOfAccount) } },
})

export const approveNumberOrder = operation({
  ...forOperator,
  id: 'approveNumberOrder',
  summary: 'Approve a number order',
  description:
    'Completes the order in one transaction, at the prices of the time when it was made. Numbers that are already on an account by then are refused.',
  endpoint: 'POST /operator/numberorders/{numberorder_id}/approve',
  responses: { 200: { description: 'The completed order.', body: document(numberOrderOfAccount) } },
  problems: ['not-found', 'conflict'],
})

export const rejectNumberOrder = operation({
  ...forOperator,
  id: 'rejectNumberOrder',
  summary: 'Reject a number order',
  description: 'Its numbers are for sale again.',
  endpoint: 'POST /operator/numberorders/{numberorder_id}/reject',
  body: z.strictObject({
    reason: line(200)
      .min(1, 'Is required.')
      .meta({ description: 'The customer sees it.', examples: ['Order these numbers next month.'] }),
  }),
  responses: { 200: { description: 'The rejected order.', body: document(numberOrderOfAccount) } },
  problems: ['not-found', 'invalid-input', 'conflict'],
})

export const numberReservationStatuses = ['active', 'ordered', 'released', 'expired'] as const

const reservation = resource(
  'numberreservation',
  z.object({
    status: z.enum(numberReservationStatuses),
    numbers: z.array(z.string()),
    extended: z.boolean(),
    callback_url: z.string().nullable(),
    created_at: timestamp,
    expires_at: timestamp,
  }),
).meta({ id: 'NumberReservation' })

export const createNumberReservation = operation({
  ...common,
  id: 'createNumberReservation',
  summary: 'Reserve numbers for 15 minutes, all or none',
  endpoint: 'POST /v2/numberreservations',
  body: envelope(
    'numberreservation',
    z.strictObject({
      numbers: z.array(availableNumberValue).min(1).max(reservedNumbers_max),
      callback_url: absentWhenEmpty(callbackUrl),
    }),
    { flat: true },
  ),
  responses: { 201: { description: 'The reservation.', body: document(reservation) } },
  problems: ['invalid-input', 'conflict'],
})

export const listNumberReservations = operation({
  ...common,
  id: 'listNumberReservations',
  summary: 'List number reservations',
  endpoint: 'GET /v2/numberreservations',
  query: z.object({ ...page(10, 200), status: z.enum(numberReservationStatuses).optional() }),
  responses: { 200: { description: 'Newest first.', body: list(reservation) } },
})

export const getNumberReservation = operation({
  ...common,
  id: 'getNumberReservation',
  summary: 'Get a number reservation',
  endpoint: 'GET /v2/numberreservations/{numberreservation_id}',
  responses: { 200: { description: 'The reservation.', body: document(reservation) } },
})

export const extendNumberReservation = operation({
  ...common,
  id: 'extendNumberReservation',
  summary: 'Extend a number reservation by 15 minutes, once',
  endpoint: 'POST /v2/numberreservations/{numberreservation_id}/extend',
  responses: { 200: { description: 'The reservation.', body: document(reservation) } },
  problems: ['not-found', 'conflict'],
})

export const releaseNumberReservation = operation({
  ...common,
  id: 'releaseNumberReservation',
  summary: 'Release a number reservation',
  endpoint: 'DELETE /v2/numberreservations/{numberreservation_id}',
  responses: { 204: { description: 'Released.', body: null } },
  problems: ['not-found', 'conflict'],
})
