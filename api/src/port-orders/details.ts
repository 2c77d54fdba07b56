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

/** What account holders write of a port order: its details, presets and numbers. */

/** The most numbers of one request, and of one order. */
export const portOrderNumbers_max = 20_000

/** The most numbers of an order that a list shows. */
export const listedNumbers_max = 100

/** A number to be ported, in E.164. */
const e164 = z
  .string()
  .regex(/^\+1[2-9]\d{2}[2-9]\d{6}$/, 'Must be a number of the US or Canada in E.164 form, like +12065550100.')
  .meta({ id: 'E164', examples: ['+12065550100'] })

/** Numbers to be ported: at least `least`, each `+1` and ten digits. */
export const portedNumbers = (least: number) =>
  z.array(e164).min(least).max(portOrderNumbers_max, `At most ${portOrderNumbers_max} numbers.`)

const filled = (max: number) => text(max).refine((v) => v.trim() !== '', 'Must not be empty.')

/** A text that may be absent; null and an empty text clear it. */
const optional = (max: number, fits: (v: string) => boolean = () => true, error?: string) =>
  text(max)
    .refine((v) => v === '' || fits(v), error)
    .nullish()
    .transform((v) => v ?? '')

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

export const usageTypes = ['Business', 'Residential'] as const

const usage_type = z
  .string()
  .transform((v, c) => {
    const known = usageTypes.find((each) => each.toLowerCase() === v.trim().toLowerCase())
    if (known === undefined) c.addIssue({ code: 'custom', message: `Must be one of: ${usageTypes.join(', ')}.` })
    return known ?? z.NEVER
  })
  .meta({ wire: { type: 'string', enum: usageTypes, description: 'Any case.' } })

const states: ReadonlySet<string> = new Set(portOrderStates)

/** The service address: beside the other details, or in `billing_address` as responses show it. */
const addressDetails = {
  street: filled(100),
  city: filled(100),
  state: z
    .string()
    .refine((v) => states.has(v), formatErrors.state)
    .meta({ id: 'PortOrderState', wire: { type: 'string', enum: portOrderStates } }),
  zip: filled(20),
  country: z.enum(['US', 'CA']),
}

const otherRequired = {
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
  .meta({ description: 'The service address as responses show it, instead of its fields beside the others.' })

const presets = presetChanges.nullish()

/** The attributes of a new port order, as they are documented. */
export const newPortOrder = z.strictObject({
  numbers: portedNumbers(1),
  ...otherRequired,
  ...addressDetails,
  ...optionalDetails,
  loa_details: z.strictObject(loaDetails).nullish(),
  presets,
})

/** The same as they are read: the address may also stand in `billing_address`. */
export const newPortOrderAttributes = z.strictObject({
  ...newPortOrder.shape,
  ...billing_address.shape,
  billing_address: billing_address.optional(),
})

/** Details to change, as they are documented. The numbers have an operation of their own. */
export const portOrderDetails = z
  .strictObject({ ...otherRequired, ...addressDetails, ...optionalDetails })
  .partial()
  .extend({ billing_address: billing_address.optional(), loa_details: z.strictObject(loaDetails).partial().nullish() })

/** The whole of what a body may change. Whether it changes more than one kind is seen by who has the order. */
export const portOrderChanges = portOrderDetails.extend({
  presets,
  status: z.string().optional(),
  numbers: z.array(z.unknown()).optional(),
})
