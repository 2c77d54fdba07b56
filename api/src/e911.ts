import { z } from 'zod'
import { operation } from './operation.ts'
import { document, envelope, list, page, pathId, pathNumber, queryText, resource, timestamp } from './shapes.ts'

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
 * A field as it comes: the rules of an address look at all fields together and are the server's (e911/rules.ts), so that
 * every fault is named at once. What the shape says is for the description and for the client's types.
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

const common = { feature: 'e911s', media: 'jsonapi', by: ['account', 'operator'] } as const
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
  answers: { 204: { description: 'The address is good as it stands.', body: null } },
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
  answers: { 201: { description: 'The address, with the evidence of its validation.', body: document(e911) } },
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
  answers: {
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
  answers: { 200: { description: 'The address.', body: document(e911), also: ['application/pidf+xml'] } },
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
  answers: { 200: { description: 'The address.', body: document(e911) } },
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
  answers: { 204: { description: 'Removed.', body: null } },
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
  answers: { 200: { description: 'Long codes in ascending order.', body: list(attachedNumber) } },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})

export const assignE911 = operation({
  ...common,
  id: 'assignE911',
  summary: 'Give a number an emergency address',
  description: 'Long codes only: calls from a toll-free number have no emergency service.',
  method: 'PATCH',
  path: '/v2/numbers/{number}/relationships/e911s/{e911_id}',
  access: 'write',
  params: z.object({ number: pathNumber, e911_id: pathId }),
  answers: { 204: { description: 'Given.', body: null } },
  problems: ['not-found', 'invalid-input'],
  effect: 'transaction',
})

export const unassignE911 = operation({
  ...common,
  id: 'unassignE911',
  summary: 'Take the emergency address off a number',
  method: 'DELETE',
  path: '/v2/numbers/{number}/relationships/e911s',
  access: 'write',
  params: z.object({ number: pathNumber }),
  answers: { 204: { description: 'Taken off.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
})

const dataset = z.object({
  type: z.literal('e911_dataset'),
  id: z.string(),
  attributes: z.object({
    name: z.string(),
    vintage: z.string(),
    format: z.string(),
    authority: z.enum(['authoritative', 'indicative']),
    status: z.enum(['loading', 'loaded', 'active', 'failed']),
    failure_reason: z.string().nullable(),
    rows_read: z.int(),
    rows_skipped: z.int(),
    /** Why rows were skipped, with how many. */
    skipped: z.record(z.string(), z.int()),
    streets: z.int(),
    ranges: z.int(),
    /** Of the file, 0 to 1. */
    progress: z.number(),
    created_at: timestamp,
    activated_at: timestamp.nullable(),
  }),
  links: z.object({ self: z.string() }),
})

const operatorOnly = { ...common, media: 'json', by: ['operator'] } as const
const dataset_id = z.object({ dataset_id: pathId })

export const e911Formats = [
  'openaddresses-csv',
  'openaddresses-geojsonl',
  'tiger-addrfeat',
  'tiger-edges',
  'nad-csv',
  'nar-csv',
  'msag-csv',
  'msag-fixed',
  'nena-rcl-csv',
  'nena-ssap-csv',
] as const

export const importE911Dataset = operation({
  ...operatorOnly,
  id: 'importE911Dataset',
  summary: 'Load street data',
  description:
    'The file is the body, plain, gzip or the zip as downloaded. The same name and vintage again changes nothing. Active data takes the place of an older vintage of its name in one step.',
  method: 'POST',
  path: '/operator/e911/datasets',
  access: 'write',
  query: z.object({
    name: z.string().min(1).max(100),
    vintage: z.string().max(50).optional(),
    format: z.enum(e911Formats),
    authority: z.enum(['authoritative', 'indicative']).optional(),
    activate: z.enum(['true', 'false']).optional(),
    state: z
      .string()
      .regex(/^[A-Z]{2}$/, 'Must be two capital letters.')
      .optional(),
    country: z.enum(['US', 'CA']).optional(),
    city: z.string().max(100).optional(),
    columns: z
      .string()
      .max(4000)
      .optional()
      .meta({ description: 'Our column names and the file’s: `street=STREET,low=LOW`.' }),
    layout: z
      .string()
      .max(4000)
      .optional()
      .meta({ description: 'Positions of fixed-width columns: `street=3-50,low=59-66`.' }),
  }),
  body: {
    bytes: [
      'application/octet-stream',
      'application/zip',
      'application/gzip',
      'text/csv',
      'text/plain',
      'application/x-ndjson',
      'application/geo+json',
      'application/dbase',
    ],
  },
  answers: { 202: { description: 'It is being loaded.', body: document(dataset) } },
  problems: ['invalid-input', 'conflict', 'payload-too-large'],
  effect: 'own',
})

export const listE911Datasets = operation({
  ...operatorOnly,
  id: 'listE911Datasets',
  summary: 'List street data, and what it covers',
  method: 'GET',
  path: '/operator/e911/datasets',
  access: 'read',
  answers: {
    200: {
      description: 'Datasets by name; `meta.coverage` says what active ones have in each state.',
      body: z.object({
        data: z.array(dataset),
        links: z.object({ self: z.string() }),
        meta: z.object({
          coverage: z.array(
            z.object({ country: z.string(), state: z.string(), datasets: z.int(), places: z.int(), streets: z.int() }),
          ),
        }),
      }),
    },
  },
  problems: [],
  effect: 'read',
})

export const getE911Dataset = operation({
  ...operatorOnly,
  id: 'getE911Dataset',
  summary: 'Get one dataset of street data',
  method: 'GET',
  path: '/operator/e911/datasets/{dataset_id}',
  access: 'read',
  params: dataset_id,
  answers: { 200: { description: 'The dataset.', body: document(dataset) } },
  problems: ['not-found'],
  effect: 'read',
})

export const activateE911Dataset = operation({
  ...operatorOnly,
  id: 'activateE911Dataset',
  summary: 'Make loaded street data count',
  method: 'POST',
  path: '/operator/e911/datasets/{dataset_id}/activate',
  access: 'write',
  params: dataset_id,
  answers: { 200: { description: 'The dataset.', body: document(dataset) } },
  problems: ['not-found', 'conflict'],
  effect: 'own',
})

export const deleteE911Dataset = operation({
  ...operatorOnly,
  id: 'deleteE911Dataset',
  summary: 'Remove street data',
  method: 'DELETE',
  path: '/operator/e911/datasets/{dataset_id}',
  access: 'write',
  params: dataset_id,
  answers: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found'],
  effect: 'own',
})
