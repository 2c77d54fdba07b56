import assert from 'node:assert/strict'
import { DemarcError, type WireError } from '@demarc/client'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The only error of a refused request; its status determines its format. */
export async function refusal(request: Promise<unknown>, status: number): Promise<WireError> {
  const error = await request.then(
    (response) => assert.fail(`was not refused: ${JSON.stringify(response)}`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof DemarcError)) throw error
  assert.equal(error.status, status, error.message)
  assert.equal(error.errors.length, 1)
  const [first] = error.errors
  assert.ok(first)
  assert.equal(first.status, status)
  const titles: Record<number, string | undefined> = {
    400: 'Bad request',
    403: 'ActionNotAuthorizedError',
    404: 'Resource not found',
    409: 'Conflict',
    410: 'Gone',
    422: undefined,
    507: 'Insufficient storage',
  }
  assert.equal(first.title, titles[status])
  if (status === 403) assert.deepEqual([first.id, first.detail], [undefined, ''])
  else assert.match(first.id ?? '', uuid)
  return first
}

/** The field errors of a refused request: 422 with a map of field → messages. */
export async function fieldErrors(request: Promise<unknown>): Promise<Record<string, string[]>> {
  const { detail } = await refusal(request, 422)
  assert.ok(typeof detail === 'object')
  for (const messages of Object.values(detail)) assert.ok(Array.isArray(messages) && messages.length > 0)
  return detail as Record<string, string[]> // just checked
}

/** The detail of a refused request. */
export async function sentence(request: Promise<unknown>, status: number): Promise<string> {
  const { detail } = await refusal(request, status)
  assert.ok(typeof detail === 'string')
  return detail
}
