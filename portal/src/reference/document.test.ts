import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operations, problems } from '@demarc/client'
import {
  operationsOf,
  requestBodyOf,
  shapeOf,
  type ApiDocument,
  type ApiOperation,
  type Schema,
} from '@demarc/client/rules'
import { found, limitsOf, orderedFields, typeText, featureNames } from './document.ts'
import { clientExample, commandExample, curlExample, sampleBody } from './examples.ts'

// the file that the service serves
const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as ApiDocument
const all = operationsOf(document)
const named = (id: string): ApiOperation => all.find((each) => each.id === id) ?? assert.fail(id)

test('every operation is listed with its problems, in a named feature', () => {
  assert.deepEqual(all.map(({ id }) => id).toSorted(), Object.keys(operations).toSorted())
  const features = new Set(featureNames.map(([feature]) => feature))
  for (const { id, feature, responses } of all) {
    assert.ok(features.has(feature), `${id} is in ${feature}`)
    for (const [status, response] of responses)
      for (const problem of response['x-problems'] ?? [])
        assert.equal(String(problems[problem as keyof typeof problems].status), status, `${id}: ${problem}`)
  }
})

test('operations are found by name, path, and summary if all words match', () => {
  const ids = (text: string) => found(all, text).map(({ id }) => id)
  assert.ok(ids('e911 coverage').includes('listE911Coverage'))
  assert.ok(ids('/v2/port').includes('createPortOrder'))
  assert.deepEqual(ids('updatenumber'), ['updateNumber', 'updateNumbers'])
  assert.deepEqual(ids('updatenumber zebra'), [])
  assert.equal(ids('').length, all.length)
})

const types: [Schema, string][] = [
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ type: 'string', format: 'date-time' }, 'date-time'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
  [{ anyOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { type: 'null' }] }, 'integer or string or null'],
  [{ enum: ['host', 'number'] }, '"host", "number"'],
  [{ const: 'route' }, '"route"'],
  [{ type: 'array', items: { $ref: '#/components/schemas/E164' } }, 'list of string'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of string by name'],
  [{ allOf: [{ type: 'boolean' }], readOnly: true }, 'boolean'],
  [{}, 'anything'],
]
for (const [schema, text] of types)
  test(`${JSON.stringify(schema)} is ${text}`, () => assert.equal(typeText(document, shapeOf(document, schema)), text))

test('limits are described in words, and meaningless ones are omitted', () => {
  const limits = (schema: Schema) => limitsOf(shapeOf(document, schema))
  assert.deepEqual(limits({ type: 'string', minLength: 1, maxLength: 15 }), ['1 to 15 characters'])
  assert.deepEqual(limits({ type: 'string', minLength: 2, maxLength: 2 }), ['exactly 2 characters'])
  assert.deepEqual(limits({ type: 'array', items: {}, maxItems: 100, minItems: 1 }), ['1 to 100 entries'])
  assert.deepEqual(limits({ type: 'integer', minimum: 1 }), ['at least 1'])
  assert.deepEqual(limits({ type: 'integer', default: 10 }), ['10 by default'])
})

test('a body in an envelope shows its attributes, required first and read-only last', () => {
  const body = requestBodyOf(document, named('createPortOrder')) ?? assert.fail()
  assert.deepEqual(body.envelope, { type: 'portorder', required: true })
  assert.deepEqual(requestBodyOf(document, named('updateNumber'))?.envelope, { type: 'number', required: false })
  const fields = orderedFields(document, body.shape ?? assert.fail())
  const order = fields.map(({ required, shape }) => (shape.readOnly ? 2 : required ? 0 : 1))
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
  assert.ok(fields.some(({ name, required }) => name === 'numbers' && required))
})

test('every operation’s example matches its schemas', () => {
  for (const operation of Object.values(operations)) {
    const { id } = operation
    const shown = named(id)
    const curl = curlExample(document, shown, 'https://demarc.example')
    assert.doesNotMatch(curl, /[{}](?![^']*' \\|[^']*'$)|undefined/, `${id}: ${curl}`)
    assert.match(clientExample(document, shown), new RegExp(`client\\.${id}\\(`))
    if (!shown.signed_in_by.includes('key')) assert.equal(commandExample(shown)?.includes('undefined') ?? false, false)
    if (!('body' in operation) || 'bytes' in operation.body) continue
    const body = requestBodyOf(document, shown) ?? assert.fail(id)
    const sample = sampleBody(document, body)
    const text = JSON.stringify(sample)
    assert.deepEqual(operation.body.safeParse(sample).error?.issues ?? [], [], `${id}: ${text}`)
    assert.doesNotMatch(text, /…/, id)
  }
})

test('city, state, and ZIP code of an example are of one place', () => {
  for (const id of ['createPortOrder', 'createE911', 'validateE911']) {
    const sample = JSON.stringify(sampleBody(document, requestBodyOf(document, named(id)) ?? assert.fail(id)))
    assert.match(sample, /"city":"Friendship","state":"WI"/, id)
    assert.match(sample, /"zip":"53934"/, id)
  }
})

test('a session request has no access key, and a change has the CSRF token', () => {
  const change = curlExample(document, named('markNoticesRead'), 'https://demarc.example')
  assert.doesNotMatch(change, /ACCESS_KEY/)
  assert.match(change, /Demarc-CSRF/)
  assert.match(change, /-b "__Host-demarc_session=/)
  assert.match(curlExample(document, named('markNoticesRead'), 'http://127.0.0.1:8911'), /-b "demarc_session=/)
  assert.equal(commandExample(named('markNoticesRead')), null)
  assert.match(commandExample(named('listNumbers')) ?? '', /^demarc numbers list/)
})
