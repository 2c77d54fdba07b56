import * as z from 'zod'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import { availableFilters, bodyMoney } from './inventory.ts'
import { numberValue } from './numbers.ts'
import { presetChanges } from './port-orders/details.ts'
import {
  absentWhenEmpty,
  bodyBoolean,
  callbackUrl,
  document,
  id,
  idReference,
  list,
  money,
  page,
  resource,
  timestamp,
} from './shapes.ts'

/** Orders and reservations of many numbers. */

/** Most numbers of an order, because it is one transaction with an event for each number. */
export const orderedNumbers_max = 1_000
/** Most numbers of a reservation. */
export const reservedNumbers_max = 100

export const numberOrderModes = ['partial', 'all_or_none'] as const
export const numberOrderStatuses = ['completed', 'partial', 'failed'] as const

const presets = z.object({
  cnam_id: z.int().nullable(),
  e911_id: z.int().nullable(),
  primary_route_id: z.int().nullable(),
  failover_route_id: z.int().nullable(),
  alias: z.string().nullable(),
})

const numberOrder = resource(
  'numberorder',
  z.object({
    status: z.enum(numberOrderStatuses).meta({
      description: '`partial`: some of the numbers were not ordered. `failed`: none was.',
    }),
    numbers: z
      .array(
        z.object({
          value: z.string(),
          outcome: z.enum(['ordered', 'refused']),
          reason: z.string().nullable().meta({ description: 'Why it was not ordered.' }),
          warnings: z.array(z.string()).meta({ description: 'Presets that were not applied, and why.' }),
        }),
      )
      .meta({ description: 'In the order of the request.' }),
    ordered_count: z.int(),
    missing_count: z.int().meta({ description: 'How many numbers of those requested were not ordered.' }),
    setup_cost: money.meta({ description: 'Of all ordered numbers, once.' }),
    monthly_cost: money.meta({ description: 'Of all ordered numbers, each month.' }),
    presets,
    callback_url: z.string().nullable(),
    created_at: timestamp,
  }),
)

const newNumberOrder = z.strictObject({
  numbers: z.array(numberValue).min(1).max(orderedNumbers_max).optional(),
  quantity: z.int().min(1).max(orderedNumbers_max).optional().meta({ description: 'How many, of those that match.' }),
  filters: z.strictObject(availableFilters).optional().meta({ description: 'Which numbers; only with `quantity`.' }),
  reservation_id: idReference('Must be the id of a reservation.').optional(),
  mode: z.enum(numberOrderModes).optional().meta({ description: 'Default: `partial`.' }),
  setup_cost: bodyMoney.optional().meta({ description: 'What all numbers together should cost once.' }),
  monthly_cost: bodyMoney.optional().meta({ description: 'What all numbers together should cost each month.' }),
  cnam_lookups_enabled: bodyBoolean.optional(),
  presets: presetChanges.nullish(),
  callback_url: absentWhenEmpty(callbackUrl).meta({
    description: 'Receives the order, and later the release and restoration of its numbers.',
  }),
})

const common = { feature: 'numbers', media: 'json', principals: ['account', 'operator'] } as const

export const createNumberOrder = operation({
  ...common,
  id: 'createNumberOrder',
  summary: 'Order many numbers',
  description:
    'Name the numbers, a `quantity` with `filters`, or a reservation. The order is one transaction: when the response arrives, the ordered numbers are on the account with the presets applied. In mode `partial`, numbers that are not available are listed with the reason, and the others are ordered. In mode `all_or_none`, they prevent the order. If the costs are given and differ by now, nothing is ordered, and the response is 409 with the costs.',
  endpoint: 'POST /v2/numberorders',
  body: envelope('numberorder', newNumberOrder, { flat: true }),
  responses: { 201: { description: 'The order.', body: document(numberOrder) } },
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
  responses: { 200: { description: 'The order.', body: document(numberOrder) } },
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
)

export const createNumberReservation = operation({
  ...common,
  id: 'createNumberReservation',
  summary: 'Reserve numbers for 15 minutes, all or none',
  endpoint: 'POST /v2/numberreservations',
  body: envelope(
    'numberreservation',
    z.strictObject({
      numbers: z.array(numberValue).min(1).max(reservedNumbers_max),
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

const policyAttributes = {
  numbers_max: z
    .int()
    .min(0)
    .max(100_000_000)
    .nullable()
    .meta({ description: 'Most numbers on the account when it orders. Null: any.' }),
  reserved_max: z
    .int()
    .min(0)
    .max(100_000_000)
    .nullable()
    .meta({ description: 'Most numbers reserved at a time. Null: 100.' }),
}

const policy = z.object({ type: z.literal('number_policy'), id, attributes: z.object(policyAttributes) })

export const getNumberPolicy = operation({
  feature: 'numbers',
  media: 'json',
  principals: ['operator'],
  id: 'getNumberPolicy',
  summary: 'Get how many numbers an account may order and reserve',
  endpoint: 'GET /operator/accounts/{account_id}/number_policy',
  responses: { 200: { description: 'The limits.', body: z.object({ data: policy }) } },
})

export const setNumberPolicy = operation({
  feature: 'numbers',
  media: 'json',
  principals: ['operator'],
  id: 'setNumberPolicy',
  summary: 'Set how many numbers an account may order and reserve',
  endpoint: 'PUT /operator/accounts/{account_id}/number_policy',
  body: z.strictObject(policyAttributes),
  responses: { 200: { description: 'The limits.', body: z.object({ data: policy }) } },
})
