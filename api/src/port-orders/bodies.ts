import * as z from 'zod'
import { envelope, parseInside } from '../envelope.ts'
import { presetChanges, portOrderDetails } from './shapes.ts'

/** Bodies of which an operation takes several kinds. */

const cancel = z.strictObject({ status: z.literal('cancelled', 'Must be "cancelled".') })
export const cancelBody = envelope('portorder', cancel, { type_optional: true })

const whole = {
  cancel: envelope('portorder', cancel),
  details: envelope('portorder', portOrderDetails),
  presets: envelope('portorder', z.strictObject({ presets: presetChanges })),
  bare_presets: z.strictObject({ presets: presetChanges }),
} as const

type Change =
  | { kind: 'cancel' }
  | { kind: 'presets'; presets: z.output<typeof presetChanges> }
  | { kind: 'details'; details: z.output<typeof portOrderDetails> }

type PatchInput =
  | z.input<typeof whole.cancel>
  | z.input<typeof whole.details>
  | z.input<typeof whole.presets>
  | z.input<typeof whole.bare_presets>

const mixed = 'Cancel, presets and details are changed one at a time: each in a request of its own.'

/** One path takes three bodies: cancel, presets (bare or in the envelope) and details. A body that mixes them is refused. */
export const patchBody = z
  .custom<PatchInput>(() => true)
  .transform((body: unknown, c): Change => {
    const data = memberOf(body, 'data')
    const attributes = memberOf(data, 'attributes')
    const named = [
      has(attributes, 'status') && 'status',
      (has(body, 'presets') || has(attributes, 'presets')) && 'presets',
      isRecord(attributes) && Object.keys(attributes).some((k) => k !== 'status' && k !== 'presets') && 'details',
    ].filter((k) => k !== false)
    if (named.length > 1 || (has(body, 'presets') && data !== undefined)) {
      c.issues.push({ code: 'custom', path: [], message: mixed, input: body })
      return z.NEVER
    }
    if (has(attributes, 'status')) {
      parseInside(whole.cancel, body, [], c)
      return { kind: 'cancel' }
    }
    if (has(body, 'presets')) return { kind: 'presets', ...parseInside(whole.bare_presets, body, [], c) }
    if (has(attributes, 'presets')) return { kind: 'presets', ...parseInside(whole.presets, body, [], c) }
    return { kind: 'details', details: parseInside(whole.details, body, [], c) }
  })
  .meta({ as: z.union([whole.cancel, whole.details, whole.presets, whole.bare_presets]) })

/**
 * The signed LOA form: the document of `getLoa`, its data, or the bare attributes. Whether a field was changed is validated
 * by the service, which has the form.
 */
export const loaBody = z
  .custom<Record<string, unknown>>(isRecord, 'Must be a JSON object.')
  .transform((body, c): { id: string | null; fields: Record<string, unknown> } => {
    const refuse = (path: string, message: string) =>
      c.issues.push({ code: 'custom', path: [path], message, input: body })
    const { data } = body
    if (data === undefined) return { id: null, fields: body }
    for (const key of Object.keys(body)) if (key !== 'data' && key !== 'links') refuse(key, 'Is not a known field.')
    if (!isRecord(data)) return (refuse('data', 'Must be an object.'), z.NEVER)
    for (const key of Object.keys(data))
      if (!['type', 'id', 'links', 'attributes'].includes(key)) refuse(key, 'Is not a known field.')
    if (data['type'] !== undefined && data['type'] !== 'loa') refuse('type', 'Must be "loa".')
    const { attributes, id } = data
    if (!isRecord(attributes))
      return (refuse('attributes', attributes === undefined ? 'Is required.' : 'Must be an object.'), z.NEVER)
    return { id: typeof id === 'string' || typeof id === 'number' ? String(id) : null, fields: attributes }
  })
  .meta({
    wire: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'object',
          required: ['attributes'],
          properties: {
            type: { const: 'loa' },
            id: { type: 'string' },
            attributes: {
              type: 'object',
              required: ['signature_name', 'signature_title'],
              properties: {
                signature_name: { type: 'string', minLength: 1, maxLength: 100 },
                signature_title: { type: 'string', minLength: 1, maxLength: 100 },
              },
            },
          },
        },
      },
    },
  })

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v)
}

const has = (v: unknown, key: string) => isRecord(v) && v[key] !== undefined
const memberOf = (v: unknown, key: string): unknown => (isRecord(v) ? v[key] : undefined)
