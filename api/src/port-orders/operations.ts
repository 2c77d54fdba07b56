import * as z from 'zod'
import { operation } from '../operation.ts'
import { document, list, page, pathId, queryBoolean, queryText } from '../shapes.ts'
import { cancelBody, createBody, patchBody } from './bodies.ts'
import { portedNumbers } from './details.ts'
import { disposition, portOrder, portOrderGroup, portOrderStatusResource } from './shapes.ts'
import { parseStatus } from './transitions.ts'

/** Port orders of the account holder. */

const common = { feature: 'portorders', media: 'json', principals: ['account', 'operator'] } as const
const portorder_id = z.object({ portorder_id: pathId })
const at = '/v2/portorders/{portorder_id}'
const orderDocument = document(portOrder)

/** A time, or a day, which stands for 00:00 UTC. */
const queryTime = z
  .string()
  .refine((v) => z.iso.date().safeParse(v).success || z.iso.datetime({ offset: true }).safeParse(v).success, {
    error: 'Must be a day, YYYY-MM-DD, or a time in ISO 8601 with an offset.',
  })
  .transform((v) => new Date(v))
  .optional()
  .meta({ wire: { type: 'string', format: 'date-time' } })

export const whoFilter = z.enum(['account', 'operator', 'carrier']).meta({ description: 'Who acts next.' })

export const statusFilter = z
  .string()
  .transform((v, c) => {
    const status = parseStatus(v)
    if (status === null) c.addIssue({ code: 'custom', message: 'Is not a status of port orders.' })
    return status ?? z.NEVER
  })
  .meta({ wire: { type: 'string', description: 'In any case; `cancelled` is `Canceled`.' } })

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
      /** `order` is the index in `orders`; null when the number would be refused. */
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
  summary: 'Order the port of numbers',
  description:
    'Numbers are split into orders of one group by toll-free or local, country and losing carrier. `data` is the first order, `included` the others, `meta.dispositions` gives the order of every number, and why. `dry_run=true` returns the same split and writes nothing. The numbers are claimed for the account when the order is signed.',
  method: 'POST',
  path: '/v2/portorders',
  access: 'write',
  query: z.object({ dry_run: queryBoolean.optional() }),
  body: createBody,
  responses: {
    200: { description: 'What would be created (dry run).', body: preview },
    201: {
      description: 'The orders, Pending.',
      body: z.object({
        data: portOrder,
        included: z.array(portOrder),
        links: z.object({ self: z.string() }),
        meta: z.object({ group_id: z.string(), dispositions: z.array(disposition) }),
      }),
    },
  },
  problems: ['invalid-input'],
  effect: 'transaction',
})

export const listPortOrders = operation({
  ...common,
  id: 'listPortOrders',
  summary: 'List port orders',
  description: 'With the first 100 numbers of each order; `numbers_count` counts all.',
  method: 'GET',
  path: '/v2/portorders',
  access: 'read',
  query: z.object({
    ...page(10, 200),
    status: statusFilter.optional(),
    who: whoFilter.optional(),
    order: z.enum(['newest', 'due']).optional().meta({
      description:
        '`newest` first, which is the default, or what is `due` first; what has no deadline comes last then.',
    }),
    group_id: queryText.meta({ description: 'Orders of one request.' }),
    number: queryText.meta({ description: 'Orders with this number.' }),
    alias: queryText.meta({ description: 'Part of the alias, any case.' }),
    created_from: queryTime,
    created_before: queryTime,
    modified_from: queryTime,
    modified_before: queryTime,
  }),
  responses: { 200: { description: 'Orders, newest first or as `order` says.', body: list(portOrder) } },
  problems: ['invalid-input'],
  effect: 'read',
})

export const getPortOrder = operation({
  ...common,
  id: 'getPortOrder',
  summary: 'Get one port order',
  method: 'GET',
  path: at,
  access: 'read',
  params: portorder_id,
  responses: { 200: { description: 'The order.', body: orderDocument } },
  problems: ['not-found'],
  effect: 'read',
})

export const getPortOrderGroup = operation({
  ...common,
  id: 'getPortOrderGroup',
  summary: 'Get the orders of one request with a common status',
  description: '`Requires Action` while any of them needs the account holder.',
  method: 'GET',
  path: '/v2/portorders/groups/{group_id}',
  access: 'read',
  params: z.object({ group_id: pathId }),
  responses: { 200: { description: 'The group.', body: document(portOrderGroup) } },
  problems: ['not-found'],
  effect: 'read',
})

export const updatePortOrder = operation({
  ...common,
  id: 'updatePortOrder',
  summary: 'Cancel a port order, or change its presets or details',
  description:
    'The body determines which: `data.attributes.status` cancels (Pending, Rejected); `presets`, bare or in `data.attributes`, changes presets until the order is final; other attributes are details (Pending, Rejected). The whole document of the order is accepted too: what is unchanged in it is ignored.',
  method: 'PATCH',
  path: at,
  access: 'write',
  params: portorder_id,
  body: patchBody,
  responses: {
    200: {
      description: 'The order; after a cancel its status.',
      body: z.union([orderDocument, document(portOrderStatusResource)]),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input'],
  effect: 'transaction',
})

export const cancelPortOrder = operation({
  ...common,
  id: 'cancelPortOrder',
  summary: 'Cancel a port order',
  description: 'Pending becomes Canceled, Rejected becomes Abandoned; no fee. Later a support ticket is needed.',
  method: 'PATCH',
  path: `${at}/status`,
  access: 'write',
  params: portorder_id,
  body: cancelBody,
  responses: { 200: { description: 'The new status.', body: document(portOrderStatusResource) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
  effect: 'transaction',
})

export const getPortOrderStatus = operation({
  ...common,
  id: 'getPortOrderStatus',
  summary: 'Get the status of a port order',
  method: 'GET',
  path: `${at}/status`,
  access: 'read',
  params: portorder_id,
  responses: { 200: { description: 'The status.', body: document(portOrderStatusResource) } },
  problems: ['not-found'],
  effect: 'read',
})

export const changePortOrderNumbers = operation({
  ...common,
  id: 'changePortOrderNumbers',
  summary: 'Add and remove numbers of a Pending port order',
  method: 'PATCH',
  path: `${at}/relationships/numbers`,
  access: 'write',
  params: portorder_id,
  body: z.strictObject({ add: portedNumbers(0).optional(), remove: portedNumbers(0).optional() }),
  responses: { 200: { description: 'The order.', body: orderDocument } },
  problems: ['not-found', 'conflict', 'invalid-input'],
  effect: 'transaction',
})

export const resubmitPortOrder = operation({
  ...common,
  id: 'resubmitPortOrder',
  summary: 'Resubmit a rejected port order',
  method: 'POST',
  path: `${at}/resubmit`,
  access: 'write',
  params: portorder_id,
  responses: { 200: { description: 'The order, in Review.', body: orderDocument } },
  problems: ['not-found', 'conflict'],
  effect: 'transaction',
})
