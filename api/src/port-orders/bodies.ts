import * as z from 'zod'
import { bodyShape, envelope, readBody, type BodyIssue, type ReadBody } from '../envelope.ts'
import { required } from '../words.ts'
import {
  billing_address,
  newPortOrder,
  newPortOrderAttributes,
  portOrderChanges,
  portOrderDetails,
  presetChanges,
} from './details.ts'
import { portOrderAttributes } from './shapes.ts'

/** Bodies of port orders. The document of an order may come back whole; what it may change is read of it. */

type Wrapped<A extends z.ZodType> = { data: { type: string; id?: string | number; attributes: z.input<A> } }

/** `copy_of` is the id of the order whose document was taken for the new one. */
export type NewPortOrder = z.output<typeof newPortOrderAttributes> & { copy_of: string | null }

const newOrder = envelope('portorder', newPortOrderAttributes, { shows: portOrderAttributes })

/** A new order. The document of another one may be sent with what is different. */
export const createBody = bodyShape<NewPortOrder, Wrapped<typeof newPortOrder>>(
  (body) => {
    const read = readBody(newOrder, body)
    const whole = { ...validParts(read, body), copy_of: read.id }
    return { ...read, body: whole, valid: whole }
  },
  { envelope: { type: 'portorder', flat: false, attributes: newPortOrder } },
)

const status = z.string().meta({ wire: { const: 'cancelled' } })

/** The order or its status, with the status `cancelled`; or as it stands, which changes nothing. */
export const cancelBody = envelope('portorder', z.strictObject({ status }), {
  type_optional: true,
  shows: portOrderAttributes,
})

export type PortOrderChanges = z.output<typeof portOrderChanges>

const documented = {
  cancel: envelope('portorder', z.strictObject({ status })),
  details: envelope('portorder', portOrderDetails),
  presets: envelope('portorder', z.strictObject({ presets: presetChanges })),
  bare_presets: z.strictObject({ presets: presetChanges }),
}

const changes = envelope('portorder', portOrderChanges, { shows: portOrderAttributes })
const barePresets = envelope('portorder', z.strictObject({ presets: presetChanges.nullable() }), { flat: true })

/** What a body says that changes more than one kind of thing. */
export const mixedChanges = 'Cancel, presets and details are changed one at a time: each in a request of its own.'

/** One path takes three bodies: cancel, presets (bare or in the envelope) and details; or the whole order with one of them changed. */
export const patchBody = bodyShape<
  PortOrderChanges,
  | Wrapped<z.ZodObject<{ status: typeof status }>>
  | Wrapped<typeof portOrderDetails>
  | Wrapped<z.ZodObject<{ presets: typeof presetChanges }>>
  | z.input<typeof documented.bare_presets>
>(readChanges, { as: z.union(Object.values(documented)) })

function readChanges(body: unknown): ReadBody {
  const bare = isRecord(body) && body['presets'] !== undefined
  const both = bare && body['data'] !== undefined
  const read = both ? readBody(changes, without(body, 'presets')) : readBody(bare ? barePresets : changes, body)
  const named = Object.keys(read.valid).length + Object.keys(read.read_only).length
  const issues = [
    ...read.issues,
    ...(both ? [{ path: [], message: mixedChanges }] : []),
    ...(read.issues.length === 0 && named === 0
      ? [{ path: read.at, message: 'Must name at least one attribute to change.' }]
      : []),
  ]
  return { ...read, issues, valid: validParts(read, body) }
}

/** The valid attributes, with the valid members of those objects that are not valid as a whole. */
function validParts({ valid, at }: ReadBody, body: unknown): Readonly<Record<string, unknown>> {
  const attributes = at.reduce((inner, name) => (isRecord(inner) ? inner[name] : undefined), body)
  const parts = Object.entries({ presets: presetChanges, billing_address }).flatMap(([name, shape]) => {
    const part = isRecord(attributes) ? attributes[name] : undefined
    return isRecord(part) && valid[name] === undefined ? [[name, readBody(shape, part).valid]] : []
  })
  return { ...valid, ...Object.fromEntries(parts) }
}

/** The LOA form as it comes back. */
export interface SignedLoa {
  /** The id in the form; null when absent. */
  id: string | null
  fields: Readonly<Record<string, unknown>>
  /** The operator has the order signed although its check has errors. */
  force: boolean
}

/**
 * The signed LOA form: the document of `getLoa`, its data, or the bare attributes. Whether a field was changed is validated
 * by the service, which has the form.
 */
export const loaBody = bodyShape<SignedLoa, Record<string, unknown>>(readLoa, {
  wire: {
    type: 'object',
    required: ['data'],
    properties: {
      force: {
        type: 'boolean',
        description:
          'The operator alone: sign although the check has errors that the account holder would have to mend.',
      },
      data: {
        type: 'object',
        required: ['attributes'],
        properties: {
          type: { const: 'loa' },
          id: { type: 'string' },
          attributes: {
            type: 'object',
            required: ['numbers', 'loa_copy', 'signature_name', 'signature_title'],
            properties: {
              numbers: { type: 'array', items: { type: 'string' } },
              loa_copy: { type: 'string' },
              signature_name: { type: 'string', minLength: 1, maxLength: 100 },
              signature_title: { type: 'string', minLength: 1, maxLength: 100 },
            },
          },
        },
      },
    },
  },
})

/** The attributes of a form are free at this point: the service compares each with the form that it gave. */
const anyForm = envelope('loa', z.object({}).catchall(z.unknown()), { type_optional: true, flat: true })

function readLoa(body: unknown): ReadBody {
  const given = isRecord(body) ? body : {}
  const { force = false, ...rest } = given
  const read = readBody(anyForm, isRecord(body) ? rest : body)
  const missing = isRecord(rest['data']) && rest['data']['attributes'] === undefined
  const issues: BodyIssue[] = [
    ...read.issues,
    ...(typeof force === 'boolean' ? [] : [{ path: ['force'], message: 'Must be true or false.' }]),
    ...(missing ? [{ path: ['data', 'attributes'], message: required }] : []),
  ]
  return { ...read, issues, body: { id: read.id, fields: read.valid, force }, valid: { fields: read.valid, force } }
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v)
}

const without = (value: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
