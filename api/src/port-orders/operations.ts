import * as z from 'zod'
import { operation } from '../declare.ts'
import { document, list, page, queryBoolean, queryText, selfLink } from '../shapes.ts'
import { cancelBody, createBody, patchBody } from './bodies.ts'
import { portedNumbers } from './details.ts'
import { disposition, portOrder, portOrderGroup, portOrderStatusResource } from './shapes.ts'
import { parseStatus } from './transitions.ts'

/** Port order operations of customers. */

const common = { feature: 'portorders', media: 'json', principals: ['account', 'operator'] } as const
const at = '/v2/portorders/{portorder_id}'
const orderDocument = document(portOrder)

/** A time, or a day, which means 00:00 UTC. */
const queryTime = z
  .string()
  .refine((v) => z.iso.date().safeParse(v).success || z.iso.datetime({ offset: true }).safeParse(v).success, {
    error: 'Must be a date (YYYY-MM-DD) or an ISO 8601 time with an offset.',
  })
  .transform((v) => new Date(v))
  .optional()
  .meta({ wire: { type: 'string', format: 'date-time' } })

export const whoFilter = z.enum(['account', 'operator', 'carrier']).meta({ description: 'Who acts next.' })

export const statusFilter = z
  .string()
  .transform((v, c) => {
    const status = parseStatus(v)
    if (status === null) c.addIssue({ code: 'custom', message: 'Is not a port order status.' })
    return status ?? z.NEVER
  })
  .meta({ wire: { type: 'string', description: 'In upper or lower case. `cancelled` means `Canceled`.' } })

const preview = z.object({
  data: z.object({
    type: z.literal('portorder_preview'),
    attributes: z.object({
      orders: z.array(
        z.object({
          kind: z.enum(['local', 'toll-free']),
          country: z.enum(['US', 'CA']).nullable(),
          provider: z.string(),
          numbers: z.array(z.string()),
          cost: z.string(),
          reason: z.string(),
        }),
      ),
      /** `order`: the index in `orders`; null when the number would be refused. */
      dispositions: z.array(
        z.object({
          given: z.string(),
          number: z.string().nullable(),
          order: z.int().nullable(),
          reason: z.string(),
          code: z.string().nullable(),
        }),
      ),
    }),
  }),
})

export const createPortOrder = operation({
  ...common,
  id: 'createPortOrder',
  summary: 'Create port orders for numbers',
  description:
    'Splits the numbers into orders of one group by kind (toll-free or local), country, and losing carrier. `data` is the first order, `included` has the others, and `meta.dispositions` says which order each number is on, and why. `dry_run=true` returns the same split and writes nothing. The numbers are claimed for the account when the order is signed.',
  endpoint: 'POST /v2/portorders',
  query: z.object({ dry_run: queryBoolean.optional() }),
  body: createBody,
  responses: {
    200: { description: 'What would be created (dry run).', body: preview },
    201: {
      description: 'The orders, Pending.',
      body: z.object({
        data: portOrder,
        included: z.array(portOrder),
        links: selfLink,
        meta: z.object({ group_id: z.string(), dispositions: z.array(disposition) }),
      }),
    },
  },
})

export const listPortOrders = operation({
  ...common,
  id: 'listPortOrders',
  summary: 'List port orders',
  description: 'Shows the first 100 numbers of each order. `numbers_count` counts all of them.',
  endpoint: 'GET /v2/portorders',
  replica: true,
  query: z.object({
    ...page(10, 200),
    status: statusFilter.optional(),
    who: whoFilter.optional(),
    order: z.enum(['newest', 'due']).optional().meta({
      description: '`newest` first (default), or by due time with `due`, where orders without a deadline come last.',
    }),
    group_id: queryText.meta({ description: 'Orders of one request.' }),
    number: queryText.meta({ description: 'Orders with this number.' }),
    alias: queryText.meta({ description: 'Part of the alias, in upper or lower case.' }),
    created_from: queryTime,
    created_before: queryTime,
    modified_from: queryTime,
    modified_before: queryTime,
  }),
  responses: { 200: { description: 'Orders, newest first or by `order`.', body: list(portOrder) } },
})

export const getPortOrder = operation({
  ...common,
  id: 'getPortOrder',
  summary: 'Get one port order',
  endpoint: `GET ${at}`,
  responses: { 200: { description: 'The order.', body: orderDocument } },
  problems: ['not-found'],
})

export const getPortOrderGroup = operation({
  ...common,
  id: 'getPortOrderGroup',
  summary: 'Get the orders of one request with a common status',
  description: '`Requires Action` while any of the orders waits for the customer.',
  endpoint: 'GET /v2/portorders/groups/{group_id}',
  responses: { 200: { description: 'The group.', body: document(portOrderGroup) } },
})

export const updatePortOrder = operation({
  ...common,
  id: 'updatePortOrder',
  summary: 'Cancel a port order, or change its presets or details',
  description:
    'The body determines which: `data.attributes.status` cancels the order (Pending, Rejected); `presets`, bare or in `data.attributes`, changes presets until the order is final; other attributes change details (Pending, Rejected). You can also send the whole document of the order; unchanged attributes are ignored.',
  endpoint: `PATCH ${at}`,
  body: patchBody,
  responses: {
    200: {
      description: 'The order, or its status after a cancel.',
      body: z.union([orderDocument, document(portOrderStatusResource)]),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const cancelPortOrder = operation({
  ...common,
  id: 'cancelPortOrder',
  summary: 'Cancel a port order',
  description:
    'A Pending order becomes Canceled, and a Rejected order becomes Abandoned. There is no fee. In other statuses, open a support ticket.',
  endpoint: `PATCH ${at}/status`,
  body: cancelBody,
  responses: { 200: { description: 'The new status.', body: document(portOrderStatusResource) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const getPortOrderStatus = operation({
  ...common,
  id: 'getPortOrderStatus',
  summary: 'Get the status of a port order',
  endpoint: `GET ${at}/status`,
  responses: { 200: { description: 'The status.', body: document(portOrderStatusResource) } },
})

export const changePortOrderNumbers = operation({
  ...common,
  id: 'changePortOrderNumbers',
  summary: 'Add and remove numbers of a Pending port order',
  endpoint: `PATCH ${at}/relationships/numbers`,
  body: z.strictObject({ add: portedNumbers(0).optional(), remove: portedNumbers(0).optional() }),
  responses: { 200: { description: 'The order.', body: orderDocument } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const resubmitPortOrder = operation({
  ...common,
  id: 'resubmitPortOrder',
  summary: 'Resubmit a rejected port order',
  endpoint: `POST ${at}/resubmit`,
  responses: { 200: { description: 'The order, in Review.', body: orderDocument } },
  problems: ['not-found', 'conflict'],
})
