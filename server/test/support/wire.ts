import assert from 'node:assert/strict'
import { problems, type WireError } from '@demarc/client'
import { exchange, requestBytes, type RawAnswer } from './socket.ts'

/** Requests written byte by byte, and what every answer must be like. */

export interface Sent {
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

export interface WireAnswer extends RawAnswer {
  /** The body, parsed; undefined when it is empty or not JSON. */
  json: unknown
  errors: readonly WireError[]
}

export type Send = (line: string, sent?: Sent) => Promise<WireAnswer>

/** Sends one request on a connection of its own and checks what every answer promises. `line`: `GET /v2/cnams`. */
export const wire =
  (base_url: string, credentials?: { access_key: string; secret_key: string }): Send =>
  async (line, { headers = {}, body } = {}) => {
    const authorization: Record<string, string> = credentials
      ? { authorization: basic(credentials.access_key, credentials.secret_key) }
      : {}
    const answers = await exchange(
      base_url,
      requestBytes(line, { connection: 'close', ...authorization, ...headers }, body),
    )
    const [answer] = answers
    assert.ok(answer, `${line} was answered`)
    assert.equal(answers.length, 1, `${line} was answered once`)
    return checkedAnswer(answer, { head: line.startsWith('HEAD ') })
  }

export const basic = (access_key: string, secret_key: string): string =>
  `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const json_types = ['application/json', 'application/vnd.api+json']

/** A request id on all of them; JSON in one of the two types to the letter; refusals in the one error form. */
export function checkedAnswer(answer: RawAnswer, { head = false } = {}): WireAnswer {
  const { status, headers, body } = answer
  assert.match(headers['x-request-id'] ?? '', uuid, 'every answer carries a request id')
  const type = headers['content-type'] ?? ''
  if (status < 400)
    return { ...answer, errors: [], json: json_types.includes(type) && body !== '' ? JSON.parse(body) : undefined }
  assert.ok(json_types.includes(type), `a refusal is JSON, not ${type}`)
  if (head) return { ...answer, errors: [], json: undefined }
  const json = JSON.parse(body) as { errors: WireError[] } // the assertions below say whether it is
  assert.deepEqual(Object.keys(json), ['errors'])
  assert.ok(json.errors.length > 0)
  for (const error of json.errors) checkError(error, status)
  return { ...answer, errors: json.errors, json }
}

/** One entry of `errors`: titles and statuses as the table of problems has them. */
function checkError(error: WireError, status: number): void {
  const { id, detail } = error
  const titles: (string | undefined)[] = Object.values(problems).flatMap((p) =>
    p.status === status ? [p.title ?? undefined] : [],
  )
  assert.ok(titles.includes(error.title), `${String(error.title)} is a title of ${status}`)
  // the contract shows two exceptions: 403 without id and detail, and 400 inside a 422 for a duplicate address
  assert.equal(error.status, error.title === 'Client Error' ? 400 : status)
  if (status === 403) return assert.deepEqual(error, { status: 403, title: 'ActionNotAuthorizedError', detail: '' })
  assert.match(id ?? '', uuid)
  assert.ok(typeof detail === 'string' ? detail !== '' : Object.keys(detail).length > 0)
}

/** Asserts the status and gives the first error. */
export function refused(answer: WireAnswer, status: number): WireError {
  assert.equal(answer.status, status, answer.body)
  const [error] = answer.errors
  assert.ok(error)
  return error
}

/** The same but for what is fresh in each answer. */
export const withoutIds = (answer: WireAnswer) => ({
  status: answer.status,
  type: answer.headers['content-type'],
  errors: answer.errors.map((error) => ({ ...error, id: undefined })),
})

/** Asserts the status and gives the first error's sentence. */
export function reason(answer: WireAnswer, status: number): string {
  const { detail } = refused(answer, status)
  assert.ok(typeof detail === 'string', answer.body)
  return detail
}
