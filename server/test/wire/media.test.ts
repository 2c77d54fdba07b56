import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaTypes, type Operation } from '@demarc/client'
import { every, harmlessBody, pathOf, readsJson } from '../support/operations.ts'
import { startTestServer } from '../support/server.ts'
import { reason, refused, type Send, wire } from '../support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url, server.account.credentials)
const operator = wire(server.base_url, server.operator_credentials)

const asOperator = { 'demarc-account': server.account.id }

test('every operation that reads JSON takes both documented types, either with parameters, and none at all', async () => {
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
    const given = types.map((type) => ({ 'content-type': type }))
    for (const type of [...given, {}]) {
      const answer = await operator(line, { headers: { ...asOperator, ...type }, body })
      assert.ok([404, 422].includes(answer.status), `${operation.id} reads ${JSON.stringify(type)}: ${answer.body}`)
      assert.equal(answer.headers['content-type'], mediaTypes[operation.media], operation.id)
    }
  }
})

test('every operation that reads JSON refuses other types by a 415 that says which it reads', async () => {
  const types = [
    'text/plain',
    'application/xml',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'json',
    'null',
  ]
  for (const operation of every.filter(readsJson)) {
    const { body = '' } = harmlessBody(operation)
    for (const type of types) {
      const headers = { ...asOperator, 'content-type': type }
      const answer = await operator(`${operation.method} ${pathOf(operation)}`, { headers, body })
      assert.match(reason(answer, 415), /application\/json/, operation.id)
    }
  }
})

const reads = ({ body }: Operation, type: string) => body !== undefined && 'bytes' in body && body.bytes.includes(type)

test('every operation that reads a stream says which types', async () => {
  for (const operation of every.filter((o) => o.body !== undefined && !readsJson(o)))
    for (const type of ['application/json', 'text/plain', '', 'null'].filter((t) => !reads(operation, t))) {
      const headers = { ...asOperator, 'content-type': type }
      const answer = await operator(`${operation.method} ${pathOf(operation)}`, { headers, body: '' })
      assert.match(reason(answer, 415), /^This operation reads .*Content-Type header\.$/, operation.id)
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
      const answer = await send(`GET ${path}`, { headers })
      assert.equal(answer.status, 200, `${path} with ${JSON.stringify(headers)}`)
      assert.equal(answer.headers['content-type'], type)
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
    if (Object.values(operation.answers).some((a) => a.body !== null && 'bytes' in a.body)) continue
    const { body, headers } = harmlessBody(operation)
    const answer = await operator(`${operation.method} ${pathOf(operation)}`, {
      headers: { ...asOperator, ...headers, accept: 'image/png' },
      ...(body === undefined ? {} : { body }),
    })
    assert.match(reason(answer, 406), new RegExp(mediaTypes[operation.media].replace(/[+.]/g, '.')), operation.id)
  }
})

test('a file may be asked for by its own type', async () => {
  const files = every.filter((o) => Object.values(o.answers).some((a) => a.body !== null && 'bytes' in a.body))
  for (const operation of files) {
    const types = Object.values(operation.answers).flatMap((a) => (a.body && 'bytes' in a.body ? a.body.bytes : []))
    for (const accept of types) {
      const { status } = await operator(`${operation.method} ${pathOf(operation)}`, {
        headers: { ...asOperator, accept },
      })
      assert.notEqual(status, 406, `${operation.id} as ${accept}`)
    }
  }
})

test('every operation answers in its own type to the letter, refusals too, whoever asks', async () => {
  const anonymous = wire(server.base_url)
  const ask = async (operation: Operation, by: Send) => {
    const answer = await by(`${operation.method} ${pathOf(operation)}`, harmlessBody(operation))
    if (answer.status === 204) return
    assert.equal(answer.headers['content-type'], mediaTypes[operation.media], `${operation.id}: ${answer.status}`)
    assert.ok(answer.status < 500 || answer.status === 503, `${operation.id}: ${answer.body}`)
  }
  await Promise.all(every.flatMap((operation) => [operator, send, anonymous].map((by) => ask(operation, by))))
})
