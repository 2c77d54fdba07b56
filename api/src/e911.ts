import * as z from 'zod'
import { operation } from './operation.ts'
import { envelope } from './envelope.ts'
import { document, list, page, pathId, queryText, resource, timestamp } from './shapes.ts'

/** Emergency addresses of an account, and the operator's street data that they are checked against. */

/** How deep an address was checked: `postal` city and code agree, `street` it exists there, `range` the number lies in its range, `address` the number itself is known. */
export const e911Levels = ['postal', 'street', 'range', 'address'] as const

const elements = z
  .array(z.string())
  .meta({ description: 'Civic elements as RFC 5139 names them: A1 state, A3 city, RD street, HNO number.' })

const validation = z.object({
  level: z.enum(e911Levels),
  source: z.string(),
  vintage: z.string(),
  validated_at: timestamp,
  /** RFC 5222: each element is valid, invalid or unchecked. */
  valid: elements,
  invalid: elements,
  unchecked: elements,
  community: z
    .string()
    .nullable()
    .meta({ description: 'The 911 community where the data has another than the postal city.' }),
  esn: z.string().nullable().meta({ description: 'Emergency service number of the address, where the data has one.' }),
  psap: z.string().nullable().meta({
    description: 'The public safety answering point that takes 911 calls from there, where the data has one.',
  }),
})

export const e911Attributes = z.object({
  label: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  street_number: z.string(),
  street_name: z.string(),
  address_type: z.string().nullable(),
  address_type_number: z.string().nullable(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zip: z.string(),
  validation,
})
export const e911 = resource('e911', e911Attributes).meta({ id: 'E911' })

/**
 * An unvalidated field: the rules of an address consider all fields together and are the server's (e911/rules.ts), so that
 * every error is reported at once. The schema is for the description and for the client's types.
 */
const given = <T>(wire: Record<string, unknown>) =>
  z
    .custom<T>(() => true)
    .meta({ wire })
    .optional()
const words = given<string>({ type: 'string' })

export const e911Given = z.looseObject({
  label: words,
  first_name: words,
  last_name: words,
  street_number: given<string | number>({ type: ['string', 'integer'] }),
  street_name: words,
  address_type: given<string | null>({ type: ['string', 'null'] }),
  address_type_number: given<string | number | null>({ type: ['string', 'integer', 'null'] }),
  city: words,
  state: words,
  country: words,
  zip: words,
})

const common = { feature: 'e911s', media: 'jsonapi', principals: ['account', 'operator'] } as const
const e911_id = z.object({ e911_id: pathId })
const checks = ['not-geocodable', 'duplicate-address', 'address-correction', 'invalid-input', 'not-ready'] as const

export const validateE911 = operation({
  ...common,
  id: 'validateE911',
  summary: 'Validate an emergency address',
  method: 'POST',
  path: '/v2/e911s/validate',
  access: 'read',
  body: envelope('e911', e911Given),
  responses: { 204: { description: 'The address is valid as sent.', body: null } },
  problems: checks,
  effect: 'read',
})

export const createE911 = operation({
  ...common,
  id: 'createE911',
  summary: 'Validate and keep an emergency address',
  method: 'POST',
  path: '/v2/e911s',
  access: 'write',
  body: envelope('e911', e911Given),
  responses: { 201: { description: 'The address, with the evidence of its validation.', body: document(e911) } },
  problems: checks,
  effect: 'transaction',
})

export const listE911s = operation({
  ...common,
  id: 'listE911s',
  summary: 'List emergency addresses',
  method: 'GET',
  path: '/v2/e911s',
  access: 'read',
  query: z.object({ ...page(10, 2000), label: queryText, street_name: queryText, city: queryText, state: queryText }),
  responses: {
    200: {
      description: 'Addresses, oldest first. The filters are parts, any case; `state` is exact.',
      body: list(e911),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})

export const getE911 = operation({
  ...common,
  id: 'getE911',
  summary: 'Get one emergency address',
  description: 'With `Accept: application/pidf+xml` as a PIDF-LO civic location (RFC 4119, RFC 5139).',
  method: 'GET',
  path: '/v2/e911s/{e911_id}',
  access: 'read',
  params: e911_id,
  responses: { 200: { description: 'The address.', body: document(e911), also: ['application/pidf+xml'] } },
  problems: ['not-found'],
  effect: 'read',
})

export const updateE911 = operation({
  ...common,
  id: 'updateE911',
  summary: 'Change an emergency address; it is validated anew',
  method: 'PATCH',
  path: '/v2/e911s/{e911_id}',
  access: 'write',
  params: e911_id,
  body: envelope('e911', e911Given, { flat: true }),
  responses: { 200: { description: 'The address.', body: document(e911) } },
  problems: ['not-found', ...checks],
  effect: 'transaction',
})

export const deleteE911 = operation({
  ...common,
  id: 'deleteE911',
  summary: 'Remove an emergency address that no number uses',
  method: 'DELETE',
  path: '/v2/e911s/{e911_id}',
  access: 'write',
  params: e911_id,
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
})

const attachedNumber = z.object({
  type: z.literal('number'),
  id: z.string(),
  attributes: z.object({ alias: z.string().nullable(), value: z.string() }),
  links: z.object({ self: z.string() }),
})

export const listE911Numbers = operation({
  ...common,
  id: 'listE911Numbers',
  summary: 'List the numbers that use an emergency address',
  method: 'GET',
  path: '/v2/e911s/{e911_id}/relationships/numbers',
  access: 'read',
  params: e911_id,
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Long codes in ascending order.', body: list(attachedNumber) } },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})
