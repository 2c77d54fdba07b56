import * as z from 'zod'
import { operation } from './declare.ts'
import { envelope, relationship } from './envelope.ts'
import {
  bodyBoolean,
  idReference,
  list,
  page,
  pathId,
  pathNumber,
  queryBoolean,
  queryId,
  queryText,
  selfLink,
  text,
  timestamp,
} from './shapes.ts'
import { routeAttributes } from './voice-routes.ts'

/** Phone numbers of an account, with their routes, CNAM and E911 records. Ids in these documents are integers. */

/** Area codes of the toll-free service (47 CFR 52.101 and FCC numbering resolutions); 822, 880 to 887 and 889 are reserved. */
export const tollFreeCodes: readonly string[] = ['800', '833', '844', '855', '866', '877', '888']

export const numberTypes = ['longcode', 'toll-free'] as const

const numberAttributes = z.object({
  alias: z.string().nullable(),
  value: z.string(),
  number_type: z.enum(numberTypes),
  state: z.string().nullable(),
  rate_center: z.string().nullable(),
  iso_country: z.string(),
  status: z.enum(['active', 'inactive']),
  cnam_lookups_enabled: z.boolean(),
  monthly_cost: z.string(),
  created_at: timestamp,
})

const related = <T extends string>(type: T) =>
  z.object({ data: z.object({ type: z.literal(type), id: z.int() }).nullable() })

export const number = z
  .object({
    type: z.literal('number'),
    id: z.int(),
    attributes: numberAttributes,
    links: selfLink,
    relationships: z.object({
      cnam_preset: related('cnam'),
      e911_address: related('e911'),
      primary_route: related('route'),
      failover_route: related('route'),
      message_provision: related('message_provisioning_status'),
    }),
  })
  .meta({ id: 'Number' })

export const numberIncluded = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('route'), id: z.int(), links: selfLink, attributes: routeAttributes }),
    z.object({ type: z.literal('cnam'), id: z.int(), links: selfLink, attributes: z.object({ value: z.string() }) }),
    z.object({ type: z.literal('e911'), id: z.int(), links: selfLink, attributes: z.record(z.string(), z.unknown()) }),
    z.object({
      type: z.literal('message_provisioning_status'),
      id: z.int(),
      links: selfLink,
      attributes: z.object({ status: z.string(), tn: z.string() }),
    }),
  ])
  .meta({ id: 'NumberIncluded' })

/** A number with its related resources. */
export const numberDocument = z
  .object({ data: number, included: z.array(numberIncluded), links: selfLink })
  .meta({ id: 'NumberDocument' })

const common = { feature: 'numbers', media: 'jsonapi', principals: ['account', 'operator'] } as const
const byNumber = z.object({ number: pathNumber })

/** A + that is not percent-encoded is read as a space. */
const withoutPlus = (text: string) => text.replace(/^[+ ]/, '')
/** No area code begins with 1, so a leading 1 is always the country code (NANP). */
export const withCountryCode = (text: string) => (/^[+ 1]/.test(text) ? withoutPlus(text) : `1${text}`)

/** Part of a number. */
export const digits = (description: string, read = withoutPlus) =>
  z
    .string()
    .regex(/^[+ ]?\d{1,15}$/, 'Must be digits.')
    .transform(read)
    .meta({ type: 'string', description })
    .optional()

export const listNumbers = operation({
  ...common,
  id: 'listNumbers',
  summary: 'List phone numbers',
  endpoint: 'GET /v2/numbers',
  replica: true,
  query: z.object({
    ...page(10, 200),
    starts_with: digits('Leading digits, with or without the country code: 425, 1425, +1425.', withCountryCode),
    contains: digits('Digits anywhere in the number.'),
    ends_with: digits('Trailing digits.'),
    alias: queryText.meta({ description: 'Part of the alias, any case.' }),
    cnam_id: queryId.meta({ description: 'Numbers with this caller ID name.' }),
    number_type: z.enum(numberTypes).optional(),
    has_e911: queryBoolean.optional().meta({
      description: 'True: numbers with an emergency address. False: numbers without one, including toll-free numbers.',
    }),
  }),
  responses: {
    200: {
      description: 'Numbers in ascending order.',
      body: list(number),
    },
  },
})

export const getNumber = operation({
  ...common,
  id: 'getNumber',
  summary: 'Get one phone number with its related records',
  endpoint: 'GET /v2/numbers/{number}',
  params: byNumber,
  responses: {
    200: { description: 'The number, its routes, CNAM, E911 address and message provision.', body: numberDocument },
  },
})

export const updateNumber = operation({
  ...common,
  id: 'updateNumber',
  summary: 'Change a number’s alias or caller-name lookup setting',
  description: 'An empty or null `alias` removes it.',
  endpoint: 'PATCH /v2/numbers/{number}',
  params: byNumber,
  body: envelope(
    'number',
    z.strictObject({ alias: text(100).nullable().optional(), cnam_lookups_enabled: bodyBoolean.optional() }),
    { flat: true, shows: numberAttributes },
  ),
  responses: { 200: { description: 'The number.', body: numberDocument } },
})

const numberText = z.string().regex(/^\+?1[2-9]\d{9}$/, 'Must be 11 digits in E.164 form, beginning with 1.')

/** A number in a body; transformed to its 11 digits. */
export const numberValue = numberText.meta({ examples: ['+12065550100'] }).transform(withoutPlus)
/** The same, of a number that no account has. Only the example differs. */
export const availableNumberValue = numberText.meta({ examples: ['+14255550110'] }).transform(withoutPlus)

const routeReference = relationship('route', idReference('Must be the ID of a route.'))

const assignRoute = <I extends string, R extends string>(id: I, relationship: R, summary: string) =>
  operation({
    ...common,
    id,
    summary,
    endpoint: `PATCH /v2/numbers/{number}/relationships/${relationship}`,
    access: 'write',
    params: byNumber,
    body: routeReference,
    responses: { 204: { description: 'Set.', body: null } },
    effect: 'transaction',
  })

export const setPrimaryRoute = assignRoute(
  'setPrimaryRoute',
  'primary_route',
  'Set the primary voice route; null is the default route',
)
export const setFailoverRoute = assignRoute(
  'setFailoverRoute',
  'failover_route',
  'Set the failover voice route; null removes it',
)

export const assignCnam = operation({
  ...common,
  id: 'assignCnam',
  summary: 'Set the caller ID name of a number',
  description: 'For long codes only. The record must be approved.',
  endpoint: 'PATCH /v2/numbers/{number}/relationships/cnams/{cnam_id}',
  aliases: ['/v2/numbers/{number}/relationships/cnam/{cnam_id}'],
  params: z.object({ number: pathNumber, cnam_id: pathId }),
  responses: {
    202: { description: 'Accepted. The name is on the network in 5 to 7 business days.', body: numberDocument },
  },
  problems: ['not-found', 'invalid-input'],
})

export const unassignCnam = operation({
  ...common,
  id: 'unassignCnam',
  summary: 'Remove the caller ID name of a number',
  endpoint: 'DELETE /v2/numbers/{number}/relationships/cnams',
  aliases: ['/v2/numbers/{number}/relationships/cnam'],
  params: byNumber,
  responses: { 202: { description: 'Accepted.', body: numberDocument } },
})

export const assignE911 = operation({
  ...common,
  id: 'assignE911',
  summary: 'Set the emergency address of a number',
  description: 'For long codes only. Toll-free numbers have no emergency service.',
  endpoint: 'PATCH /v2/numbers/{number}/relationships/e911s/{e911_id}',
  params: z.object({ number: pathNumber, e911_id: pathId }),
  responses: { 204: { description: 'Set.', body: null } },
  problems: ['not-found', 'invalid-input'],
})

export const unassignE911 = operation({
  ...common,
  id: 'unassignE911',
  summary: 'Remove the emergency address of a number',
  endpoint: 'DELETE /v2/numbers/{number}/relationships/e911s',
  params: byNumber,
  responses: { 204: { description: 'Removed.', body: null } },
})

export const addNumbers = operation({
  ...common,
  id: 'addNumbers',
  summary: 'Add numbers to an account, all or none',
  endpoint: 'POST /operator/accounts/{account_id}/numbers',
  media: 'json',
  principals: ['operator'],
  body: z.strictObject({
    numbers: z
      .array(
        z.strictObject({
          value: numberValue,
          number_type: z.enum(numberTypes),
          alias: text(100).nullish(),
          state: z
            .string()
            .regex(/^[A-Z]{2}$/, 'Must be two capital letters.')
            .nullish(),
          rate_center: text(50).nullish(),
        }),
      )
      .min(1)
      .max(10_000),
  }),
  responses: { 201: { description: 'The numbers.', body: z.object({ data: z.array(number) }) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})
