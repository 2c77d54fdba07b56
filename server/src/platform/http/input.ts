import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { mediaTypes, plainWords, type Operation } from '@demarc/client'
import { problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { fieldProblem } from './body.ts'

/** Parses and validates a request against an operation's declaration. */

/** Maximum nesting of a JSON body, to protect the stack. The deepest declared shape has five levels. */
const depth_max = 32

/** Throws 406 if the Accept header excludes every media type of the response. */
export function checkAccept(accept: string | undefined, { operation, accepts }: Binding): void {
  if (accept === undefined || accept.trim() === '') return
  const wanted = accept.split(',').filter((part) => !/;\s*q=0(\.0*)?\s*$/i.test(part))
  if (wanted.some((part) => accepts.has(part.split(';', 1)[0]?.trim().toLowerCase() ?? ''))) return
  throw problem(
    'not-acceptable',
    `This operation responds with ${mediaTypes[operation.media]}. Omit the Accept header, or set it to that type.`,
  )
}

/** The media type of a body in lower case, without parameters; null if the header is absent. */
export function contentType(header: string | undefined): string | null {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type ? type : null
}

export const formType = 'application/x-www-form-urlencoded'

/** Throws 415 unless the media type is absent or one of the documented two. */
export function checkJsonType(header: string | undefined, { form }: Operation): void {
  const type = contentType(header)
  if (type === null || type === mediaTypes.json || type === mediaTypes.jsonapi) return
  const read = [mediaTypes.jsonapi, mediaTypes.json, ...(form ? [formType] : [])]
  throw problem('unsupported-media-type', `This operation reads ${read.join(' or ')}, not ${type.slice(0, 100)}.`)
}

/** Throws 415 unless the stream has one of these media types. */
export function checkStreamType(header: string | undefined, types: readonly string[]): void {
  const type = contentType(header)
  if (type !== null && types.includes(type)) return
  throw problem(
    'unsupported-media-type',
    `This operation reads ${types.join(' or ')}. Name the type in the Content-Type header.`,
  )
}

/** Reads the whole body. Throws 413 as soon as it exceeds the limit, 408 if it takes too long, 415 for a Content-Encoding. */
export async function readBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  limit_bytes: number,
  timeout_ms: number,
): Promise<Buffer> {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw problem('unsupported-media-type', 'Send the body without a Content-Encoding.')
  const tooLarge = () => problem('payload-too-large', `The body must not exceed ${limit_bytes} bytes.`)
  if (Number(headers['content-length'] ?? 0) > limit_bytes) throw tooLarge()
  const collect = async () => {
    const chunks: Buffer[] = []
    let bytes = 0
    // destroying the body would close the connection before the response is sent
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

/** Parses JSON; an empty body is undefined. Throws 400 if it is not JSON, is not UTF-8, or nests too deep. */
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

/** Matches every spelling of `__proto__`. Without a match the reviver is skipped, which costs more than parsing. */
const prototypeOrEscape = /__proto__|\\u00/

/** Rejects a member named `__proto__`: it has no legitimate use and allows prototype pollution. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member must not be named __proto__')
  return value
}

/** Parses a form. Repeated `name`, `name[]`, or `name[0]` make a list. Throws 400 unless the body is UTF-8. */
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

/** Parses path parameters. Throws 404 for an invalid one, because no object can have that id. */
export function parseParams(operation: Operation, given: unknown): unknown {
  if (!operation.params) return {}
  const parsed = operation.params.safeParse(given)
  if (!parsed.success) throw problem('not-found', 'This account has no object with this id.')
  return parsed.data
}

/** Parses the query. Ignores unknown keys, because real clients send stray ones, and treats empty values as absent. */
export function parseQuery(operation: Operation, given: Record<string, unknown>): unknown {
  if (!operation.query) return {}
  const present = Object.fromEntries(Object.entries(given).filter(([, v]) => v !== ''))
  const parsed = operation.query.safeParse(present, { error: queryMessage })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message }))
  throw fieldProblem(issues, 'map')
}

const queryMessage: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'Must appear only once.' : plainWords(issue)
