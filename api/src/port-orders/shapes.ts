import * as z from 'zod'
import { id, idReference, money, resource, text, timestamp } from '../shapes.ts'
import { groupStatuses } from './progress.ts'
import { portOrderStatuses } from './transitions.ts'

/** Port orders in requests and responses. */

/** The most numbers of one request, and of one order. */
export const portOrderNumbers_max = 20_000

/** A number to be ported, in E.164. */
const e164 = z
  .string()
  .regex(/^\+1[2-9]\d{2}[2-9]\d{6}$/, 'Must be a number of the US or Canada in E.164 form, like +12065550100.')
  .meta({ id: 'E164', examples: ['+12065550100'] })

/** Numbers to be ported: at least `least`, each `+1` and ten digits. */
export const portedNumbers = (least: number) =>
  z.array(e164).min(least).max(portOrderNumbers_max, `At most ${portOrderNumbers_max} numbers.`)

const filled = (max: number) => text(max).refine((v) => v.trim() !== '', 'Must not be empty.')

/** A text that may be absent, null or empty, which all become "". */
const optional = (max: number) =>
  text(max)
    .nullish()
    .transform((v) => v ?? '')

/** A masked secret is refused: a client that writes back what it read would replace the secret by its mask. */
const secret = (max: number) =>
  optional(max).refine(
    (v) => !v.startsWith('****'),
    'Is the mask that responses show. Leave the field out to keep its value.',
  )

const presetId = idReference('Must be the id of a record.').nullable().optional()

/** Presets to change; null removes one. */
export const presetChanges = z.strictObject({
  cnam_id: presetId,
  e911_id: presetId,
  primary_route_id: presetId,
  failover_route_id: presetId,
  alias: text(100)
    .nullable()
    .optional()
    .transform((v) => (v === '' ? null : v)),
})

const requiredDetails = {
  billing_name: filled(100).refine((v) => v.trim().split(/\s+/).length >= 2, 'Must be a first and a last name.'),
  street: filled(100),
  city: filled(100),
  state: z.string().regex(/^[A-Z]{2}$/, 'Must be two capital letters.'),
  zip: filled(20),
  country: z.enum(['US', 'CA']),
  provider: filled(100),
  usage_type: z.enum(['Business', 'Residential']),
}

const optionalDetails = {
  alias: optional(100),
  billing_number: optional(30),
  company: optional(100),
  street2: optional(100),
  desired_completion_date: z
    .string()
    .nullish()
    .transform((v) => (v === undefined || v === '' ? null : v))
    .meta({ wire: { type: ['string', 'null'], format: 'date', description: 'A business day within 30 days.' } }),
  enable_cnam_lookups: z.boolean().optional(),
  last_4_ssn: secret(20),
  loa_details: z.strictObject({ cc: optional(500), email: optional(200) }).optional(),
  pin: secret(50),
  provider_account: optional(100),
  status_url: optional(2000),
}

const isBlank = (v: unknown) => v === undefined || v === null || (typeof v === 'string' && v.trim() === '')

/** The attributes of a new port order. */
export const newPortOrder = z
  .strictObject({
    numbers: portedNumbers(1),
    ...requiredDetails,
    ...optionalDetails,
    presets: presetChanges.optional(),
  })
  .refine((order) => order.usage_type !== 'Business' || !isBlank(order.company), {
    path: ['company'],
    error: 'Is required with usage type Business.',
    // reported together with the errors of other fields, so what it sees may be of any type
    when: ({ value }) => typeof value === 'object' && value !== null && 'usage_type' in value,
  })

/** Details to change. The numbers have an operation of their own. */
export const portOrderDetails = z
  .strictObject({ ...requiredDetails, ...optionalDetails })
  .partial()
  .refine((v) => Object.keys(v).length > 0, 'Must name at least one detail to change.')

const comment = z
  .object({
    id,
    text: z.string(),
    author: z.enum(['account', 'operator', 'carrier']),
    /** Seen by the operator only. */
    private: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'PortOrderComment' })
export const portOrderComment = comment

/** Why an order was rejected, by the catalogue of reasons. */
const rejection = z.object({
  /** Code of the catalogue, or `unclassified`. */
  code: z.string(),
  /** The code as the operator or the carrier gave it. */
  raw: z.string(),
  title: z.string(),
  cause: z.string(),
  who: z.enum(['account', 'operator', 'carrier']),
  field: z.string().nullable(),
  fix: z.string(),
  /** Usual time from the fix to the carrier's next response, in business days: least and most. */
  business_days: z.array(z.int()),
  /** The text of the carrier. */
  reason: z.string().nullable(),
  rejected_at: timestamp,
})

const presets = z.object({
  cnam_id: z.int().nullable(),
  e911_id: z.int().nullable(),
  primary_route_id: z.int().nullable(),
  failover_route_id: z.int().nullable(),
  alias: z.string().nullable(),
})

/** Presets of a completed order that are not applied yet, and when they will be. */
const presetsWaiting = z.object({ presets: z.array(z.enum(['cnam_id', 'e911_id'])), until: timestamp })

/** Who acts next, until when. */
const next = z.object({
  who: z.enum(['account', 'operator', 'carrier', 'nobody']),
  what: z.string(),
  due_at: timestamp.nullable(),
  /** The status that the order gets automatically at `due_at`. */
  becomes: z.enum(portOrderStatuses).nullable(),
})
export const portOrderNext = next

export const portOrderAttributes = z.object({
  alias: z.string(),
  billing_address: z.object({
    city: z.string(),
    country: z.string(),
    state: z.string(),
    street: z.string(),
    street2: z.string().nullable(),
    zip: z.string(),
  }),
  billing_name: z.string(),
  billing_number: z.string(),
  business_documents: z.array(z.object({ filename: z.string(), status: z.enum(['uploaded', 'failed']) })),
  comments: z.array(comment),
  company: z.string(),
  cost: money,
  desired_completion_date: z.iso.date().nullable(),
  enable_cnam_lookups: z.boolean(),
  group_id: z.string(),
  last_4_ssn: z.string(),
  loa_details: z.object({ cc: z.string(), email: z.string() }),
  numbers: z.array(z.string()),
  pin: z.string(),
  presets,
  provider: z.string(),
  provider_account: z.string(),
  status: z.enum(portOrderStatuses),
  status_updated_at: timestamp.nullable(),
  status_url: z.string(),
  usage_type: z.string(),
  /** Beyond the contract's list. */
  created_at: timestamp,
  modified_at: timestamp,
  /** The day agreed with the losing carrier. */
  completion_date: z.iso.date().nullable(),
  /** The last rejection, until the order is accepted. */
  rejection: rejection.nullable(),
  next,
  loa: z.object({ signed_at: timestamp, facts_sha256: z.string() }).nullable(),
  /** Between the completion and the activation of presets on the morning of that day; else null. */
  presets_waiting: presetsWaiting.nullable(),
})

export const portOrder = resource('portorder', portOrderAttributes).meta({ id: 'PortOrder' })

export const portOrderStatusResource = resource(
  'portorder',
  z.object({ status: z.enum(portOrderStatuses), status_updated_at: timestamp.nullable() }),
).meta({ id: 'PortOrderStatus' })

/** The order of a number of the request, or why it has none. */
export const disposition = z.object({
  given: z.string(),
  number: z.string().nullable(),
  portorder_id: z.string().nullable(),
  reason: z.string(),
})

export const portOrderGroup = resource(
  'portorder_group',
  z.object({
    status: z.enum(groupStatuses),
    orders: z.array(
      z.object({
        id,
        status: z.enum(portOrderStatuses),
        alias: z.string(),
        provider: z.string(),
        numbers_count: z.int(),
      }),
    ),
  }),
).meta({ id: 'PortOrderGroup' })
