import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problems, type ProblemType, type WireError } from '@demarc/client'
import { AddressCorrectionError, DemarcError, InvalidInputError, errorOf, problemErrors } from './index.ts'

/** Errors of the client: one class per problem, with its facts as data. */

const response = (status: number, errors: readonly WireError[], headers: Record<string, string> = {}) => ({
  operation: 'createCnam',
  method: 'POST',
  url: 'http://127.0.0.1/v2/cnams',
  attempts: 1,
  idempotency_key: null,
  status,
  errors,
  headers: new Headers(headers),
})

const types = Object.keys(problems) as ProblemType[] // the keys of the table

for (const type of types)
  test(`${type} has its own class, selected by status and title`, () => {
    const { status, title, remedy } = problems[type]
    const error = errorOf(response(status, [{ status, detail: 'why', ...(title === null ? {} : { title }) }]))
    assert.equal(error.constructor, problemErrors[type])
    assert.equal(types.filter((each) => problemErrors[each] === problemErrors[type]).length, 1)
    assert.equal(error.type, type)
    assert.equal(error.name, error.constructor.name)
    assert.equal(error.name.replace(/Error$/, '').toLowerCase(), type.replaceAll('-', ''))
    assert.equal(error.remedy, remedy)
    assert.ok(error instanceof DemarcError)
  })

test('a response that is not a documented problem is a DemarcError without a type', () => {
  const proxy = errorOf(response(502, [{ status: 502, detail: '<html>Bad gateway</html>' }]))
  assert.equal(proxy.constructor, DemarcError)
  assert.deepEqual([proxy.type, proxy.name, proxy.status], [null, 'DemarcError', 502])
  // several problems have this status, and the title is none of theirs
  assert.equal(errorOf(response(422, [{ status: 422, title: 'Other', detail: '' }])).type, null)
  // one alone has it, from any server
  assert.equal(errorOf(response(429, [])).type, 'rate-limited')
})

test('invalid fields are data, from a map or from sentences with pointers', () => {
  const map = errorOf(
    response(422, [{ status: 422, detail: { value: ['Too long.', 'Has a tab.'], color: ['Unknown.'] } }]),
  )
  assert.ok(map instanceof InvalidInputError)
  assert.deepEqual(map.fields, { value: ['Too long.', 'Has a tab.'], color: ['Unknown.'] })
  assert.deepEqual(map.findings[2], { field: 'color', message: 'Unknown.' })
  const pointer = '/data/attributes/filter_parameters/a~1b~0c'
  const sentences = errorOf(response(422, [{ status: 422, detail: 'Is wrong.', source: { pointer } }]))
  assert.ok(sentences instanceof InvalidInputError)
  assert.deepEqual(sentences.fields, { 'filter_parameters.a/b~c': ['Is wrong.'] })
})

test('an address’s corrections are data, not field errors', () => {
  const title = 'Address Correction Required'
  const detail = { street_name: 'CEDAR ST', city: 'FRIENDSHIP' }
  const error = errorOf(
    response(422, [
      { status: 422, title, detail },
      {
        status: 422,
        title,
        detail: { ...detail, street_name: 'CEDAR AVE' },
        meta: { reason: 'The street ends at 99.' },
      },
    ]),
  )
  assert.ok(error instanceof AddressCorrectionError)
  assert.deepEqual(
    error.corrections.map(({ address, reason }) => [address.street_name, reason]),
    [
      ['CEDAR ST', null],
      ['CEDAR AVE', 'The street ends at 99.'],
    ],
  )
  assert.deepEqual(error.findings, [])
})

test('a remedy names the time to wait, which may be given in seconds or as a date', () => {
  assert.equal(errorOf(response(429, [], { 'retry-after': '12' })).remedy, 'Send the request again in 12 s.')
  const at = new Date(Date.now() + 100_000).toUTCString()
  const seconds = errorOf(response(503, [], { 'retry-after': at })).retry_after_s ?? 0
  assert.ok(seconds > 95 && seconds <= 100, String(seconds))
  assert.equal(errorOf(response(503, [])).retry_after_s, null)
})
