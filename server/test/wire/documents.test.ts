import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envelope, operation, type Operation } from '@demarc/client'
import { z } from 'zod'
import { bind } from '../../src/platform/http/binding.ts'
import { problem } from '../../src/platform/problem.ts'
import { startBareServer } from '../support/bare-server.ts'
import { startTestServer } from '../support/server.ts'
import { reason, refused, wire, type WireResponse } from '../support/wire.ts'

/**
 * Documents as bodies: an operation on a lamp whose `name` and `watts` are writable, and whose `lit` and `hours` are read-only.
 */

const server = await startTestServer()

const attributes = z.strictObject({
  name: z.string().optional(),
  watts: z.int().optional(),
  sockets: z.array(z.strictObject({ 'a/b~c': z.int() })).optional(),
})
const shows = z.object({ ...attributes.shape, lit: z.boolean(), hours: z.array(z.int()) })
const lamp = { name: 'Desk', watts: 7, lit: true, hours: [8, 20] }

const received: unknown[] = []
const common = {
  feature: 'accounts',
  summary: 'Change a lamp',
  media: 'json',
  principals: ['operator'],
  access: 'write',
  responses: { 204: { description: 'Changed.', body: null } },
  problems: ['invalid-input', 'conflict'],
  effect: 'own',
} as const satisfies Partial<Operation>
const params = z.object({ lamp_id: z.string() })

const changeLamp = operation({
  ...common,
  id: 'changeLamp',
  endpoint: 'PATCH /lamps/{lamp_id}',
  params,
  body: envelope('lamp', attributes, { flat: true, shows }),
})
const createLamp = operation({ ...changeLamp, id: 'createLamp', endpoint: 'POST /lamps', params: z.object({}) })
const wrappedLamp = operation({
  ...changeLamp,
  id: 'wrappedLamp',
  endpoint: 'PATCH /wrapped/{lamp_id}',
  body: envelope('lamp', attributes, { shows }),
  fieldErrors: 'sentences',
})
const formLamp = operation({
  ...createLamp,
  id: 'formLamp',
  endpoint: 'POST /forms',
  form: true,
  body: z.strictObject({ names: z.union([z.string(), z.array(z.string())]), watts: z.string().optional() }),
})

const keep = async ({ body }: { body: unknown }) => {
  received.push(body)
  return { body: undefined }
}
const checks = {
  current: async (_: unknown, id: string) => (id === '7' ? lamp : null),
  check: async (_: unknown, { name }: { name?: string | undefined }): Promise<Record<string, string[]>> =>
    name === 'Taken' ? { name: ['Is used by another lamp.'] } : {},
}
const base_url = await startBareServer(server.runtime, [
  bind(changeLamp, keep, checks),
  bind(createLamp, keep, checks),
  bind(wrappedLamp, keep, checks),
  bind(formLamp, keep),
])
const raw = wire(base_url)
const send = (line: string, body: unknown) =>
  raw(line, { headers: { authorization: 'operator' }, body: JSON.stringify(body) })

/** Asserts that the body was accepted and returns what the handler received. */
function accepted(response: WireResponse): unknown {
  assert.equal(response.status, 204, response.body)
  return received.pop()
}
const fields = (response: WireResponse) => refused(response, 422).detail

test('members of a document that a request cannot write are ignored', async () => {
  const links = { self: 'https://elsewhere.example/lamps/7' }
  const relationships = { room: { data: { type: 'room', id: 1 } } }
  const data = { type: 'lamp', id: '7', attributes: { watts: 9 }, links, relationships, meta: { seen: true } }
  const document = { data, links, included: [{ type: 'room' }], meta: { page: 1 }, jsonapi: { version: '1.1' } }
  for (const line of ['PATCH /lamps/7', 'POST /lamps', 'PATCH /wrapped/7'])
    assert.deepEqual(accepted(await send(line, document)), { watts: 9 }, line)
  for (const nothing of [null, [], 'text', 1]) {
    const odd = { data: { ...data, links: nothing, meta: nothing }, links: nothing, included: nothing, meta: nothing }
    assert.deepEqual(accepted(await send('PATCH /lamps/7', odd)), { watts: 9 })
  }
})

test('a body for a different object than the path is a 409, even if it has other errors', async () => {
  for (const data of [
    { type: 'lamp', id: '8', attributes: { watts: 9 } },
    { type: 'lamp', id: 8, attributes: { watts: 9 } },
    { type: 'chair', id: '8', attributes: { watts: 'x', lit: 'maybe' } },
  ])
    assert.match(reason(await send('PATCH /lamps/7', { data }), 409), /has the id 8, but the path has 7/)
  for (const id of ['7', 7, null])
    assert.deepEqual(accepted(await send('PATCH /lamps/7', { data: { type: 'lamp', id, attributes: {} } })), {})
  assert.deepEqual(fields(await send('PATCH /lamps/7', { data: { type: 'lamp', id: [7], attributes: {} } })), {
    id: ['Must be text.'],
  })
})

test('read-only attributes are accepted unchanged, and refused by name otherwise', async () => {
  const documentWith = (changes: object) => ({ data: { type: 'lamp', id: '7', attributes: { ...lamp, ...changes } } })
  const message = ['Is read-only. Omit it, or send its current value.']
  for (const line of ['PATCH /lamps/7', 'POST /lamps']) {
    assert.deepEqual(accepted(await send(line, documentWith({ watts: 9 }))), { name: 'Desk', watts: 9 })
    for (const lit of [false, null, 'true', 1])
      assert.deepEqual(fields(await send(line, documentWith({ lit }))), { lit: message })
    assert.deepEqual(fields(await send(line, documentWith({ lit: false, hours: [20, 8], nonsense: 1 }))), {
      nonsense: ['Is not a known field.'],
      lit: message,
      hours: message,
    })
  }
  // they have no current value to repeat
  assert.deepEqual(fields(await send('POST /lamps', { data: { type: 'lamp', attributes: lamp } })), {
    lit: message,
    hours: message,
  })
  assert.deepEqual(fields(await send('PATCH /lamps/9', { lit: true })), { lit: message })
})

test('bare attributes are read with and without their type, where they are flat', async () => {
  for (const type of [{}, { type: 'lamp' }])
    assert.deepEqual(accepted(await send('PATCH /lamps/7', { ...type, name: 'Hall', lit: true })), { name: 'Hall' })
  assert.deepEqual(fields(await send('PATCH /lamps/7', { type: 'chair', watts: 'x' })), {
    type: ['Must be "lamp".'],
    watts: ['Must be a number.'],
  })
  const [error] = (await send('PATCH /wrapped/7', { type: 'lamp', name: 'Hall' })).errors
  assert.deepEqual([error?.status, error?.detail], [422, 'type: is not a known field.'])
})

test('all failing fields are reported together: envelope, shape, read-only, and lookups', async () => {
  const data = { type: 'chair', extra: 1, attributes: { name: 'Taken', watts: 'x', color: 'red', lit: false } }
  assert.deepEqual(fields(await send('PATCH /lamps/7', { data, more: 2 })), {
    more: ['Is not a known field.'],
    extra: ['Is not a known field.'],
    type: ['Must be "lamp".'],
    watts: ['Must be a number.'],
    color: ['Is not a known field.'],
    lit: ['Is read-only. Omit it, or send its current value.'],
    name: ['Is used by another lamp.'],
  })
})

test('a field with an invalid shape is not looked up, and a failed lookup does not hide shape errors', async () => {
  const failing = {
    current: checks.current,
    check: async () => Promise.reject(problem('conflict', 'The lamp is off.')),
  }
  const url = await startBareServer(server.runtime, [bind(changeLamp, keep, failing)])
  const response = await wire(url)('PATCH /lamps/7', {
    headers: { authorization: 'operator' },
    body: '{"name":1,"watts":"x"}',
  })
  assert.deepEqual(fields(response), { name: ['Must be text.'], watts: ['Must be a number.'] })
})

test('a pointer escapes the slashes and tildes of a field name', async () => {
  const response = await send('PATCH /wrapped/7', {
    data: { type: 'lamp', attributes: { 'x/~y': 1, '~1': 2, sockets: [{ 'a/b~c': 1 }, { 'a/b~c': 'x' }] } },
  })
  assert.equal(response.status, 422)
  assert.deepEqual(response.errors.map(({ source }) => source?.pointer).toSorted(), [
    '/data/attributes/sockets/1/a~1b~0c',
    '/data/attributes/x~1~0y',
    '/data/attributes/~01',
  ])
})

test('a form is read where it is declared, and repeated names are lists', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const post = (body: string | Buffer, line = 'POST /forms') =>
    raw(line, { headers: { authorization: 'operator', ...type }, body })
  const grid: [string, unknown][] = [
    ['names=Desk', { names: 'Desk' }],
    ['names=Desk&names=Hall&watts=7', { names: ['Desk', 'Hall'], watts: '7' }],
    ['names[]=Desk', { names: ['Desk'] }],
    ['names[0]=Desk&names[1]=Hall', { names: ['Desk', 'Hall'] }],
    ['names%5B%5D=Desk+%26+Hall&names%5B%5D=%C3%9C', { names: ['Desk & Hall', 'Ü'] }],
  ]
  for (const [body, expected] of grid) assert.deepEqual(accepted(await post(body)), expected, body)
  assert.deepEqual(fields(await post('watts=1&color=red')), {
    names: ['Is required.'],
    color: ['Is not a known field.'],
  })
  assert.equal(reason(await post(Buffer.from('names=\xff', 'latin1')), 400), 'The body is not UTF-8.')
  assert.deepEqual(fields(await post('__proto__=1&names=x')), { ['__proto__']: ['Is not a known field.'] })
  assert.match(reason(await post('names=Desk', 'POST /lamps'), 415), /application\/json/)
})

test('links keep the query keys that the operation reads, and no others', async () => {
  for (const value of ['LAMP A', 'LAMP B', 'LAMP C']) await server.account.client.createCnam({ body: { value } })
  const get = async (query: string) => {
    const response = await wire(server.base_url, server.account.credentials)(`GET /v2/cnams${query}`)
    return (response.json as { links: { self: string; next?: string } }).links
  }
  const at = `${server.base_url}/v2/cnams`
  assert.deepEqual(await get('?stray=1&value=lamp&limit=1&__proto__=2&offset='), {
    self: `${at}?value=lamp&limit=1&offset=0`,
    next: `${at}?value=lamp&limit=1&offset=1`,
  })
  assert.deepEqual(await get('/?x=%00&value='), { self: at })
})
