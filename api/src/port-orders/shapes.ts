import * as z from 'zod'
import { id, money, resource, timestamp } from '../shapes.ts'
import { listedNumbers_max } from './details.ts'
import { groupStatuses } from './progress.ts'
import { portOrderStatuses } from './transitions.ts'

/** Port orders in responses. */

const comment = z
  .object({
    id,
    text: z.string(),
    author: z.enum(['account', 'operator', 'carrier']),
    /** Visible only to the operator. */
    private: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'PortOrderComment' })
export const portOrderComment = comment

/** Why an order was rejected, according to the catalog. */
const rejection = z.object({
  /** A code from the catalog, or `unclassified`. */
  code: z.string(),
  /** The code as the operator or the carrier entered it. */
  raw: z.string(),
  title: z.string(),
  cause: z.string(),
  who: z.enum(['account', 'operator', 'carrier']),
  field: z.string().nullable(),
  fix: z.string(),
  /** Minimum and maximum usual time from the fix to the carrier's next response, in business days. */
  business_days: z.array(z.int()),
  /** The carrier's text. */
  reason: z.string().nullable(),
  rejected_at: timestamp,
})

/** What applies to the numbers of an order once they are in service. */
export const presets = z
  .object({
    cnam_id: z.int().nullable(),
    e911_id: z.int().nullable(),
    primary_route_id: z.int().nullable(),
    failover_route_id: z.int().nullable(),
    alias: z.string().nullable(),
  })
  .meta({ id: 'Presets' })

/** Presets of a completed order that are not applied yet, and when they will be. */
const presetsWaiting = z.object({ presets: z.array(z.enum(['cnam_id', 'e911_id'])), until: timestamp })

/** Who acts next, and by when. */
const next = z
  .object({
    who: z.enum(['account', 'operator', 'carrier', 'nobody']),
    what: z.string(),
    due_at: timestamp.nullable(),
    /** The status that the order enters automatically at `due_at`. */
    becomes: z.enum(portOrderStatuses).nullable(),
  })
  .meta({ id: 'PortOrderNext' })
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
  numbers: z.array(z.string()).meta({
    description: `Ascending. A list shows the first ${listedNumbers_max} of each order; \`numbers_count\` counts all of them.`,
  }),
  pin: z.string(),
  presets,
  provider: z.string(),
  provider_account: z.string(),
  status: z.enum(portOrderStatuses),
  status_updated_at: timestamp.nullable(),
  status_url: z.string(),
  usage_type: z.string(),
  /** Not in the contract. */
  created_at: timestamp,
  modified_at: timestamp,
  numbers_count: z.int(),
  /** The day agreed with the losing carrier. */
  completion_date: z.iso.date().nullable(),
  /** The last rejection, until the order is accepted. */
  rejection: rejection.nullable(),
  next,
  loa: z.object({ signed_at: timestamp, facts_sha256: z.string() }).nullable(),
  /** Set between the completion and the activation of presets that morning; otherwise null. */
  presets_waiting: presetsWaiting.nullable(),
})

export const portOrder = resource('portorder', portOrderAttributes).meta({ id: 'PortOrder' })

export const portOrderStatusResource = resource(
  'portorder',
  z.object({ status: z.enum(portOrderStatuses), status_updated_at: timestamp.nullable() }),
).meta({ id: 'PortOrderStatus' })

/** The order of a number of the request, or the reason why it is on none. */
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
