import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { mediaTypes, plainWords, type BodyIssue, type Operation } from '@demarc/client'
import { problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { fieldProblem, fields_max, type ParsedBody } from './body.ts'
import { checkMembers, checkValues, values_max } from './json.ts'

/** Parses and validates a request against an operation's declaration. */

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
  const accepted = [mediaTypes.jsonapi, mediaTypes.json, ...(form ? [formType] : [])]
  throw problem('unsupported-media-type', `This operation accepts ${accepted.join(' or ')}, not ${type.slice(0, 100)}.`)
}

/** Throws 415 unless the stream has one of these media types. */
export function checkStreamType(header: string | undefined, types: readonly string[]): void {
  const type = contentType(header)
  if (type !== null && types.includes(type)) return
  throw problem('unsupported-media-type', `This operation accepts ${types.join(' or ')}. Set the Content-Type header.`)
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

/** Parses a form. Repeated `name`, `name[]`, or `name[0]` make a list. Throws 400 unless the body is UTF-8 and within the limits, 422 if percent-encoded bytes are not UTF-8. */
export function parseForm(body: Buffer): ParsedBody {
  if (!isUtf8(body)) throw problem('malformed-request', 'The body is not UTF-8.')
  // one byte per character, as in a URL
  const text = body.toString('latin1')
  checkValues(text.split('&', values_max + 1).length)
  const encoding = encodingIssues(text)
  if (encoding.length > 0) throw fieldProblem(encoding, 'map')
  const members = new Map<string, string | string[]>()
  for (const [key, value] of new URLSearchParams(body.toString('utf8'))) {
    const [, name = key, index] = /^(.+?)(\[\d*\])?$/s.exec(key) ?? []
    const known = members.get(name)
    if (Array.isArray(known)) known.push(value)
    else members.set(name, known !== undefined ? [known, value] : index === undefined ? value : [value])
    checkMembers(members.size)
  }
  return { value: Object.fromEntries(members), issues: [] }
}

/** An issue for each name in a query or form whose bytes are not UTF-8. Each character of `text` is a byte. */
function encodingIssues(text: string): BodyIssue[] {
  if (isUtf8(decodedBytes(text))) return []
  const invalid_pairs = text
    .split('&')
    .values()
    .filter((pair) => !isUtf8(decodedBytes(pair)))
  return [...invalid_pairs.take(fields_max)].map((pair) => ({
    path: [...new URLSearchParams(pair).keys()].slice(0, 1),
    message: 'Must be percent-encoded UTF-8.',
  }))
}

/** The bytes of percent-encoded text; an invalid encoding stands for itself. */
function decodedBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    const code = byte === percent ? hexDigit(bytes[i + 1]) * 16 + hexDigit(bytes[i + 2]) : Number.NaN
    bytes[length++] = Number.isNaN(code) ? byte : code
    if (!Number.isNaN(code)) i += 2
  }
  return bytes.subarray(0, length)
}

const percent = 0x25

/** The value of a hexadecimal digit's character code; NaN for any other. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** Parses path parameters. Throws 404 for an invalid one, because no object can have that id. */
export function parseParams(operation: Operation, params: unknown): unknown {
  if (!operation.params) return {}
  const parsed = operation.params.safeParse(params)
  if (!parsed.success) throw problem('not-found', 'No resource has this ID.')
  return parsed.data
}

/**
 * Parses the query. Ignores unknown keys, because real clients send stray ones, and treats empty values as absent. `url` is the
 * request's, in which the encoding can be checked.
 */
export function parseQuery({ query: shape }: Operation, query: Record<string, unknown>, url: string): unknown {
  if (!shape) return {}
  const present = Object.fromEntries(Object.entries(query).filter(([, v]) => v !== ''))
  const parsed = shape.safeParse(present, { error: queryMessage })
  const encoding = encodingIssues(url.slice(url.indexOf('?') + 1))
  const invalid = encoding.filter(({ path: [name = ''] }) => Object.hasOwn(shape.shape, name))
  if (parsed.success && invalid.length === 0) return parsed.data
  const issues = parsed.error?.issues.map(({ path, message }) => ({ path: path.map(String), message })) ?? []
  throw fieldProblem([...invalid, ...issues], 'map')
}

const queryMessage: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'Must appear only once.' : plainWords(issue)
