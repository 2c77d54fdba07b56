import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaTypes, type Operation } from '@demarc/client'
import { every, harmlessBody, pathOf, readsJson } from '../support/operations.ts'
import { senderOf } from '../support/people.ts'
import { startTestServer } from '../support/server.ts'
import { reason, refused, type Send, wire } from '../support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url, server.account.credentials)
const operator = await senderOf(server)

const asOperator = { 'demarc-account': server.account.id }

test('every operation that reads JSON accepts both documented types, with parameters, and an absent type', async () => {
  const types = [
    'application/json',
    'application/vnd.api+json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"; x=1',
    'application/vnd.api+json; ext="https://example.com/ext"; profile=x',
    'APPLICATION/VND.API+JSON ;charset=UTF-8',
    '',
  ]
  for (const operation of every.filter(readsJson)) {
    const line = `${operation.method} ${pathOf(operation)}`
    const { body = '' } = harmlessBody(operation)
    const typed = types.map((type) => ({ 'content-type': type }))
    for (const type of [...typed, {}]) {
      const response = await operator(operation)(line, { headers: { ...asOperator, ...type }, body })
      assert.ok([404, 422].includes(response.status), `${operation.id} reads ${JSON.stringify(type)}: ${response.body}`)
      assert.equal(response.headers['content-type'], mediaTypes[operation.media], operation.id)
    }
  }
})

test('every operation that reads JSON refuses other types with a 415 that names those it reads', async () => {
  const form = 'application/x-www-form-urlencoded'
  const types = ['text/plain', 'application/xml', 'application/jsonp', 'json', 'null']
  for (const operation of every.filter(readsJson)) {
    const { body = '' } = harmlessBody(operation)
    for (const type of operation.form ? types : [...types, form]) {
      const headers = { ...asOperator, 'content-type': type }
      const response = await operator(operation)(`${operation.method} ${pathOf(operation)}`, { headers, body })
      const expected = operation.form
        ? /application\/json or application\/x-www-form-urlencoded/
        : /application\/json, not/
      assert.match(reason(response, 415), expected, operation.id)
    }
  }
})

const reads = ({ body }: Operation, type: string) => body !== undefined && 'bytes' in body && body.bytes.includes(type)

test('every operation that reads a stream names its types', async () => {
  for (const operation of every.filter((o) => o.body !== undefined && !readsJson(o)))
    for (const type of ['application/json', 'text/plain', '', 'null'].filter((t) => !reads(operation, t))) {
      const headers = { ...asOperator, 'content-type': type }
      const response = await operator(operation)(`${operation.method} ${pathOf(operation)}`, { headers, body: '' })
      assert.match(reason(response, 415), /^This operation accepts .* Set the Content-Type header\.$/, operation.id)
    }
})

test('an Accept header may be absent, empty, a wildcard, or either documented type', async () => {
  const fine = [
    {},
    { accept: '' },
    { accept: '*/*' },
    { accept: 'application/*' },
    { accept: 'application/json' },
    { accept: 'application/vnd.api+json' },
    { accept: 'Application/JSON; charset=utf-8' },
    { accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.8' },
    { accept: 'application/vnd.api+json; ext="https://example.com/ext"' },
    { accept: 'text/html;q=0.9,application/json;q=0.001' },
  ]
  for (const headers of fine)
    for (const [path, type] of [
      ['/v2/cnams', mediaTypes.jsonapi],
      ['/v2/whoami', mediaTypes.json],
    ] as const) {
      const response = await send(`GET ${path}`, { headers })
      assert.equal(response.status, 200, `${path} with ${JSON.stringify(headers)}`)
      assert.equal(response.headers['content-type'], type)
    }
})

test('an Accept header that rules out JSON is a 406 on every operation', async () => {
  for (const accept of [
    'text/html',
    'application/xml, text/plain',
    'application/json;q=0',
    '*/*; q=0.0',
    'json',
    'image/*',
  ])
    refused(await send('GET /v2/cnams', { headers: { accept } }), 406)
  for (const operation of every) {
    if (Object.values(operation.responses).some((a) => a.body !== null && 'bytes' in a.body)) continue
    const { body, headers } = harmlessBody(operation)
    const response = await operator(operation)(`${operation.method} ${pathOf(operation)}`, {
      headers: { ...asOperator, ...headers, accept: 'image/png' },
      ...(body === undefined ? {} : { body }),
    })
    assert.match(reason(response, 406), new RegExp(mediaTypes[operation.media].replace(/[+.]/g, '.')), operation.id)
  }
})

test('a file may be requested by its own type', async () => {
  const files = every.filter((o) => Object.values(o.responses).some((a) => a.body !== null && 'bytes' in a.body))
  for (const operation of files) {
    const types = Object.values(operation.responses).flatMap((a) => (a.body && 'bytes' in a.body ? a.body.bytes : []))
    for (const accept of types) {
      const { status } = await operator(operation)(`${operation.method} ${pathOf(operation)}`, {
        headers: { ...asOperator, accept },
      })
      assert.notEqual(status, 406, `${operation.id} as ${accept}`)
    }
  }
})

test('every operation responds in exactly its own type, refusals too, to every principal', async () => {
  const anonymous = wire(server.base_url)
  const ask = async (operation: Operation, by: Send) => {
    const response = await by(`${operation.method} ${pathOf(operation)}`, harmlessBody(operation))
    if (response.status === 204) return
    const { body } = operation.responses[response.status] ?? {}
    const type = String(response.headers['content-type'])
    // an existing file, such as a calendar without dates, has its own type
    if (body && 'bytes' in body) assert.ok(body.bytes.includes(type.replace(/;.*/, '')), `${operation.id}: ${type}`)
    else assert.equal(type, mediaTypes[operation.media], `${operation.id}: ${response.status}`)
    assert.ok(response.status < 500 || response.status === 503, `${operation.id}: ${response.body}`)
  }
  // one after another: all at once, a busy machine needs more than the 20 s that a socket of the tests waits
  for (const by of [wire(server.base_url, server.operator_credentials), send, anonymous])
    await Promise.all(every.map((operation) => ask(operation, by)))
})
