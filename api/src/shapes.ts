import * as z from 'zod'
import { requiredOr } from './words.ts'

/** Shared schemas. Customers see their messages. */

/** A decimal id in responses and paths. */
export const id = z
  .string()
  .regex(/^\d{1,18}$/, 'Must be an ID: digits only.')
  .meta({ id: 'Id', description: 'Integer ID, as a string.', examples: ['1042'] })

/** A path id. Anything else is 404. */
export const pathId = z
  .string()
  .regex(/^\d{1,18}$/)
  .meta({ description: 'Integer ID.' })

/** An id inside a body: an integer, or its digits as a string; transformed to the digits. `message` names the kind of record. */
export const idReference = (message: string) =>
  z
    .union([z.int().nonnegative().transform(String), z.string().regex(/^\d{1,18}$/, message)], message)
    .meta({ component: 'IdReference' })

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
    const text = String(v).toLowerCase()
    if (!['true', 'false', '1', '0'].includes(text)) c.addIssue({ code: 'custom', message: 'Not a valid boolean.' })
    return text === 'true' || text === '1'
  })
  .meta({ wire: { type: 'boolean' } })

const trueOrFalse = 'Must be true or false.'

/** A boolean in a body. Published clients send it as a string, in any case. */
export const bodyBoolean = z
  .union([z.boolean(), z.string().regex(/^(true|false)$/i, trueOrFalse)], requiredOr(trueOrFalse))
  .transform((v) => String(v).toLowerCase() === 'true')
  .meta({
    wire: {
      type: ['boolean', 'string'],
      description: 'The strings "true" and "false" are also accepted, in any case.',
    },
  })

/** limit and offset of a list: `fallback` when absent, `max` at most. */
export const page = (fallback: number, max: number) => ({
  limit: queryInteger(1, max)
    .optional()
    .meta({ wire: { type: 'integer', minimum: 1, maximum: max, default: fallback } }),
  offset: queryInteger(0).optional(),
})

/** PostgreSQL text cannot contain U+0000. */
const storable = (value: string) => !value.includes('\0')
const notStorable = 'Must not contain a null character.'

/** A free-text query filter. */
export const queryText = z.string().max(200, 'At most 200 characters.').refine(storable, notStorable).optional()

/** A query filter by id. */
export const queryId = z
  .string()
  .regex(/^\d{1,18}$/, 'Must be an ID: digits only.')
  .optional()

/** `links` of a document. */
export const selfLink = z.object({ self: z.string() }).meta({ id: 'SelfLink' })
/** `links` of a list. */
export const listLinks = z.object({ self: z.string(), next: z.string().optional() }).meta({ id: 'ListLinks' })

/** `{type, id, attributes, links}`: the resource object of the contract. */
export const resource = <T extends string, A extends z.ZodType, I extends z.ZodType = typeof id>(
  type: T,
  attributes: A,
  idShape?: I,
) => z.object({ type: z.literal(type), id: (idShape ?? id) as I, attributes, links: selfLink })

/** `{data}` with `links.self`. */
export const document = <D extends z.ZodType>(data: D) => z.object({ data, links: selfLink })

/** `{data: [...]}` with `links.self` and, while more remains, `links.next`. */
export const list = <D extends z.ZodType>(data: D) => z.object({ data: z.array(data), links: listLinks })

/** Text of a maximum length that PostgreSQL can store. */
export const text = (max: number) => z.string().max(max, `At most ${max} characters.`).refine(storable, notStorable)

/** Line breaks, other control characters, and marks that reverse the direction of text: a name with them forges a line or hides. */
const notPlain = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Whether a text is one line of visible characters. */
export const isPlainLine = (value: string): boolean => !notPlain.test(value)

/** Text of one line, as names are. */
export const line = (max: number) => text(max).refine(isPlainLine, 'Must be one line, without control characters.')

/** Checks syntax only; the service checks that the host is reachable and public. */
export const callbackUrl = z
  .string('Must be a URL.')
  .max(2000, 'At most 2000 characters.')
  .refine(
    (v) => /^https?:\/\/[^/?#@\s\\]+(?:[/?#]|$)/i.test(v) && URL.canParse(v),
    'Must be an http:// or https:// URL without a user name or password.',
  )

/** An optional member. Null, an empty string, and an empty list count as absent, because clients send those for an empty field. */
export const absentWhenEmpty = <S extends z.ZodType>(shape: S) =>
  z
    .preprocess(
      (value: z.input<S> | null | '' | readonly never[] | undefined) => (isEmpty(value) ? undefined : value),
      shape.optional(),
    )
    .optional()
    .meta({ as: shape.nullable() })

const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Headers of responses to requests that store or request a file. */
export const storageHeaders = {
  'Demarc-Storage-Limit': 'The account’s storage limit, in bytes.',
  'Demarc-Storage-Used': 'The storage used by the account’s files, in bytes.',
}
