import * as z from 'zod'
import { operation } from '../declare.ts'
import { envelope } from '../envelope.ts'
import { document, id, list, page, resource, selfLink, storageHeaders, text, timestamp } from '../shapes.ts'
import { loaBody } from './bodies.ts'
import { portOrderNumbers_max } from './details.ts'
import { portOrder, portOrderComment } from './shapes.ts'

/** Operations for the LOA, comments and timeline of a port order, and the portability check. */

const common = { feature: 'portorders', media: 'json', principals: ['account', 'operator'] } as const
const at = '/v2/portorders/{portorder_id}'
const orderDocument = document(portOrder)

const loa = z.object({
  type: z.literal('loa'),
  id,
  attributes: z.object({
    numbers: z.array(z.string()),
    billing_name: z.string(),
    street: z.string(),
    street2: z.string(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    country: z.string(),
    provider: z.string(),
    usage_type: z.string(),
    company: z.string(),
    signature_name: z.string(),
    signature_title: z.string(),
    loa_copy: z.string(),
  }),
  links: selfLink,
})

export const getLoa = operation({
  ...common,
  id: 'getLoa',
  summary: 'Get the Letter of Agency to sign',
  endpoint: `GET ${at}/loa`,
  responses: { 200: { description: 'The form, with empty signatures.', body: document(loa) } },
})

export const submitLoa = operation({
  ...common,
  id: 'submitLoa',
  summary: 'Sign the Letter of Agency and submit the order',
  description:
    'Send the form back with `signature_name` and `signature_title`, and nothing else changed or missing. The request fails if the check of the order has errors that only you can fix. The service stores a PDF of the LOA as a business document, moves the order to Processing, and claims its numbers for the account.',
  endpoint: `POST ${at}/loa`,
  body: loaBody,
  responses: { 201: { description: 'The order, Processing.', body: orderDocument, headers: storageHeaders } },
  problems: ['not-found', 'conflict', 'invalid-input', 'insufficient-storage'],
})

const commentAttributes = portOrderComment.omit({ id: true })
const commentResource = resource('portorder_comment', commentAttributes).meta({ id: 'PortOrderCommentResource' })

export const listPortOrderComments = operation({
  ...common,
  id: 'listPortOrderComments',
  summary: 'List the comments of a port order',
  endpoint: `GET ${at}/comments`,
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Comments, oldest first.', body: list(commentResource) } },
})

export const addPortOrderComment = operation({
  ...common,
  id: 'addPortOrderComment',
  summary: 'Comment on a port order',
  description: 'The operator can make a comment `private`, which hides it from the customer.',
  endpoint: `POST ${at}/comments`,
  body: envelope(
    'portorder_comment',
    z.strictObject({
      text: text(2000).refine((v) => v.trim() !== '', 'Must not be empty.'),
      private: z.boolean().nullish(),
    }),
    { flat: true, type_optional: true, shows: commentAttributes },
  ),
  responses: { 201: { description: 'The comment.', body: document(commentResource) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const getPortOrderTimeline = operation({
  ...common,
  id: 'getPortOrderTimeline',
  summary: 'List the events of a port order',
  endpoint: `GET ${at}/timeline`,
  query: z.object(page(10, 200)),
  responses: {
    200: {
      description: 'Events, oldest first.',
      body: list(
        z.object({
          type: z.literal('portorder_event'),
          id,
          attributes: z.object({
            event_type: z.string(),
            occurred_at: timestamp,
            by: z.enum(['account', 'operator', 'system']),
            data: z.record(z.string(), z.unknown()),
          }),
        }),
      ),
    },
  },
})

const numbers = z
  .array(text(40).meta({ examples: ['+12065557001'] }))
  .min(1)
  .max(portOrderNumbers_max, `At most ${portOrderNumbers_max} numbers.`)

/** A form sends a single number as text, not as a list. */
const checkedNumbers = z
  .preprocess<unknown, typeof numbers, string | string[]>((v) => (typeof v === 'string' ? [v] : v), numbers)
  .meta({ as: numbers })

export const checkPortability = operation({
  ...common,
  id: 'checkPortability',
  summary: 'Check which numbers can be ported',
  endpoint: 'POST /v2/portorders/portability',
  access: 'read',
  body: z.strictObject({ numbers: checkedNumbers }),
  form: true,
  responses: {
    200: {
      description: 'Each number, in one of the two lists.',
      body: z.object({
        data: z.object({
          portable: z.array(z.string()),
          nonportable: z.array(z.object({ number: z.string(), code: z.string(), reason: z.string() })),
          details: z.array(
            z.object({
              number: z.string(),
              kind: z.enum(['local', 'toll-free']),
              country: z.enum(['US', 'CA']).nullable(),
              /** States or provinces of the area code. */
              regions: z.array(z.string()),
              /** The current carrier of the number; null when unknown. */
              carrier: z.string().nullable(),
            }),
          ),
        }),
      }),
    },
  },
  effect: 'read',
})
