import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { mediaTypes, notKnown, plainWords, required, type Operation } from '@demarc/client'
import { invalid, problem, type Problem } from '../problem.ts'
import type { Binding } from './binding.ts'

/** What came in, checked against an operation's shapes. */

/** A JSON body may nest this deep. The deepest of ours has five levels; the rest is room and a guard for the stack. */
const depth_max = 32

/** Throws 406 when the Accept header rules out every type we could answer with. Absent is fine. */
export function checkAccept(accept: string | undefined, { operation, accepts }: Binding): void {
  if (accept === undefined || accept.trim() === '') return
  const wanted = accept.split(',').filter((part) => !/;\s*q=0(\.0*)?\s*$/i.test(part))
  if (wanted.some((part) => accepts.has(part.split(';', 1)[0]?.trim().toLowerCase() ?? ''))) return
  throw problem(
    'not-acceptable',
    `This operation answers with ${mediaTypes[operation.media]}. Leave the Accept header out, or ask for that.`,
  )
}

/** The type of a body without its parameters, lower case; null when the header is absent. */
export function contentType(header: string | undefined): string | null {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type ? type : null
}

/** Throws 415 unless a JSON body may be of this type: both documented ones and none at all are read as JSON. */
export function checkJsonType(header: string | undefined): void {
  const type = contentType(header)
  if (type === null || type === mediaTypes.json || type === mediaTypes.jsonapi) return
  throw problem(
    'unsupported-media-type',
    `This operation reads ${mediaTypes.jsonapi} or ${mediaTypes.json}, not ${type.slice(0, 100)}.`,
  )
}

/** Throws 415 unless the stream is of one of the types. */
export function checkStreamType(header: string | undefined, types: readonly string[]): void {
  const type = contentType(header)
  if (type !== null && types.includes(type)) return
  throw problem(
    'unsupported-media-type',
    `This operation reads ${types.join(' or ')}. Say which in the Content-Type header.`,
  )
}

/** The whole body. Throws 413 as soon as it is known to be too large, 408 when it takes too long, 415 for a Content-Encoding. */
export async function readBody(request: IncomingMessage, limit_bytes: number, timeout_ms: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw problem('unsupported-media-type', 'Send the body without a Content-Encoding.')
  const tooLarge = () => problem('payload-too-large', `The body may have at most ${limit_bytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > limit_bytes) throw tooLarge()
  const collect = async () => {
    const chunks: Buffer[] = []
    let bytes = 0
    // left standing when we stop in the middle: to destroy it would be to hang up before the answer
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit_bytes) throw tooLarge()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(problem('request-timeout')), timeout_ms)
  try {
    return await Promise.race([collect(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** JSON of a body. Empty is undefined. Throws 400 for what is not JSON, nests too deep, or is not UTF-8. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    if (error instanceof TypeError) throw problem('malformed-request', 'The body is not UTF-8.', { cause: error })
    throw error
  }
  if (tooDeep(text)) throw problem('malformed-request', `The body nests deeper than ${depth_max} levels.`)
  try {
    return JSON.parse(text, prototypeOrEscape.test(text) ? refusePrototype : undefined)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw problem('malformed-request', `The body is not JSON: ${error.message.slice(0, 200)}`, { cause: error })
    throw error
  }
}

/** What every spelling of `__proto__` has in it. Without it no member needs looking at, which takes longer than the parsing. */
const prototypeOrEscape = /__proto__|\\u00/

/** `__proto__` as a member has no honest use and many dishonest ones. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member may not be called __proto__')
  return value
}

function tooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if (c === '{' || c === '[') {
      if (++depth > depth_max) return true
    } else if (c === '}' || c === ']') depth--
  }
  return false
}

/** Parses path parameters; one that is not of its form names nothing: 404. */
export function parseParams(operation: Operation, given: unknown): unknown {
  if (!operation.params) return {}
  const parsed = operation.params.safeParse(given)
  if (!parsed.success) throw problem('not-found', 'No such id is on this account.')
  return parsed.data
}

/** Parses the query. Unknown keys are ignored, as real clients send stray ones; empty values count as absent. */
export function parseQuery(operation: Operation, given: Record<string, unknown>): unknown {
  if (!operation.query) return {}
  const present = Object.fromEntries(Object.entries(given).filter(([, v]) => v !== ''))
  const parsed = operation.query.safeParse(present, { error: queryWords })
  if (!parsed.success) throw fieldProblem(parsed.error.issues, 'map')
  return parsed.data
}

const queryWords: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'Must be given once.' : plainWords(issue)

/** Parses a JSON body. Unknown fields are refused, all failing fields named at once. */
export function parseBody(operation: Operation, given: unknown): unknown {
  if (!(operation.body instanceof z.ZodType)) return undefined
  const parsed = operation.body.safeParse(given ?? {}, { error: plainWords })
  if (!parsed.success) throw fieldProblem(parsed.error.issues, operation.fieldErrors ?? 'map')
  return parsed.data
}

type Issue = z.core.$ZodIssue

/** 422 from Zod's issues: a map of field → messages, or a sentence for each with a pointer to the field. */
export function fieldProblem(issues: readonly Issue[], style: 'map' | 'sentences'): Problem {
  const faults = issues.flatMap((issue) =>
    (issue.code === 'unrecognized_keys' ? issue.keys.map((k) => [...issue.path, k]) : [issue.path]).map((path) => ({
      path: path.map(String),
      message: issue.code === 'unrecognized_keys' ? notKnown : issue.message,
    })),
  )
  // a Map: a field may be called `constructor`
  const messages = new Map<string, string[]>()
  for (const { path, message } of faults) {
    const known = messages.get(fieldName(path)) ?? []
    if (!known.includes(message)) messages.set(fieldName(path), [...known, message])
  }
  const map = Object.fromEntries(messages)
  if (style === 'map') return invalid(map)
  const details = faults.map(({ path, message }) => ({
    detail: sentence(fieldName(path), message),
    pointer: `/${path.join('/')}`,
  }))
  return invalid(map, { details })
}

/** The path without the envelope, which holds no field of its own: `filter_parameters.direction`, `numbers.0`. */
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
