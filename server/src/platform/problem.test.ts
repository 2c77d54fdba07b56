import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problems, type ProblemType, type WireError } from '@demarc/client'
import { invalid, notFound, problem, throwIfInvalid, problemResponse } from './problem.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The contract's table of errors: HTTP status, and the error object without its id. */
const contract: readonly [ProblemType, number, WireError][] = [
  ['not-geocodable', 400, { status: 400, title: 'Client Error', detail: 'detail' }],
  ['unauthorized', 401, { status: 401, title: 'Unauthorized', detail: 'detail' }],
  ['not-found', 404, { status: 404, title: 'Resource not found', detail: 'detail' }],
  ['duplicate-address', 422, { status: 400, title: 'Client Error', detail: 'detail' }],
  ['address-correction', 422, { status: 422, title: 'Address Correction Required', detail: 'detail' }],
  ['invalid-input', 422, { status: 422, detail: 'detail' }],
]

test('problems have the format of the contract, each with its own id', () => {
  for (const [type, status, shown] of contract) {
    const responses = [problemResponse(problem(type, 'detail')), problemResponse(problem(type, 'detail'))]
    const ids = responses.map(({ status: http, body: { errors } }) => {
      const { id, ...error } = errors[0] ?? assert.fail('no error')
      assert.deepEqual([http, errors.length, error], [status, 1, shown], type)
      assert.match(id ?? '', uuid)
      return id
    })
    assert.notEqual(ids[0], ids[1])
  }
})

test('a 403 never has an id or a detail', () => {
  assert.deepEqual(problemResponse(problem('not-authorized', 'detail')), {
    status: 403,
    body: { errors: [{ status: 403, title: 'ActionNotAuthorizedError', detail: '' }] },
  })
})

test('a detail may be a corrected address, or messages by field', () => {
  for (const detail of [{ city: 'SEATTLE', street_name: 'PINE ST' }, { limit: ['Not a valid integer.', 'Twice.'] }])
    assert.deepEqual(problemResponse(problem('invalid-input', detail)).body.errors[0]?.detail, detail)
  assert.deepEqual(invalid({ limit: ['No.'] }).detail, { limit: ['No.'] })
})

test('every problem has a status, a title except where the contract has none, and a default detail', () => {
  for (const [type, { status, title, meaning }] of Object.entries(problems)) {
    assert.ok(status >= 400 && status < 600, type)
    assert.equal(title === null, type === 'invalid-input')
    assert.match(meaning, /^[A-Z].*\.$/)
    assert.equal(problem(type as ProblemType).detail, meaning)
  }
})

test('a problem’s cause is in the log but not in the response', () => {
  const caused = problem('not-ready', 'Later.', { cause: new Error('hunter2'), headers: { 'retry-after': '2' } })
  assert.equal((caused.cause as Error).message, 'hunter2')
  assert.doesNotMatch(JSON.stringify(problemResponse(caused)), /hunter2/)
})

test('only fields with messages are refused', () => {
  throwIfInvalid({ a: [], b: [] })
  assert.throws(
    () => throwIfInvalid({ a: [], b: ['No.'], c: ['No.', 'No.'] }),
    (error: unknown) => {
      assert.deepEqual((error as { detail: unknown }).detail, { b: ['No.'], c: ['No.', 'No.'] })
      return true
    },
  )
})

test('what is not found is missing from the account, or for the operator from all accounts', () => {
  assert.equal(notFound({ account_id: '1001' }, 'No route 7').detail, 'No route 7 is on this account.')
  assert.equal(notFound({ account_id: null }, 'No route 7').detail, 'No route 7 exists.')
})
