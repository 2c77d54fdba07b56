import assert from 'node:assert/strict'
import { problems, type WireError } from '@demarc/client'
import { exchange, requestBytes, type RawResponse } from './socket.ts'

/** Raw requests, and checks that hold for every response. */

export interface WireRequest {
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

export interface WireResponse extends RawResponse {
  /** The body, parsed; undefined when it is empty or not JSON. */
  json: unknown
  errors: readonly WireError[]
}

export type Send = (line: string, request?: WireRequest) => Promise<WireResponse>

/** Sends one request on its own connection and checks the response. `line`: `GET /v2/cnams`. */
export const wire =
  (base_url: string, credentials?: { access_key: string; secret_key: string }): Send =>
  async (line, { headers = {}, body } = {}) => {
    const authorization: Record<string, string> = credentials
      ? { authorization: basic(credentials.access_key, credentials.secret_key) }
      : {}
    const responses = await exchange(
      base_url,
      requestBytes(line, { connection: 'close', ...authorization, ...headers }, body),
    )
    const [response] = responses
    assert.ok(response, `${line} has a response`)
    assert.equal(responses.length, 1, `${line} has one response`)
    return checkedResponse(response, { head: line.startsWith('HEAD ') })
  }

export const basic = (access_key: string, secret_key: string): string =>
  `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const json_types = ['application/json', 'application/vnd.api+json']

/** Checks the request id, the exact JSON media type, and the error format of refusals. */
export function checkedResponse(response: RawResponse, { head = false } = {}): WireResponse {
  const { status, headers, body } = response
  assert.match(headers['x-request-id'] ?? '', uuid, 'every response has a request id')
  const type = headers['content-type'] ?? ''
  if (status < 400)
    return { ...response, errors: [], json: json_types.includes(type) && body !== '' ? JSON.parse(body) : undefined }
  assert.ok(json_types.includes(type), `a refusal is JSON, not ${type}`)
  if (head) return { ...response, errors: [], json: undefined }
  const json = JSON.parse(body) as { errors: WireError[] } // the assertions below check this
  assert.deepEqual(Object.keys(json), ['errors'])
  assert.ok(json.errors.length > 0)
  for (const error of json.errors) checkError(error, status)
  return { ...response, errors: json.errors, json }
}

/** Checks one entry of `errors`: its title and status are those of a problem type. */
function checkError(error: WireError, status: number): void {
  const { id, detail } = error
  const titles: (string | undefined)[] = Object.values(problems).flatMap((p) =>
    p.status === status ? [p.title ?? undefined] : [],
  )
  assert.ok(titles.includes(error.title), `${String(error.title)} is a title of ${status}`)
  // the contract shows two exceptions: 403 without id and detail, and 400 inside a 422 for a duplicate address
  assert.equal(error.status, error.title === 'Client Error' ? 400 : status)
  if (error.title === 'ActionNotAuthorizedError')
    return assert.deepEqual(error, { status: 403, title: 'ActionNotAuthorizedError', detail: '' })
  assert.match(id ?? '', uuid)
  assert.ok(typeof detail === 'string' ? detail !== '' : Object.keys(detail).length > 0)
}

/** Asserts the status and returns the first error. */
export function refused(response: WireResponse, status: number): WireError {
  assert.equal(response.status, status, response.body)
  const [error] = response.errors
  assert.ok(error)
  return error
}

/** The response without the parts that differ each time. */
export const withoutIds = (response: WireResponse) => ({
  status: response.status,
  type: response.headers['content-type'],
  errors: response.errors.map((error) => ({ ...error, id: undefined })),
})

/** Asserts the status and returns the first error's detail. */
export function reason(response: WireResponse, status: number): string {
  const { detail } = refused(response, status)
  assert.ok(typeof detail === 'string', response.body)
  return detail
}
