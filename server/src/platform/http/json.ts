import { unpairedSurrogate, type BodyIssue } from '@demarc/client'
import { problem } from '../problem.ts'
import { fields_max, type ParsedBody } from './body.ts'

/** Parses JSON bodies within limits, so that no body blocks the event loop. */

/** Maximum nesting, to protect the stack. The deepest declared shape has five levels. */
const depth_max = 32
/** Maximum members of one object. Declared shapes have fewer than fifty, and each unknown member is its own error. */
const members_max = 256
/** Maximum values in a body: several for each number of the largest port order. */
export const values_max = 200_000

/** Parses JSON; an empty body is undefined. Throws 400 if it is not JSON, is not UTF-8, or exceeds a limit. */
export function parseJson(body: Buffer): ParsedBody {
  if (body.length === 0) return { value: undefined, issues: [] }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    if (error instanceof TypeError) throw problem('malformed-request', 'The body is not UTF-8.', { cause: error })
    throw error
  }
  checkStructure(body)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw problem('malformed-request', `The body is not JSON: ${error.message.slice(0, 200)}`, { cause: error })
    throw error
  }
  // UTF-8 has no surrogates, so only an escape can make one
  const hasSurrogates = /\\u[dD][89a-fA-F]/.test(text)
  return { value, issues: hasSurrogates ? [...unpairedSurrogates(value, []).take(fields_max)] : [] }
}

/** Throws 400 for more members than an object in a body may have. */
export function checkMembers(count: number): void {
  if (count > members_max)
    throw problem('malformed-request', `An object in the body has more than ${members_max} members.`)
}

/** Throws 400 for more values than a body may have. */
export function checkValues(count: number): void {
  if (count > values_max) throw problem('malformed-request', `The body has more than ${values_max} values.`)
}

const [quote, backslash, underscore, comma, colon] = [0x22, 0x5c, 0x5f, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Checks the limits before any value is made. Bytes that are not JSON pass; parsing refuses them. */
function checkStructure(body: Buffer): void {
  /** The number of members of each open object; lists have none. */
  const members: number[] = []
  let values = 1
  let [text_from, text_to] = [0, 0]
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (byte === quote) {
      text_from = i + 1
      text_to = endOfText(body, text_from)
      i = text_to
    } else if (byte === openObject || byte === openList) {
      if (members.push(0) > depth_max)
        throw problem('malformed-request', `The body nests deeper than ${depth_max} levels.`)
      checkValues(++values)
    } else if (byte === closeObject || byte === closeList) members.pop()
    else if (byte === comma) checkValues(++values)
    else if (byte === colon) {
      const count = (members.pop() ?? 0) + 1
      members.push(count)
      checkMembers(count)
      if (isPrototype(body, text_from, text_to))
        throw problem('malformed-request', 'A member must not be named __proto__.')
    }
  }
}

function endOfText(body: Buffer, from: number): number {
  let at = from
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}

/** The length of `__proto__` with each character as an escape. */
const prototype_bytes_max = 54

/** Whether a member's name is `__proto__`, which has no legitimate use and allows prototype pollution. */
function isPrototype(body: Buffer, from: number, to: number): boolean {
  if (to - from > prototype_bytes_max || (body[from] !== underscore && body[from] !== backslash)) return false
  const name = body.toString('latin1', from, to)
  return unescaped(name) === '__proto__'
}

const unescaped = (text: string) =>
  text.replaceAll(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function* unpairedSurrogates(value: unknown, path: readonly string[]): Generator<BodyIssue> {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) yield { path, message: unpairedSurrogate }
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (name.isWellFormed()) yield* unpairedSurrogates(inner, [...path, name])
      else yield { path: [...path, name.toWellFormed()], message: unpairedSurrogate }
    }
}
