import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Keys } from './service.ts'

/** Requests to the byte, as a client other than ours sends them: nothing is added to the headers or to the path. */

export interface PlainResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Sent {
  headers?: Record<string, string>
  body?: string
}

export type Send = (method: string, path: string, sent?: Sent) => Promise<PlainResponse>

/** A client with its own headers on every request. Without a body it says `Content-Length: 0` on all but GET. */
export function plainHttp(base_url: string, keys: Keys, always: Record<string, string>): Send {
  const { hostname, port } = new URL(base_url)
  const auth = `${keys.access_key}:${keys.secret_key}`
  return async (method, path, { headers = {}, body } = {}) => {
    const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }
    const sent = request({ hostname, port, method, path, auth, headers: { ...always, ...length, ...headers } })
    const responded = once(sent, 'response')
    sent.end(body)
    // the event's one argument, as node:http documents it
    const [incoming] = (await responded) as [IncomingMessage]
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, text: await text(incoming) }
  }
}

/** A resource object, as far as a client that knows nothing of this service may count on it. */
export interface Resource {
  type: string
  id: string | number
  attributes: Record<string, unknown>
  links?: { self: string }
  relationships?: Record<string, { data: { type: string; id: string | number } | null }>
}

export interface One {
  data: Resource
  included?: Resource[]
  links?: { self: string }
}

export interface Many {
  data: Resource[]
  links: { self: string; next?: string }
}

/** The document of a response whose status is the expected one; another status fails with the body in the message. */
export function document(response: PlainResponse, status = 200): One {
  expect(response, status)
  const parsed: unknown = JSON.parse(response.text)
  assert.ok(hasData(parsed) && !Array.isArray(parsed.data), response.text)
  // the assertion above: `data` is one object; what is in it is for the test to say
  return parsed as One
}

/** The same of a list. */
export function list(response: PlainResponse): Many {
  expect(response, 200)
  const parsed: unknown = JSON.parse(response.text)
  assert.ok(hasData(parsed) && Array.isArray(parsed.data) && 'links' in parsed, response.text)
  // the assertion above: `data` is a list and `links` is its sibling
  return parsed as unknown as Many
}

/** A response without a body, as 204 is. */
export function empty(response: PlainResponse, status = 204): void {
  expect(response, status)
  assert.equal(response.text, '')
}

/** The first error of a refusal: its title, and its detail. */
export function refusal(response: PlainResponse, status: number): { title?: string; status?: number; detail: unknown } {
  expect(response, status)
  const { errors } = JSON.parse(response.text) as { errors: { title?: string; status?: number; detail: unknown }[] }
  const [first] = errors
  assert.ok(first, response.text)
  return first
}

const hasData = (v: unknown): v is { data: object } =>
  typeof v === 'object' && v !== null && 'data' in v && typeof v.data === 'object' && v.data !== null

function expect(response: PlainResponse, status: number): void {
  assert.equal(response.status, status, `${response.status} ${response.text.slice(0, 1000)}`)
}
