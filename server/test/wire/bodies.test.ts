import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@demarc/client'
import { z } from 'zod'
import { startTestServer } from '../support/server.ts'
import { exchange, requestBytes } from '../support/socket.ts'
import { basic, checkedResponse, reason, refused, wire } from '../support/wire.ts'

const body_limit_bytes = 20_000
const server = await startTestServer({ env: { DEMARC_BODY_LIMIT_BYTES: String(body_limit_bytes) } })
const { credentials } = server.account
const send = wire(server.base_url, credentials)
const operator = wire(server.base_url, server.operator_credentials)
const unlimited = await startTestServer()
const large = wire(unlimited.base_url, unlimited.account.credentials)
const authorization = basic(credentials.access_key, credentials.secret_key)

test('a body that is not JSON is a 400 with the position of the error', async () => {
  const grid = [
    '{',
    '{"value":}',
    "{'value':'A'}",
    'value=A',
    '{"value":"A"} {}',
    'NaN',
    '{"value":"\u0001"}',
    '\u00a0{}',
  ]
  for (const body of grid) {
    assert.match(reason(await send('POST /v2/cnams', { body }), 400), /^The body is not JSON: /, body)
  }
})

test('a body that is not UTF-8 is a 400', async () => {
  for (const bytes of ['7b22ff7d', 'c328', 'fffe7b007d00', '22eda08022'])
    assert.equal(
      refused(await send('POST /v2/cnams', { body: Buffer.from(bytes, 'hex') }), 400).detail,
      'The body is not UTF-8.',
      bytes,
    )
})

test('a byte order mark before the JSON is ignored', async () => {
  assert.equal((await send('POST /v2/cnams', { body: '\ufeff{"value":"MARKED"}' })).status, 201)
})

test('a member called __proto__ is refused at any depth; constructor and prototype are unknown fields', async () => {
  const spellings = ['__proto__', '\\u005f_proto__', '__pr\\u006Fto__', '__proto_\\u005F']
  const bodies = spellings.map((name) => `{"${name}":1}`)
  for (const body of ['{"__proto__":{"value":"A"}}', '{"value":"A","x":[{"__proto__":1}]}', ...bodies])
    assert.match(reason(await send('POST /v2/cnams', { body }), 400), /__proto__/)
  const body = '{"value":"A","constructor":{},"prototype":{},"toString":1}'
  assert.deepEqual(refused(await send('POST /v2/cnams', { body }), 422).detail, {
    constructor: ['Is not a known field.'],
    prototype: ['Is not a known field.'],
    toString: ['Is not a known field.'],
  })
})

test('JSON that nests too deep is a 400, and brackets in strings do not count', async () => {
  const nested = (depth: number) => `{"value":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  refused(await send('POST /v2/cnams', { body: nested(32) }), 422)
  assert.match(reason(await send('POST /v2/cnams', { body: nested(33) }), 400), /deeper than 32/)
  refused(await send('POST /v2/cnams', { body: '['.repeat(10_000) }), 400)
  refused(await send('POST /v2/cnams', { body: `{"value":"${'[{\\"'.repeat(100)}"}` }), 422)
})

test('an object with more than 256 members and a body with more than 200,000 values are a 400', async () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`
  refused(await send('POST /v2/cnams', { body: members(256) }), 422)
  for (const body of [members(257), `{"value":[1,${members(257)}]}`])
    assert.equal(
      reason(await large('POST /v2/cnams', { body }), 400),
      'An object in the body has more than 256 members.',
    )
  const limit = 'The body has more than 200000 values.'
  const empty = (count: number) => `{"numbers":[${'{},'.repeat(count)}{}]}`
  assert.equal(reason(await large('PATCH /v2/numbers', { body: empty(400_000) }), 400), limit)
  assert.deepEqual(refused(await large('PATCH /v2/numbers', { body: empty(90_000) }), 422).detail, {
    numbers: ['At most 1000 entries.'],
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const check = 'POST /v2/portorders/portability'
  assert.equal(reason(await large(check, { headers: form, body: 'numbers=1&'.repeat(200_001) }), 400), limit)
  const names = Array.from({ length: 257 }, (_, i) => `k${i}=1`).join('&')
  assert.match(reason(await large(check, { headers: form, body: names }), 400), /more than 256 members/)
  assert.deepEqual(refused(await large(check, { headers: form, body: 'numbers[]=1&'.repeat(150_000) }), 422).detail, {
    numbers: ['At most 20000 numbers.'],
  })
})

test('a response lists fifty fields and counts the other errors', async () => {
  const body = `{${Array.from({ length: 200 }, (_, i) => `"k${i}":1`).join()}}`
  const detail = refused(await send('POST /v2/cnams', { body }), 422).detail as Record<string, string[]>
  assert.equal(Object.keys(detail).length, 51)
  // the required value is missing too
  assert.deepEqual(detail['body'], ['151 more errors are not listed.'])
  const numbers = Array.from({ length: 1000 }, () => ({}))
  const many = refused(await large('PATCH /v2/numbers', { body: JSON.stringify({ numbers }) }), 422).detail
  assert.deepEqual((many as Record<string, string[]>)['body'], ['950 more errors are not listed.'])
  const filters = {
    start_call_start_time: 1,
    countries: [],
    destination_numbers: Array.from({ length: 200 }, () => ''),
  }
  const attributes = { filter_parameters: filters }
  const exported = await send('POST /v2/cdrs/exports', {
    body: JSON.stringify({ data: { type: 'cdrexport', attributes } }),
  })
  assert.equal(exported.status, 422)
  assert.equal(exported.errors.length, 51)
  assert.equal(exported.errors.at(-1)?.detail, '153 more errors are not listed.')
})

test('nothing is looked up for a body with more errors than are listed', async () => {
  const body = {
    mode: 'each',
    numbers: [{ value: '12065550100', cnam_id: 1 }, ...Array.from({ length: 60 }, () => ({}))],
  }
  const { errors } = await large('PATCH /v2/numbers', { body: JSON.stringify(body) })
  assert.equal(Object.keys(errors[0]?.detail ?? {}).filter((name) => name.startsWith('numbers.0.')).length, 0)
})

test('half a surrogate pair is a 422 that names the field, with the other errors', async () => {
  const message = 'Contains an unpaired surrogate (half of a character).'
  for (const half of ['\\ud800', 'a\\uDFFFb', '\\ude00\\ud83d'])
    assert.match(
      JSON.stringify(refused(await send('POST /v2/cnams', { body: `{"value":"${half}"}` }), 422).detail),
      /^\{"value":\["Contains an unpaired/,
    )
  assert.equal((await send('POST /v2/routes', { body: '{"alias":"\\ud83d\\ude00"}' })).errors[0]?.status, 422)
  const body = '{"data":{"type":"cnam","attributes":{"value":"A","x\\ud800":1,"more":["\\udc00"]}}}'
  assert.deepEqual(refused(await send('POST /v2/cnams', { body }), 422).detail, {
    'x\ufffd': [message],
    'more.0': [message],
    'x\ud800': ['Is not a known field.'],
    more: ['Is not a known field.'],
  })
})

test('no operation stores or replaces half a surrogate pair', async () => {
  for (const { id, method, path, body } of Object.values<Operation>(operations)) {
    if (!(body instanceof z.ZodType)) continue
    const sent = { body: '{"name":"\\ud800","reason":"\\ud800"}' }
    const response = await operator(`${method} ${path.replaceAll(/\{\w+\}/g, '1')}`, sent)
    // a person's operations need a session
    assert.match(response.body, response.status === 422 ? /unpaired surrogate/ : /"status":40[13]/, id)
  }
})

test('where a body is required, a missing body and one that is not an object are a 422', async () => {
  const required = { value: ['Is required.'] }
  for (const sent of [{}, { headers: { 'content-length': '0' } }, { body: '{}' }, { body: '' }, { body: 'null' }])
    assert.deepEqual(refused(await send('POST /v2/cnams', sent), 422).detail, required)
  for (const body of ['[]', '"A"', '1', 'true'])
    assert.deepEqual(refused(await send('POST /v2/cnams', { body }), 422).detail, { body: ['Must be a JSON object.'] })
})

test('all failing fields are named together', async () => {
  const body = '{"data":{"type":"route","extra":1,"attributes":{"value":7,"nonsense":1}},"more":2}'
  assert.deepEqual(refused(await send('POST /v2/cnams', { body }), 422).detail, {
    more: ['Is not a known field.'],
    extra: ['Is not a known field.'],
    type: ['Must be "cnam".'],
    value: ['Must be text.'],
    nonsense: ['Is not a known field.'],
  })
})

test('Content-Length: 0 on PATCH and DELETE is not an error', async () => {
  const { data } = (await server.account.client.createCnam({ body: { value: 'ZERO' } })).body
  const headers = { 'content-length': '0' }
  assert.deepEqual(refused(await send(`PATCH /v2/cnams/${data.id}`, { headers }), 422).detail, {
    value: ['Is required.'],
  })
  assert.equal((await send(`DELETE /v2/cnams/${data.id}`, { headers })).status, 204)
})

test('an operation without a body ignores one', async () => {
  for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'nonsense' }])
    assert.equal((await send('GET /v2/whoami', { headers, body: '{]' })).status, 200)
  refused(await send('DELETE /v2/cnams/999', { body: '{]', headers: { 'content-type': 'null' } }), 404)
})

test('a body with a Content-Encoding is a 415', async () => {
  for (const coding of ['gzip', 'br', 'deflate, gzip', 'nonsense'])
    refused(await send('POST /v2/cnams', { headers: { 'content-encoding': coding }, body: '{"value":"A"}' }), 415)
  const sent = { headers: { 'content-encoding': 'identity' }, body: '{"value":"IDENTITY"}' }
  assert.equal((await send('POST /v2/cnams', sent)).status, 201)
})

const padded = (bytes: number) => `{"value":"PADDED"${' '.repeat(bytes - 18)}}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = { 'transfer-encoding': 'chunked' }

test('a body of exactly the limit is read, one byte more is a 413, by its Content-Length or its chunks', async () => {
  const detail = `The body must not exceed ${body_limit_bytes} bytes.`
  refused(await send('POST /v2/cnams', { body: `${padded(body_limit_bytes).slice(0, -1)},` }), 400)
  assert.equal(refused(await send('POST /v2/cnams', { body: padded(body_limit_bytes + 1) }), 413).detail, detail)
  const streamed = (bytes: number) =>
    send('POST /v2/cnams', { headers: chunked, body: `${chunk(padded(bytes))}0\r\n\r\n` })
  assert.equal(refused(await streamed(body_limit_bytes + 1), 413).detail, detail)
  assert.equal((await streamed(body_limit_bytes)).status, 201)
})

test('a body far beyond the limit still gets its response', async () => {
  const much = Buffer.alloc(30_000_000, 32)
  const stream = new Blob([much]).stream()
  for (const body of [much, stream] as const) {
    const response = await fetch(`${server.base_url}/v2/cnams`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    })
    assert.equal(response.status, 413)
    assert.match(await response.text(), /^\{"errors":\[/)
  }
})

test('a connection stays usable after a refusal before the end of the body', async () => {
  const refusals = Buffer.concat([
    requestBytes('POST /v2/cnams', { authorization }, Buffer.alloc(1_000_000, 32)),
    requestBytes('POST /v2/cnams', { authorization: 'Basic bm86bm8=' }, Buffer.alloc(1_000_000, 32)),
    requestBytes('POST /v2/nope', {}, Buffer.alloc(1_000_000, 32)),
    requestBytes('GET /v2/whoami', { authorization, connection: 'close' }),
  ])
  const responses = (await exchange(server.base_url, refusals)).map((response) => checkedResponse(response).status)
  assert.deepEqual(responses, [413, 401, 404, 200])
})
