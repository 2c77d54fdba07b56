import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, documentClient, readOnly } from '../../test/support/documents.ts'
import { lastEvent } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()
const { newNumber, newRoute, newCnam } = factories(server)
const { read, write, written, fieldErrors, assertOtherId } = documentClient(server.base_url, server.account.credentials)
const relationship = (value: string, name: string) => `/v2/numbers/${value}/relationships/${name}`

test('a number’s document can be written back unchanged, and with one attribute changed', async () => {
  const value = await newNumber({ alias: 'Front desk', state: 'WA', rate_center: 'SEATTLE' })
  await server.account.client.assignCnam({ params: { number: value, cnam_id: await newCnam() } })
  const line = `PATCH /v2/numbers/${value}`
  const original = await read(`/v2/numbers/${value}`)
  const before = (await lastEvent(server.db, 'number.changed'))?.id
  assert.deepEqual(await written(line, original), original)
  assert.equal((await lastEvent(server.db, 'number.changed'))?.id, before, 'nothing was changed')
  for (const change of [{ alias: 'Back desk' }, { cnam_lookups_enabled: true }]) {
    const current = await read(`/v2/numbers/${value}`)
    const { data } = await written(line, changed(current, change))
    assert.deepEqual(data, { ...current.data, attributes: { ...current.data.attributes, ...change } })
  }
  assert.equal((await written(`PATCH /v2/numbers/%2B${value}`, original)).data.attributes['alias'], 'Front desk')
  await assertOtherId(line, original)
})

test('a number can be written back as it appears in a list', async () => {
  const value = await newNumber()
  const { data } = await read(`/v2/numbers?starts_with=${value}`)
  const [item] = data as unknown as [typeof data] // of a list
  const sent = { data: { ...item, attributes: { ...item.attributes, alias: 'From a list' } } }
  assert.equal((await written(`PATCH /v2/numbers/${value}`, sent)).data.attributes['alias'], 'From a list')
})

test('changed read-only attributes are refused by name, together with all other errors', async () => {
  const value = await newNumber({ state: 'WA' })
  const line = `PATCH /v2/numbers/${value}`
  const original = await read(`/v2/numbers/${value}`)
  const forged = { monthly_cost: '0.0000', state: null, alias: 'x'.repeat(101), color: 'red' }
  assert.deepEqual(await fieldErrors(line, changed(original, forged)), {
    monthly_cost: [readOnly],
    state: [readOnly],
    alias: ['At most 100 characters.'],
    color: ['Is not a known field.'],
  })
  assert.deepEqual(await read(`/v2/numbers/${value}`), original)
})

test('null removes the alias, absence keeps it, and the event says what was removed', async () => {
  const value = await newNumber({ alias: 'Front desk' })
  const line = `PATCH /v2/numbers/${value}`
  const kept = await written(line, { data: { type: 'number', attributes: { cnam_lookups_enabled: true } } })
  assert.equal(kept.data.attributes['alias'], 'Front desk')
  const cleared = await written(line, changed(await read(`/v2/numbers/${value}`), { alias: null }))
  assert.equal(cleared.data.attributes['alias'], null)
  assert.deepEqual((await lastEvent(server.db, 'number.changed'))?.data, {
    from: { alias: 'Front desk' },
    to: { alias: null },
  })
})

test('a flat body may include its type with the attributes', async () => {
  const value = await newNumber()
  const line = `PATCH /v2/numbers/${value}`
  const { data } = await written(line, { type: 'number', alias: 'Flat' })
  assert.equal(data.attributes['alias'], 'Flat')
  assert.deepEqual(await fieldErrors(line, { type: 'route', alias: 5 }), {
    type: ['Must be "number".'],
    alias: ['Must be text.'],
  })
})

test('CNAM lookups are set by a boolean, or by true and false as text in any case', async () => {
  const line = `PATCH /v2/numbers/${await newNumber()}`
  const grid = [
    ['true', true],
    ['FALSE', false],
    [true, true],
    ['False', false],
    ['True', true],
    [false, false],
  ] as const
  for (const [sent, expected] of grid)
    assert.equal(
      (await written(line, { cnam_lookups_enabled: sent })).data.attributes['cnam_lookups_enabled'],
      expected,
      String(sent),
    )
  for (const sent of ['yes', '', ' true', 1, '1', null, ['true']])
    assert.deepEqual(await fieldErrors(line, { cnam_lookups_enabled: sent }), {
      cnam_lookups_enabled: ['Must be true or false.'],
    })
})

test('a relationship can be written back to another number, with the members its document had', async () => {
  const [from, to] = [await newNumber(), await newNumber()]
  const id = await newRoute()
  await server.account.client.setPrimaryRoute({ params: { number: from }, body: { data: { type: 'route', id } } })
  const { data } = await read(`/v2/numbers/${from}`)
  const members = { links: {}, meta: {}, jsonapi: { version: '1.1' }, included: [] }
  const bodies = [
    data.relationships?.['primary_route'],
    { data: { type: 'route', id }, ...members },
    { data: { type: 'route', id, links: { self: `/v2/routes/${id}` }, meta: {} } },
  ]
  for (const body of bodies) {
    assert.equal((await write(`PATCH ${relationship(to, 'failover_route')}`, body)).status, 204)
    assert.partialDeepStrictEqual((await read(`/v2/numbers/${to}`)).data.relationships, {
      failover_route: { data: { type: 'route', id: Number(id) } },
    })
    const none = { data: null, ...members }
    assert.equal((await write(`PATCH ${relationship(to, 'failover_route')}`, none)).status, 204)
    assert.deepEqual((await lastEvent(server.db, 'number.changed'))?.data, {
      from: { failover_route_id: id },
      to: { failover_route_id: null },
    })
  }
})

test('an invalid relationship is refused with every failing field, including an unknown id', async () => {
  const line = `PATCH ${relationship(await newNumber(), 'primary_route')}`
  const unknown = 'No route 999999999 is on this account.'
  assert.deepEqual(await fieldErrors(line, { data: { type: 'routes', id: 999_999_999 }, more: 1 }), {
    more: ['Is not a known field.'],
    type: ['Must be "route".'],
    id: [unknown],
  })
  assert.deepEqual(await fieldErrors(line, { data: null, more: 1 }), { more: ['Is not a known field.'] })
  assert.deepEqual(await fieldErrors(line, { data: { type: 'route', id: 'x', attributes: { alias: 'Not here' } } }), {
    id: ['Must be the ID of a route.'],
    attributes: ['Is not a known field.'],
  })
  assert.deepEqual(await fieldErrors(line, {}), { data: ['Is required.'] })
  assert.deepEqual(await fieldErrors(line, { data: 5 }), { data: ['Must be an object.'] })
  assert.deepEqual(await fieldErrors(line, []), { body: ['Must be a JSON object.'] })
})
