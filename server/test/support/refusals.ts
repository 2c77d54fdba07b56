import assert from 'node:assert/strict'
import { DemarcError, type WireError } from '@demarc/client'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The one error that a call is refused with; its form is checked against what its status promises. */
export async function refusal(call: Promise<unknown>, status: number): Promise<WireError> {
  const error = await call.then(
    (answer) => assert.fail(`was not refused: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof DemarcError)) throw error
  assert.equal(error.status, status, error.message)
  assert.equal(error.errors.length, 1)
  const [first] = error.errors
  assert.ok(first)
  assert.equal(first.status, status)
  const titles: Record<number, string | undefined> = {
    403: 'ActionNotAuthorizedError',
    404: 'Resource not found',
    409: 'Conflict',
    410: 'Gone',
    422: undefined,
  }
  assert.equal(first.title, titles[status])
  if (status === 403) assert.deepEqual([first.id, first.detail], [undefined, ''])
  else assert.match(first.id ?? '', uuid)
  return first
}

/** The fields that a call is refused for: 422 with a map of field → messages. */
export async function faultyFields(call: Promise<unknown>): Promise<Record<string, string[]>> {
  const { detail } = await refusal(call, 422)
  assert.ok(typeof detail === 'object')
  for (const messages of Object.values(detail)) assert.ok(Array.isArray(messages) && messages.length > 0)
  return detail as Record<string, string[]> // just checked
}

/** The sentence that a call is refused with. */
export async function sentence(call: Promise<unknown>, status: number): Promise<string> {
  const { detail } = await refusal(call, status)
  assert.ok(typeof detail === 'string')
  return detail
}
