import * as z from 'zod'
import { notKnown, plainWords, required } from './words.ts'

/** Request bodies: the JSON:API envelope and bare attributes. Reading reports every invalid field. */

/** A validation error of one field of a body, with its path from the root. */
export interface BodyIssue {
  path: readonly string[]
  message: string
}

/** The result of reading a body. */
export interface ReadBody {
  /** The parsed body; undefined when there are issues. */
  body: unknown
  /** The issues, at most fifty of the attributes. */
  issues: readonly BodyIssue[]
  /** Number of issues beyond those. If there are any, nothing is in `valid`. */
  omitted: number
  /** Valid attributes, even if others have issues. Invalid list entries are undefined or contain only their valid members. */
  valid: Readonly<Record<string, unknown>>
  /** Read-only attributes, as sent. */
  read_only: Readonly<Record<string, unknown>>
  /** `data.id`, as text; null when absent. */
  id: string | null
  /** Path of the attributes. */
  at: readonly string[]
}

export interface EnvelopeOptions<F extends boolean> {
  /** Also accept the bare attributes, with or without their `type`. */
  flat?: F
  type_optional?: boolean
  /** All attributes of the resource. Read-only ones are accepted with their current values. */
  shows?: z.ZodObject
  /** Read-only attributes that differ in every GET, such as signed links. They are ignored. */
  transient?: readonly string[]
}

/** The most issues of one shape that are listed. Making a hundred thousand of them would block the service. */
const issues_max = 50

/** Members of a JSON:API document that are ignored in requests (JSON:API 1.1, 7.1). */
const documentMembers = ['links', 'included', 'meta', 'jsonapi']
/** Ignored members of a resource object; `id` is compared with the path. */
const resourceMembers = ['links', 'relationships', 'meta']

/**
 * A request body in the JSON:API envelope: `{data: {type, attributes}}`. Transformed to the attributes. The document
 * of a GET may be sent back: links, relationships, included and meta are ignored, and read-only attributes are separated.
 */
export function envelope<A extends z.ZodObject, F extends boolean = false>(
  type: string,
  attributes: A,
  options: EnvelopeOptions<F> = {},
) {
  type Wrapped = { data: { type: string; id?: string | number; attributes: z.input<A> } }
  type Flat = z.input<A> & { type?: string }
  return bodyShape<z.output<A>, F extends true ? Wrapped | Flat : Wrapped>(
    (body) => readEnvelope(type, attributes, options, body),
    { envelope: { type, flat: options.flat === true, attributes, shows: options.shows } },
  )
}

/**
 * The body of a to-one relationship: `{data: {type, id}}`, or `{data: null}` for none (JSON:API 1.1, 9.2.1). Transformed to
 * the ID. Other members of the document or resource are ignored, as in an envelope.
 */
export function relationship<T extends string, I extends z.ZodType>(type: T, id: I) {
  const identifier = z.strictObject({ type: z.literal(type), id })
  return bodyShape<{ id: z.output<I> | null }, { data: { type: T; id: z.input<I> } | null }>(
    (body) => readRelationship(identifier, body),
    { as: z.object({ data: z.object(identifier.shape).nullable() }) },
  )
}

function readRelationship(identifier: z.ZodObject, body: unknown): ReadBody {
  if (!isRecord(body)) return notAnObject
  const { data } = body
  const unknown = unknownMembers(body, ['data', ...documentMembers], [])
  const input = isRecord(data)
    ? Object.fromEntries(Object.entries(data).filter(([name]) => !resourceMembers.includes(name)))
    : data
  const inside =
    data === null ? { ...notAnObject, issues: [], body: { id: null } } : readShape(identifier, input, ['data'])
  const parsed = isRecord(inside.body) ? { id: inside.body['id'] } : undefined
  return { ...inside, body: parsed, issues: [...unknown, ...inside.issues] }
}

/** A body with a custom reader. `meta` describes the wire format (see openapi.ts). */
export const bodyShape = <Out, In>(read: (body: unknown) => ReadBody, meta: Record<string, unknown>) =>
  z
    .custom<In>(() => true)
    .transform((input: unknown, c): Out => {
      const { body, issues } = read(input)
      for (const { path, message } of issues) c.issues.push({ code: 'custom', path: [...path], message, input })
      // the reader returns the output of its schema
      return issues.length > 0 ? z.NEVER : (body as Out)
    })
    .meta({ ...meta, read })

/** Reads a body by its schema. Returns all issues and the valid attributes. */
export function readBody(shape: z.ZodType, input: unknown): ReadBody {
  const read = z.globalRegistry.get(shape)?.['read'] as ((body: unknown) => ReadBody) | undefined
  return read ? read(input) : readShape(shape, input, [])
}

/** Reads a value by a plain schema; `at` is its path in the body. */
export function readShape(shape: z.ZodType, input: unknown, at: readonly string[], most = issues_max): ReadBody {
  const parsed = shape.safeParse(input, { error: plainWords })
  const read = { omitted: 0, read_only: {}, id: null, at }
  if (parsed.success) return { ...read, body: parsed.data, issues: [], valid: isRecord(parsed.data) ? parsed.data : {} }
  const found = bodyIssues(parsed.error.issues, at, most)
  const valid = found.omitted === 0 && shape instanceof z.ZodObject && isRecord(input) ? validMembers(shape, input) : {}
  return { ...read, ...found, body: undefined, valid }
}

const notAnObject: ReadBody = {
  body: undefined,
  issues: [{ path: [], message: 'Must be a JSON object.' }],
  omitted: 0,
  valid: {},
  read_only: {},
  id: null,
  at: [],
}

function readEnvelope(
  type: string,
  attributes: z.ZodObject,
  options: EnvelopeOptions<boolean>,
  body: unknown,
): ReadBody {
  if (!isRecord(body)) return notAnObject
  const { data } = body
  if (data === undefined && options.flat) return readFlat(type, attributes, options, body)
  const issues = unknownMembers(body, ['data', ...documentMembers], [])
  if (!isRecord(data)) {
    issues.push({ path: ['data'], message: data === undefined ? required : 'Must be an object.' })
    return { ...notAnObject, issues }
  }
  issues.push(...unknownMembers(data, ['type', 'id', 'attributes', ...resourceMembers], ['data']))
  const typed = data['type'] !== undefined || !options.type_optional
  if (typed && data['type'] !== type) issues.push({ path: ['data', 'type'], message: `Must be "${type}".` })
  const { id = null } = data
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    issues.push({ path: ['data', 'id'], message: 'Must be text.' })
  const inside = readAttributes(attributes, options, data['attributes'] ?? {}, ['data', 'attributes'])
  return {
    ...inside,
    issues: [...issues, ...inside.issues],
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : null,
  }
}

/** Bare attributes, with the `type` that some clients add. */
function readFlat(
  type: string,
  attributes: z.ZodObject,
  options: EnvelopeOptions<boolean>,
  { type: given_type, ...rest }: Record<string, unknown>,
): ReadBody {
  const inside = readAttributes(attributes, options, rest, [])
  if (given_type === undefined || given_type === type) return inside
  return { ...inside, issues: [{ path: ['type'], message: `Must be "${type}".` }, ...inside.issues] }
}

function readAttributes(
  attributes: z.ZodObject,
  { shows, transient = [] }: EnvelopeOptions<boolean>,
  input: unknown,
  at: readonly string[],
): ReadBody {
  if (!isRecord(input)) return readShape(attributes, input, at)
  const readOnly = (name: string) => !Object.hasOwn(attributes.shape, name) && Object.hasOwn(shows?.shape ?? {}, name)
  const entries = Object.entries(input).filter(([name]) => !transient.includes(name))
  const read_only = Object.fromEntries(entries.filter(([name]) => readOnly(name)))
  const writable = Object.fromEntries(entries.filter(([name]) => !readOnly(name)))
  return { ...readShape(attributes, writable, at), read_only }
}

/** The valid members. */
function validMembers(shape: z.ZodObject, input: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(shape.shape).flatMap(([name, member]): [string, unknown][] => {
    if (!Object.hasOwn(input, name)) return []
    const parsed = z.safeParse(member, input[name])
    if (parsed.success) return [[name, parsed.data]]
    // the entries of a list that is too long are not read
    const list = parsed.error.issues.some(isTooLong) ? undefined : listOf(member)
    const value = input[name]
    return list && Array.isArray(value) ? [[name, value.map((each) => validEntry(list.element, each))]] : []
  })
  return Object.fromEntries(members)
}

/** A valid list entry, or the valid members of an object; undefined if nothing is valid. */
function validEntry(shape: z.core.$ZodType, input: unknown): unknown {
  const { success, data } = z.safeParse(shape, input)
  return success || !(shape instanceof z.ZodObject) || !isRecord(input) ? data : validMembers(shape, input)
}

function listOf(shape: z.core.$ZodType): z.core.$ZodArrayDef | undefined {
  const inner = shape instanceof z.ZodOptional ? shape.def.innerType : shape
  return inner instanceof z.ZodArray ? inner.def : undefined
}

function unknownMembers(value: object, known: readonly string[], at: readonly string[]): BodyIssue[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [...at, key], message: notKnown }))
}

const isTooLong = ({ code, path }: z.core.$ZodIssue) => code === 'too_big' && path.length === 0

/** Converts the first of Zod's issues, with one issue for each unknown member, and counts the rest. */
function bodyIssues(
  issues: readonly z.core.$ZodIssue[],
  at: readonly string[],
  most: number,
): Pick<ReadBody, 'issues' | 'omitted'> {
  const found: BodyIssue[] = []
  let count = 0
  for (const issue of issues) {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : null
    count += unknown?.length ?? 1
    const paths = unknown?.slice(0, most - found.length).map((key) => [...issue.path, key]) ?? [issue.path]
    if (found.length < most)
      found.push(
        ...paths.map((path) => ({
          path: [...at, ...path.map(String)],
          message: unknown ? notKnown : issue.message,
        })),
      )
  }
  return { issues: found, omitted: count - found.length }
}

/**
 * A schema that also keeps its input, for responses that echo it: `{input, parsed}`. `contradictions` finds errors among several
 * members. It gets the valid members, so that one response reports every invalid field.
 */
export const withInput = <S extends z.ZodObject>(
  shape: S,
  contradictions: (valid: Partial<z.output<S>>) => readonly BodyIssue[],
) =>
  z
    .custom<z.input<S>>((v) => v !== undefined, required)
    .transform((input, c): { input: z.input<S>; parsed: z.output<S> } => {
      const { body, issues, valid } = readShape(shape, input, [], Infinity)
      // the members were parsed with the shape's own members
      for (const { path, message } of [...issues, ...contradictions(valid as Partial<z.output<S>>)])
        c.issues.push({ code: 'custom', path: [...path], message, input })
      // without issues, the body is the output of the shape
      return { input, parsed: body as z.output<S> }
    })
    .meta({ as: shape })

const isRecord = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)
