import { isDeepStrictEqual } from 'node:util'
import { countText, readBody, required, type BodyIssue, type Operation, type ReadBody } from '@demarc/client'
import { z } from 'zod'
import { invalid, problem, Problem } from '../problem.ts'
import type { Binding, OperationRequest } from './binding.ts'

/** Validates a parsed body. One response lists every failing field, whichever stage finds it. */

const isId = (text: string) => /^\d{1,18}$/.test(text)
const readOnly = 'Is read-only. Omit it, or send its current value.'

/** A parsed body, and an issue for each text in it that is not Unicode. */
export interface ParsedBody {
  value: unknown
  issues: readonly BodyIssue[]
}

/** The most fields that a response lists; it counts the other errors. */
export const fields_max = 50

/**
 * Reads an operation's body by its shape; null if the operation takes none. Throws 422 without looking anything up if a text is
 * not Unicode, or if there are more errors than a response lists.
 */
export function readOperationBody({ body, fieldErrors }: Operation, { value, issues }: ParsedBody): ReadBody | null {
  if (!(body instanceof z.ZodType)) return null
  const read = readBody(body, value ?? {})
  if (issues.length > 0 || read.omitted > 0)
    throw fieldProblem([...issues, ...read.issues], fieldErrors ?? 'map', read.omitted)
  return read
}

/**
 * Throws 409 if the body's id differs from the path's. Throws 422 with every failing field if a field fails its shape or a
 * read-only attribute differs from its current value. `read` is the parsed body; `request.body` is ignored.
 */
export async function validateBody(
  { operation, checks }: Binding,
  request: OperationRequest<Operation>,
  read: ReadBody,
): Promise<void> {
  const path_id = operation.method === 'POST' ? null : (Object.values<string>(request.params)[0] ?? null)
  if (read.id !== null && path_id !== null && read.id !== path_id)
    throw problem(
      'conflict',
      `The body has the id ${read.id.slice(0, 50)}, but the path has ${path_id}. Use the matching path, or omit the id.`,
    )
  const id = path_id ?? read.id
  const current = async () => (id !== null && isId(id) ? await checks.current?.(request, id) : null) ?? {}
  const read_only = await readOnlyIssues(read, current)
  const shape = [...read.issues, ...read_only]
  if (shape.length === 0) return
  const failing = new Set(read.issues.flatMap(({ path }) => path[read.at.length] ?? []))
  const found = await fieldErrorsOf(async () => checks.check?.(request, read.valid, failing))
  const further = Object.entries(found).flatMap(([field, messages]) =>
    messages.map((message) => ({ path: [...read.at, ...field.split('.')], message })),
  )
  const refused = new Set(shape.map(({ path }) => path.join('/')))
  const issues = [...shape, ...further.filter(({ path }) => !refused.has(path.join('/')))]
  throw fieldProblem(issues, operation.fieldErrors ?? 'map')
}

/** One issue per read-only attribute that differs from its current value. */
async function readOnlyIssues(
  read: ReadBody,
  current: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<BodyIssue[]> {
  const { read_only, at } = read
  if (Object.keys(read_only).length === 0) return []
  // compared as JSON, which has neither undefined nor dates
  const current_json = JSON.parse(JSON.stringify(await currentOr(read, current))) as Record<string, unknown>
  return Object.entries(read_only)
    .filter(([name, value]) => !Object.hasOwn(current_json, name) || !isDeepStrictEqual(current_json[name], value))
    .map(([name]) => ({ path: [...at, name], message: readOnly }))
}

/** The current attributes. If the body has other errors, the response reports those instead of a 404. */
async function currentOr(
  { read_only, issues }: ReadBody,
  current: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await current()
  } catch (error) {
    if (error instanceof Problem && issues.length > 0) return read_only
    throw error
  }
}

/** The field errors a check returns or throws. Problems other than 422 must not hide errors in the body. */
async function fieldErrorsOf(
  check: () => Promise<Readonly<Record<string, string[]>> | void>,
): Promise<Readonly<Record<string, string[]>>> {
  try {
    return (await check()) ?? {}
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // the detail of invalid-input is its field map, see `invalid`
    return error.type === 'invalid-input' && typeof error.detail === 'object'
      ? (error.detail as Record<string, string[]>)
      : {}
  }
}

/**
 * Builds a 422 from issues: a map of field → messages, or one sentence per issue with a pointer to its field. `omitted` is the
 * number of further errors that `issues` does not have.
 */
export function fieldProblem(issues: readonly BodyIssue[], style: 'map' | 'sentences', omitted = 0): Problem {
  // a Map, because a field may be named `constructor`
  const messages = new Map<string, string[]>()
  const listed = issues.filter(({ path, message }) => {
    const known = messages.get(fieldName(path)) ?? []
    if (known.length === 0 && messages.size === fields_max) return false
    if (!known.includes(message)) messages.set(fieldName(path), [...known, message])
    return true
  })
  const rest = omitted + issues.length - listed.length
  const unlisted = `${countText(rest, 'more error is', 'more errors are')} not listed.`
  if (rest > 0) messages.set(fieldName([]), [...(messages.get(fieldName([])) ?? []), unlisted])
  const map = Object.fromEntries(messages)
  if (style === 'map') return invalid(map)
  const details = listed.map(({ path, message }) => ({
    detail: sentence(fieldName(path), message),
    pointer: path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  }))
  return invalid(map, { details: rest > 0 ? [...details, { detail: unlisted }] : details })
}

/** A field's path without the envelope: `filter_parameters.direction`, `numbers.0`. */
function fieldName(path: readonly string[]): string {
  if (path.length === 0) return 'body'
  const inside =
    path[0] === 'data' && path[1] === 'attributes' && path.length > 2
      ? path.slice(2)
      : path[0] === 'data' && path.length > 1
        ? path.slice(1)
        : path
  return (inside[0] === 'filter_parameters' && inside.length > 1 ? inside.slice(1) : inside).join('.')
}

const sentence = (field: string, message: string) =>
  `${field}: ${message === required ? 'is required.' : message.charAt(0).toLowerCase() + message.slice(1)}`
