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

/** Request bodies of port orders. A client can send the whole document of an order back; only writable attributes are read. */

type Wrapped<A extends z.ZodType> = { data: { type: string; id?: string | number; attributes: z.input<A> } }

/** `copy_of`: the id of the order whose document was sent as the new order. */
export type NewPortOrder = z.output<typeof newPortOrderAttributes> & { copy_of: string | null }

const newOrder = envelope('portorder', newPortOrderAttributes, { shows: portOrderAttributes })

/** A new order. The edited document of another order is accepted too. */
export const createBody = bodyShape<NewPortOrder, Wrapped<typeof newPortOrder>>(
  (body) => {
    const read = readBody(newOrder, body)
    const attributes = { ...validParts(read, body), copy_of: read.id }
    return { ...read, body: attributes, valid: attributes }
  },
  { envelope: { type: 'portorder', flat: false, attributes: newPortOrder } },
)

const status = z.string().meta({ wire: { const: 'cancelled' } })

/** The order or its status with the status `cancelled`, or unchanged, which changes nothing. */
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

/** The error of a body that changes more than one of these. */
export const mixedChanges = 'Change the status, the presets, and the details in separate requests.'

/** One path accepts three bodies: cancel, presets (bare or in the envelope) and details. It also accepts the whole order with one of them changed. */
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

/** The valid attributes, and the valid members of `presets` and `billing_address` if these are otherwise invalid. */
function validParts({ valid, at }: ReadBody, body: unknown): Readonly<Record<string, unknown>> {
  const attributes = at.reduce((inner, name) => (isRecord(inner) ? inner[name] : undefined), body)
  const parts = Object.entries({ presets: presetChanges, billing_address }).flatMap(([name, shape]) => {
    const part = isRecord(attributes) ? attributes[name] : undefined
    return isRecord(part) && valid[name] === undefined ? [[name, readBody(shape, part).valid]] : []
  })
  return { ...valid, ...Object.fromEntries(parts) }
}

/** The LOA form that a customer sends back. */
export interface SignedLoa {
  /** The id in the form; null when absent. */
  id: string | null
  fields: Readonly<Record<string, unknown>>
  /** The operator signs although the preflight check has errors. */
  force: boolean
}

/** The signed LOA form: the document of `getLoa`, its data, or the bare attributes. The service checks whether a field was changed. */
export const loaBody = bodyShape<SignedLoa, Record<string, unknown>>(readLoa, {
  wire: {
    type: 'object',
    required: ['data'],
    properties: {
      force: {
        type: 'boolean',
        description: 'Operator only: sign although the check has errors that only the customer can fix.',
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
              numbers: { type: 'array', items: { type: 'string', examples: ['+12065557001'] } },
              loa_copy: { type: 'string', examples: ['The loa_copy of GET /v2/portorders/1042/loa'] },
              signature_name: { type: 'string', minLength: 1, maxLength: 100, examples: ['Rosa Diaz'] },
              signature_title: { type: 'string', minLength: 1, maxLength: 100, examples: ['Owner'] },
            },
          },
        },
      },
    },
  },
})

/** Accepts any attributes: the service compares each with the form that it sent. */
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
