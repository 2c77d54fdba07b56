import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Keys } from './service.ts'

/** Byte-exact requests, as other clients send them: nothing is added to the headers or to the path. */

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

/**
 * A client that sends its own headers with every request. Without a body it sends `Content-Length: 0` on all methods except
 * GET.
 */
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

/** A resource object, as a generic client sees it. */
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

/** The document of a response with the expected status; any other status fails with the body in the message. */
export function document(response: PlainResponse, status = 200): One {
  expect(response, status)
  const parsed: unknown = JSON.parse(response.text)
  assert.ok(hasData(parsed) && !Array.isArray(parsed.data), response.text)
  // asserted above: `data` is one object; the test checks its contents
  return parsed as One
}

/** The same for a list. */
export function list(response: PlainResponse): Many {
  expect(response, 200)
  const parsed: unknown = JSON.parse(response.text)
  assert.ok(hasData(parsed) && Array.isArray(parsed.data) && 'links' in parsed, response.text)
  // asserted above: `data` is a list, and `links` is next to it
  return parsed as unknown as Many
}

/** A 204, which has no body. */
export function empty(response: PlainResponse): void {
  expect(response, 204)
  assert.equal(response.text, '')
}

/** The title and detail of a refusal's first error. */
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
