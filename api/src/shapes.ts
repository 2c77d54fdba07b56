import * as z from 'zod'
import { notKnown, plainWords, required } from './words.ts'

/** Shared schemas. The account holder reads their messages. */

/** A decimal id in responses and paths. */
export const id = z
  .string()
  .regex(/^\d{1,18}$/, 'Must be an id: digits only.')
  .meta({ id: 'Id', description: 'Integer id, as a string.', examples: ['1042'] })

/** A path id. Anything else is 404. */
export const pathId = z
  .string()
  .regex(/^\d{1,18}$/)
  .meta({ description: 'Integer id.' })

/** An id inside a body: an integer, or its digits as a string; transformed to the digits. `message` names the kind of record. */
export const idReference = (message: string) =>
  z.union([z.int().nonnegative().transform(String), z.string().regex(/^\d{1,18}$/, message)], message)

/** A path number: 11 digits from 1, a leading + tolerated; transformed to the digits. */
export const pathNumber = z
  .string()
  .regex(/^(\+|%2B)?\d{1,18}$/i)
  .transform((s) => s.replace(/^(\+|%2B)/i, ''))
  .meta({ description: 'Phone number, 11 digits with country code 1; a leading + is accepted.', type: 'string' })

/** ISO 8601 in UTC. */
export const timestamp = z.string().meta({ id: 'Timestamp', format: 'date-time', description: 'ISO 8601, UTC.' })

/** Exact decimal as a string. */
export const money = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ id: 'Money', description: 'Exact decimal, dollars.', examples: ['7.50'] })

/** A query integer: text on the wire, a number in the client's types. */
export const queryInteger = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .union([z.number(), z.string()])
    .transform((v, c) => {
      const n = typeof v === 'number' ? v : /^-?\d{1,15}$/.test(v) ? Number(v) : Number.NaN
      if (!Number.isSafeInteger(n)) c.addIssue({ code: 'custom', message: 'Not a valid integer.' })
      else if (n < min) c.addIssue({ code: 'custom', message: `Must be at least ${min}.` })
      else if (n > max) c.addIssue({ code: 'custom', message: `Must be at most ${max}.` })
      return n
    })
    .meta({ wire: { type: 'integer', minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }) } })

/** A query boolean: true/false, any case, also 1/0 (clients send `True`). */
export const queryBoolean = z
  .union([z.boolean(), z.string()])
  .transform((v, c) => {
    const word = String(v).toLowerCase()
    if (!['true', 'false', '1', '0'].includes(word)) c.addIssue({ code: 'custom', message: 'Not a valid boolean.' })
    return word === 'true' || word === '1'
  })
  .meta({ wire: { type: 'boolean' } })

/** limit and offset of a list: `fallback` when absent, `max` at most. */
export const page = (fallback: number, max: number) => ({
  limit: queryInteger(1, max)
    .optional()
    .meta({ wire: { type: 'integer', minimum: 1, maximum: max, default: fallback } }),
  offset: queryInteger(0).optional(),
})

/** PostgreSQL has no text with U+0000 in it. */
const storable = (value: string) => !value.includes('\0')
const notStorable = 'Must not contain a null character.'

/** A free-text query filter. */
export const queryText = z.string().max(200, 'At most 200 characters.').refine(storable, notStorable).optional()

/** A query filter by id. */
export const queryId = z
  .string()
  .regex(/^\d{1,18}$/, 'Must be an id: digits only.')
  .optional()

const self = z.object({ self: z.string() }).meta({ id: 'SelfLink' })
const listLinks = z.object({ self: z.string(), next: z.string().optional() }).meta({ id: 'ListLinks' })

/** `{type, id, attributes, links}`: the resource object of the contract. */
export const resource = <T extends string, A extends z.ZodType, I extends z.ZodType = typeof id>(
  type: T,
  attributes: A,
  idShape?: I,
) => z.object({ type: z.literal(type), id: (idShape ?? id) as I, attributes, links: self })

/** `{data}` with `links.self`. */
export const document = <D extends z.ZodType>(data: D) => z.object({ data, links: self })

/** `{data: [...]}` with `links.self` and, while more remains, `links.next`. */
export const list = <D extends z.ZodType>(data: D) => z.object({ data: z.array(data), links: listLinks })

/** An optional text that may also be null or empty. */
export const text = (max: number) => z.string().max(max, `At most ${max} characters.`).refine(storable, notStorable)

/**
 * A request body in the JSON:API envelope: `{data: {type, attributes}}`. With `flat`, the bare attributes are read too.
 * Transformed to the attributes. Every failing field is reported at once, those of the envelope and those inside.
 */
export function envelope<A extends z.ZodObject, F extends boolean = false>(
  type: string,
  attributes: A,
  options: { flat?: F; type_optional?: boolean } = {},
) {
  type Wrapped = { data: { type: string; attributes: z.input<A> } }
  return z
    .custom<F extends true ? Wrapped | z.input<A> : Wrapped>(() => true)
    .transform((body: unknown, c): z.output<A> => {
      const refuse = (path: string[], message: string) => c.issues.push({ code: 'custom', path, message, input: body })
      const inside = (value: unknown, path: string[]) => parseInside(attributes, value, path, c)
      const unknown = (value: object, known: string[], path: string[]) => {
        for (const key of Object.keys(value)) if (!known.includes(key)) refuse([...path, key], notKnown)
      }
      if (!isRecord(body)) return (refuse([], 'Must be a JSON object.'), z.NEVER)
      const { data } = body
      if (data === undefined && options.flat) return inside(body, [])
      unknown(body, ['data'], [])
      if (!isRecord(data)) return (refuse(['data'], data === undefined ? required : 'Must be an object.'), z.NEVER)
      unknown(data, ['type', 'attributes', 'id'], ['data'])
      if (data['type'] === undefined ? !options.type_optional : data['type'] !== type)
        refuse(['data', 'type'], `Must be "${type}".`)
      return inside(data['attributes'] ?? {}, ['data', 'attributes'])
    })
    .meta({ envelope: { type, flat: options.flat === true, attributes } })
}

/** Parses a member of a body with its own schema, reporting each issue under the member's path. */
export function parseInside<S extends z.ZodType>(
  shape: S,
  value: unknown,
  path: readonly string[],
  c: z.core.$RefinementCtx,
): z.output<S> {
  const parsed = shape.safeParse(value, { error: plainWords })
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues)
    for (const at of issue.code === 'unrecognized_keys' ? issue.keys.map((k) => [...issue.path, k]) : [issue.path])
      c.issues.push({ code: 'custom', path: [...path, ...at.map(String)], message: issue.message, input: value })
  return z.NEVER
}

/** A schema that also keeps its input, for responses that echo it: `{input, parsed}`. */
export const withInput = <S extends z.ZodType>(shape: S) =>
  z
    .custom<z.input<S>>((v) => v !== undefined, required)
    .transform((input, c): { input: z.input<S>; parsed: z.output<S> } => ({
      input,
      parsed: parseInside(shape, input, [], c),
    }))
    .meta({ as: shape })

const isRecord = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)
