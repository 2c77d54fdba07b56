import * as z from 'zod'
import { idReference, text } from '../shapes.ts'
import {
  areEmails,
  formatErrors,
  isEmail,
  isFullName,
  isLastFourDigits,
  isMask,
  portOrderStates,
  readNumber,
} from './formats.ts'

/** The writable attributes of a port order: details, presets and numbers. */

/** The most numbers of one request, and of one order. */
export const portOrderNumbers_max = 20_000

/** The most numbers that a list shows for an order. */
export const listedNumbers_max = 100

/** A number to port, in E.164. */
const e164 = z
  .string()
  .regex(/^\+1[2-9]\d{2}[2-9]\d{6}$/, 'Must be a US or Canadian number in E.164 format, like +12065550100.')
  .meta({ id: 'E164', examples: ['+12065557001'] })

/** At least `least` numbers to port, each `+1` and ten digits. */
export const portedNumbers = (least: number) =>
  z.array(e164).min(least).max(portOrderNumbers_max, `At most ${portOrderNumbers_max} numbers.`)

const filled = (max: number) => text(max).refine((v) => v.trim() !== '', 'Must not be empty.')

/** Optional text; null and an empty string clear it. */
const optional = (max: number, fits: (v: string) => boolean = () => true, error?: string) =>
  text(max)
    .refine((v) => v === '' || fits(v), error)
    .nullish()
    .transform((v) => v ?? '')

const presetId = idReference('Must be the ID of a record.').nullable().optional()

/** Presets to change; null removes one. */
export const presetChanges = z
  .strictObject({
    cnam_id: presetId,
    e911_id: presetId,
    primary_route_id: presetId,
    failover_route_id: presetId,
    alias: text(100)
      .nullable()
      .optional()
      .transform((v) => (v === '' ? null : v)),
  })
  .meta({ component: 'PresetChanges' })

export const usageTypes = ['Business', 'Residential'] as const

const usage_type = z
  .string()
  .transform((v, c) => {
    const known = usageTypes.find((each) => each.toLowerCase() === v.trim().toLowerCase())
    if (known === undefined) c.addIssue({ code: 'custom', message: `Must be one of: ${usageTypes.join(', ')}.` })
    return known ?? z.NEVER
  })
  .meta({ wire: { type: 'string', enum: usageTypes, examples: ['Residential'], description: 'Any case.' } })

const states: ReadonlySet<string> = new Set(portOrderStates)

/** The service address: at the top level, or in `billing_address` like in responses. */
const addressDetails = {
  street: filled(100),
  city: filled(100),
  state: z
    .string()
    .refine((v) => states.has(v), formatErrors.state)
    .meta({ id: 'PortOrderState', wire: { type: 'string', enum: portOrderStates, examples: ['WI'] } }),
  zip: filled(20),
  country: z.enum(['US', 'CA']),
}

const requiredDetails = {
  billing_name: filled(100).refine(isFullName, formatErrors.billing_name),
  provider: filled(100),
  usage_type,
}

const loaDetails = {
  cc: optional(500, areEmails, formatErrors.emails),
  email: optional(200, isEmail, formatErrors.email),
}

const optionalDetails = {
  alias: optional(100),
  billing_number: optional(30, (v) => readNumber(v) !== null, formatErrors.billing_number),
  company: optional(100),
  street2: optional(100),
  desired_completion_date: z
    .string()
    .nullish()
    .transform((v) => (v === undefined || v === '' ? null : v))
    .meta({ wire: { type: ['string', 'null'], format: 'date', description: 'A business day within 30 days.' } }),
  enable_cnam_lookups: z
    .boolean()
    .nullish()
    .transform((v) => v ?? false),
  last_4_ssn: optional(20, (v) => isLastFourDigits(v) || isMask(v), formatErrors.last_4_ssn),
  pin: optional(50),
  provider_account: optional(100),
  status_url: optional(2000),
}

export const billing_address = z
  .strictObject({ ...addressDetails, street2: optionalDetails.street2 })
  .partial()
  .meta({ description: 'The service address as in responses, instead of separate address fields.' })

const presets = presetChanges.nullish()

/** The documented attributes of a new port order. */
export const newPortOrder = z.strictObject({
  numbers: portedNumbers(1),
  ...requiredDetails,
  ...addressDetails,
  ...optionalDetails,
  loa_details: z.strictObject(loaDetails).nullish(),
  presets,
})

/** The same, plus `billing_address`, which is also accepted. */
export const newPortOrderAttributes = z.strictObject({
  ...newPortOrder.shape,
  ...billing_address.shape,
  billing_address: billing_address.optional(),
})

/** The documented details to change. Numbers have a separate operation. */
export const portOrderDetails = z
  .strictObject({ ...requiredDetails, ...addressDetails, ...optionalDetails })
  .partial()
  .extend({ billing_address: billing_address.optional(), loa_details: z.strictObject(loaDetails).partial().nullish() })

/** Everything that a body can contain. The service checks that it changes only one kind, because it has the order. */
export const portOrderChanges = portOrderDetails.extend({
  presets,
  status: z.string().optional(),
  numbers: z.array(z.unknown()).optional(),
})
