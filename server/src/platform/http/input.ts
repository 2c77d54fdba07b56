import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { mediaTypes, plainWords, type Operation } from '@demarc/client'
import { problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { fieldProblem } from './body.ts'

/** Parses and validates a request against an operation's declaration. */

/** Deepest nesting of a JSON body. The deepest declared shape has five levels; the limit protects the stack. */
const depth_max = 32

/** Throws 406 when the Accept header excludes every type of the response. Absent is fine. */
export function checkAccept(accept: string | undefined, { operation, accepts }: Binding): void {
  if (accept === undefined || accept.trim() === '') return
  const wanted = accept.split(',').filter((part) => !/;\s*q=0(\.0*)?\s*$/i.test(part))
  if (wanted.some((part) => accepts.has(part.split(';', 1)[0]?.trim().toLowerCase() ?? ''))) return
  throw problem(
    'not-acceptable',
    `This operation responds with ${mediaTypes[operation.media]}. Leave the Accept header out, or ask for that.`,
  )
}

/** The type of a body without its parameters, lower case; null when the header is absent. */
export function contentType(header: string | undefined): string | null {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type ? type : null
}

export const formType = 'application/x-www-form-urlencoded'

/** Throws 415 unless the type is one of the documented two, or absent. */
export function checkJsonType(header: string | undefined, { form }: Operation): void {
  const type = contentType(header)
  if (type === null || type === mediaTypes.json || type === mediaTypes.jsonapi) return
  const read = [mediaTypes.jsonapi, mediaTypes.json, ...(form ? [formType] : [])]
  throw problem('unsupported-media-type', `This operation reads ${read.join(' or ')}, not ${type.slice(0, 100)}.`)
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

/** Reads the whole body. Throws 413 as soon as it is known to be too large, 408 when it takes too long, 415 for a Content-Encoding. */
export async function readBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  limit_bytes: number,
  timeout_ms: number,
): Promise<Buffer> {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw problem('unsupported-media-type', 'Send the body without a Content-Encoding.')
  const tooLarge = () => problem('payload-too-large', `The body may have at most ${limit_bytes} bytes.`)
  if (Number(headers['content-length'] ?? 0) > limit_bytes) throw tooLarge()
  const collect = async () => {
    const chunks: Buffer[] = []
    let bytes = 0
    // not destroyed when we stop early: that would close the connection before the response
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
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

/** Every spelling of `__proto__` matches this. Without a match the reviver, which costs more than the parsing, is not needed. */
const prototypeOrEscape = /__proto__|\\u00/

/** A member named `__proto__` has no legitimate use and can be used for prototype pollution. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member may not be called __proto__')
  return value
}

/** The members of a form. `name`, `name[]` and `name[0]` given again and again make a list. Throws 400 unless it is UTF-8. */
export function parseForm(body: Buffer): unknown {
  if (!isUtf8(body)) throw problem('malformed-request', 'The body is not UTF-8.')
  const members = new Map<string, string | string[]>()
  for (const [key, value] of new URLSearchParams(body.toString('utf8'))) {
    const [, name = key, index] = /^(.+?)(\[\d*\])?$/s.exec(key) ?? []
    const known = members.get(name)
    if (known === undefined) members.set(name, index === undefined ? value : [value])
    else members.set(name, [known, value].flat())
  }
  return Object.fromEntries(members)
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

/** Parses path parameters; an invalid one cannot exist, so it is a 404. */
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
  const parsed = operation.query.safeParse(present, { error: queryMessage })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message }))
  throw fieldProblem(issues, 'map')
}

const queryMessage: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'Must be given once.' : plainWords(issue)
