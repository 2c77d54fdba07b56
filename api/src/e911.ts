import * as z from 'zod'
import { e911AddressTypes, e911Lengths, e911LevelHeader, e911Levels } from './e911-words.ts'
import { operation } from './declare.ts'
import { requiredOr } from './words.ts'
import { canadianProvinces, usStates } from './states.ts'
import { envelope } from './envelope.ts'
import { document, list, page, queryBoolean, queryText, resource, selfLink, timestamp } from './shapes.ts'

/** Emergency addresses of an account. */

const elements = z
  .array(z.string())
  .meta({ description: 'Civic elements by their RFC 5139 names: A1 state, A3 city, RD street, HNO number.' })

const validation = z
  .object({
    level: z.enum(e911Levels),
    source: z.string(),
    vintage: z.string(),
    validated_at: timestamp,
    /** Each element is valid, invalid, or unchecked (RFC 5222). */
    valid: elements,
    invalid: elements,
    unchecked: elements,
    community: z.string().nullable().meta({ description: 'The 911 community, if it differs from the postal city.' }),
    esn: z.string().nullable().meta({ description: 'Emergency service number of the address, if the data has one.' }),
    psap: z.string().nullable().meta({
      description: 'The public safety answering point that takes 911 calls from there, if the data has one.',
    }),
  })
  .meta({ id: 'E911Validation' })

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

const typeByLowerCase = new Map(e911AddressTypes.map((name) => [name.toLowerCase(), name]))

const zipForm = 'Must be a ZIP code (12345 or 12345-6789) or a Canadian postal code (A1A 1A1).'

const isBlank = (v: unknown) => v === null || v === ''
/** Clients send text or a number; the schema decides which texts are valid. */
type Plain<I> = I extends number ? number : string

/** Null and empty text count as absent. */
const needed = <S extends z.ZodType<unknown, string | number>>(shape: S) =>
  z.preprocess<unknown, S, Plain<z.input<S>>>((v) => (isBlank(v) ? undefined : v), shape).meta({ as: shape })
/** Null and empty text clear the field. */
const clearable = <S extends z.ZodType>(shape: S) =>
  z
    .preprocess<unknown, z.ZodNullable<S>, z.input<S> | null>((v) => (isBlank(v) ? null : v), shape.nullable())
    .meta({ as: shape.nullable() })
    .optional()

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'Must not be blank.')
    // C0 and C1 controls; PostgreSQL cannot store U+0000
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters.')
    .max(max, `At most ${max} characters.`)

const states = [...usStates, ...canadianProvinces] as const

/** The fields of an address that a customer sends. The server checks how they fit together (e911/rules.ts). */
export const e911Fields = z.strictObject({
  label: needed(line(e911Lengths.label)),
  first_name: needed(line(e911Lengths.first_name)),
  last_name: needed(line(e911Lengths.last_name)),
  street_number: needed(
    z
      .union([z.int(), z.string().max(20)], requiredOr('Not a valid house number.'))
      .meta({ description: 'A house number as it is posted: 12, `12B`, `12 1/2`, `87-15`.' }),
  ),
  street_name: needed(line(e911Lengths.street_name)),
  address_type: clearable(
    z
      .string()
      .transform((v, c) => {
        const known = typeByLowerCase.get(v.trim().toLowerCase())
        if (known === undefined)
          c.addIssue({ code: 'custom', message: `Must be one of: ${e911AddressTypes.join(', ')}.` })
        return known ?? z.NEVER
      })
      .meta({
        wire: { type: 'string', enum: e911AddressTypes, description: 'Any case.' },
        component: 'E911AddressType',
      }),
  ),
  address_type_number: clearable(
    z.union([z.int().transform(String), line(e911Lengths.address_type_number)], 'Must be text.'),
  ),
  city: needed(line(e911Lengths.city).regex(/\p{L}/u, 'Must be the name of a city.')),
  state: needed(
    z
      .enum(states, requiredOr('Must be a US state or Canadian province, as two capital letters.'))
      .meta({ component: 'StateOrProvince', examples: ['WI'] }),
  ),
  country: needed(z.enum(['US', 'CA'])),
  zip: needed(
    z
      .string(requiredOr(zipForm))
      .regex(/^\s*(\d{5}(-?\d{4})?|[A-Za-z]\d[A-Za-z][ -]?\d[A-Za-z]\d)\s*$/, zipForm)
      .meta({ examples: ['53934', 'R3C 1A1'] }),
  ),
})
/** What a client sends. */
export type E911Input = z.input<typeof e911Fields>
export type E911Fields = z.output<typeof e911Fields>
/** Any subset of the fields. */
export type E911Change = { [K in keyof E911Fields]?: E911Fields[K] | undefined }

const common = { feature: 'e911s', media: 'jsonapi', principals: ['account', 'operator'] } as const
const checks = ['not-geocodable', 'duplicate-address', 'address-correction', 'invalid-input', 'not-ready'] as const

export const validateE911 = operation({
  ...common,
  id: 'validateE911',
  summary: 'Validate an emergency address',
  endpoint: 'POST /v2/e911s/validate',
  access: 'read',
  body: envelope('e911', e911Fields, { flat: true, shows: e911Attributes }),
  responses: {
    204: {
      description: 'Nothing contradicts the address. The header says how far it was checked.',
      body: null,
      headers: {
        [e911LevelHeader]:
          '`postal`: only city, state, and postal code were checked, because there is too little street data for the place. `street`: the street exists, but it is not known whether the house number does. `range`: the house number is within a known range. `address`: the house number itself is known.',
      },
    },
  },
  problems: checks,
  effect: 'read',
})

export const createE911 = operation({
  ...common,
  id: 'createE911',
  summary: 'Validate and save an emergency address',
  endpoint: 'POST /v2/e911s',
  body: envelope('e911', e911Fields, { flat: true, shows: e911Attributes }),
  responses: { 201: { description: 'The address and the evidence of its validation.', body: document(e911) } },
  problems: checks,
})

export const listE911s = operation({
  ...common,
  id: 'listE911s',
  summary: 'List emergency addresses',
  endpoint: 'GET /v2/e911s',
  replica: true,
  query: z.object({
    ...page(10, 2000),
    label: queryText,
    street_name: queryText,
    city: queryText,
    state: queryText,
    level: z.enum(e911Levels).optional(),
    recheck_due: queryBoolean.optional().meta({
      description: 'Whether the street data changed after the validation, or the data it used is no longer active.',
    }),
  }),
  responses: {
    200: {
      description: 'Addresses, oldest first. Text filters match substrings in any case; `state` matches exactly.',
      body: list(e911),
    },
  },
})

export const getE911 = operation({
  ...common,
  id: 'getE911',
  summary: 'Get one emergency address',
  description: 'Send `Accept: application/pidf+xml` to get it as a PIDF-LO civic location (RFC 4119, RFC 5139).',
  endpoint: 'GET /v2/e911s/{e911_id}',
  responses: { 200: { description: 'The address.', body: document(e911), also: ['application/pidf+xml'] } },
})

export const updateE911 = operation({
  ...common,
  id: 'updateE911',
  summary: 'Change an emergency address and validate it again',
  endpoint: 'PATCH /v2/e911s/{e911_id}',
  body: envelope('e911', e911Fields.partial(), { flat: true, shows: e911Attributes }),
  responses: { 200: { description: 'The address.', body: document(e911) } },
  problems: ['not-found', ...checks],
})

export const deleteE911 = operation({
  ...common,
  id: 'deleteE911',
  summary: 'Delete an emergency address that no number uses',
  endpoint: 'DELETE /v2/e911s/{e911_id}',
  responses: { 204: { description: 'Removed.', body: null } },
})

const attachedNumber = z.object({
  type: z.literal('number'),
  id: z.string(),
  attributes: z.object({ alias: z.string().nullable(), value: z.string() }),
  links: selfLink,
})

export const listE911Numbers = operation({
  ...common,
  id: 'listE911Numbers',
  summary: 'List the numbers that use an emergency address',
  endpoint: 'GET /v2/e911s/{e911_id}/relationships/numbers',
  replica: true,
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Long codes in ascending order.', body: list(attachedNumber) } },
})
