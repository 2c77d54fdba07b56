import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, documentClient, readOnly } from '../../test/support/documents.ts'
import { lastEvent } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'
import { listedNumbers_max } from './rules.ts'

const server = await startTestServer()
const { client, id: account_id, credentials } = server.account
const { newNumber, newCnam } = factories(server)
const { read, write, written, fieldErrors, assertOtherId } = documentClient(server.base_url, credentials)
const operator = documentClient(server.base_url, server.operator_credentials)

const taken = ['This account already has this caller ID name.']

test('a record’s document can be written back unchanged, and with another value', async () => {
  const path = `/v2/cnams/${await newCnam('waiting')}`
  const original = await read(path)
  const before = (await lastEvent(server.db, 'cnam.changed'))?.id
  assert.deepEqual(await written(`PATCH ${path}`, original), original)
  assert.equal((await lastEvent(server.db, 'cnam.changed'))?.id, before, 'nothing was changed')
  const { data } = await written(`PATCH ${path}`, changed(original, { value: 'Other' }))
  assert.deepEqual(data.attributes, { ...original.data.attributes, value: 'OTHER' })
  await assertOtherId(`PATCH ${path}`, original)
})

test('changed read-only attributes are refused by name, together with a value that is taken', async () => {
  await client.createCnam({ body: { value: 'Taken' } })
  const path = `/v2/cnams/${await newCnam('waiting')}`
  const original = await read(path)
  const forged = changed(original, { is_approved: true, account_id, value: 'taken', color: 'red' })
  assert.deepEqual(await fieldErrors(`PATCH ${path}`, forged), {
    is_approved: [readOnly],
    account_id: [readOnly],
    value: taken,
    color: ['Is not a known field.'],
  })
  assert.deepEqual(await read(path), original)
  refused(await write('PATCH /v2/cnams/999999999', original), 409)
  const { id: _, ...nobodys } = original.data
  refused(await write('PATCH /v2/cnams/999999999', { data: nobodys }), 404)
})

test('writing back an unchanged document keeps a record approved or rejected', async () => {
  for (const status of ['approved', 'rejected'] as const) {
    const path = `/v2/cnams/${await newCnam(status)}`
    const original = await read(path)
    assert.deepEqual(await written(`PATCH ${path}`, original), original, status)
  }
})

test('a record’s document creates another record; without its id the read-only attributes are refused', async () => {
  const original = await read(`/v2/cnams/${await newCnam('waiting')}`)
  const { data } = await written('POST /v2/cnams', changed(original, { value: 'A Copy' }), 201)
  assert.notEqual(data.id, original.data.id)
  assert.equal(data.attributes['value'], 'A COPY')
  assert.deepEqual(await fieldErrors('POST /v2/cnams', original), { value: taken })
  const { id: _, ...without } = changed(original, { value: 'Another' }).data
  const shown = ['is_approved', 'approval_datetime', 'creation_datetime', 'rejection_reason', 'expected_from']
  const names = [...shown, 'expected_by'].toSorted()
  for (const copy of [without, { ...without, id: '999999999' }, { ...without, id: 'x' }])
    assert.deepEqual(Object.keys((await fieldErrors('POST /v2/cnams', { data: copy })) ?? {}).toSorted(), names)
})

test('a taken value is reported together with the body’s other errors', async () => {
  await client.createCnam({ body: { value: 'Once' } })
  const { id } = (await client.createCnam({ body: { value: 'Second' } })).body.data
  const body = { data: { type: 'name', attributes: { value: 'once', color: 'red' } } }
  for (const line of ['POST /v2/cnams', `PATCH /v2/cnams/${id}`])
    assert.deepEqual(await fieldErrors(line, body), {
      type: ['Must be "cnam".'],
      color: ['Is not a known field.'],
      value: taken,
    })
  assert.deepEqual(await fieldErrors(`PATCH /v2/cnams/${id}`, { value: 'second', color: 'red' }), {
    color: ['Is not a known field.'],
  })
})

test('a form body creates a record under the same rules', async () => {
  const send = wire(server.base_url, credentials)
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const post = (body: string) => send('POST /v2/cnams', { headers, body })
  const response = await post('value=FR+1234')
  assert.equal(response.status, 201, response.body)
  assert.partialDeepStrictEqual(response.json, { data: { attributes: { value: 'FR 1234' } } })
  assert.equal((await post('type=cnam&value=O%27Neil+%26+Sons')).status, 201)
  assert.deepEqual(refused(await post('value=fr%201234&color=red'), 422).detail, {
    color: ['Is not a known field.'],
    value: taken,
  })
  assert.deepEqual(refused(await post('value=A&value=B'), 422).detail, { value: ['Must be text.'] })
  assert.deepEqual(refused(await post(''), 422).detail, { value: ['Is required.'] })
  refused(await send('PATCH /v2/cnams/1', { headers, body: 'value=A' }), 415)
})

test('a single record shows its numbers, ascending, with a count; lists do not', async () => {
  const id = await newCnam()
  const path = `/v2/cnams/${id}`
  const related = `${server.base_url}/v2/numbers?cnam_id=${id}`
  const numbers = (values: string[]) => ({
    numbers: {
      data: values.map((value) => ({ type: 'number', id: value })),
      links: { related },
      meta: { count: values.length },
    },
  })
  assert.deepEqual((await read(path)).data.relationships, numbers([]))
  const [b, a] = [await newNumber({ value: '12065559902' }), await newNumber({ value: '12065559901' })]
  for (const number of [b, a]) await client.assignCnam({ params: { number, cnam_id: id } })
  assert.deepEqual((await read(path)).data.relationships, numbers([a, b]))
  assert.deepEqual((await operator.read(path)).data.relationships, numbers([a, b]))
  const decided = await operator.written(`PATCH /operator/cnams/${id}`, { is_approved: true })
  assert.deepEqual(decided.data.relationships, numbers([a, b]))
  const listed = (await client.listCnams()).body.data.find((record) => record.id === id)
  assert.deepEqual(Object.keys(listed ?? {}).toSorted(), ['attributes', 'id', 'links', 'type'])
})

test('a record with many numbers shows the first ones and counts all', async () => {
  const id = await newCnam()
  const values = Array.from({ length: listedNumbers_max + 1 }, (_, i) => String(12_535_550_000 + i))
  const body = { numbers: values.map((value) => ({ value, number_type: 'longcode' as const })) }
  await server.operator.addNumbers({ params: { account_id }, body })
  await server.db.updateTable('number').set({ cnam_id: id }).where('value', 'in', values).execute()
  const { numbers } = (await client.getCnam({ params: { cnam_id: id } })).body.data.relationships
  assert.deepEqual(
    numbers.data.map((number) => number.id),
    values.slice(0, listedNumbers_max),
  )
  assert.equal(numbers.meta.count, values.length)
})

test('the operator can decide by editing the document that was read', async () => {
  const id = await newCnam('waiting')
  const line = `PATCH /operator/cnams/${id}`
  const decide = async (change: Record<string, unknown>) =>
    (await operator.written(line, changed(await operator.read(`/v2/cnams/${id}`), change))).data.attributes
  assert.equal((await decide({ is_approved: true }))['is_approved'], true)
  const reason = 'The owner of the name complained.'
  const rejected = await decide({ is_approved: false, rejection_reason: reason })
  assert.deepEqual([rejected['is_approved'], rejected['rejection_reason']], [false, reason])
  assert.equal((await decide({ rejection_reason: 'Send proof.' }))['rejection_reason'], 'Send proof.')
  const last = (await lastEvent(server.db, 'cnam.rejected'))?.id
  await decide({})
  assert.equal((await lastEvent(server.db, 'cnam.rejected'))?.id, last, 'the same decision again changes nothing')
  const approved = await decide({ is_approved: true })
  assert.deepEqual([approved['is_approved'], approved['rejection_reason']], [true, null])
  await operator.assertOtherId(line, await operator.read(`/v2/cnams/${id}`))
})

test('an invalid decision is refused with every failing field, including the reason', async () => {
  const id = await newCnam('waiting')
  const line = `PATCH /operator/cnams/${id}`
  const original = await operator.read(`/v2/cnams/${id}`)
  assert.deepEqual(await operator.fieldErrors(line, changed(original, { value: 'ANOTHER', color: 'red' })), {
    value: [readOnly],
    color: ['Is not a known field.'],
    rejection_reason: ['Required for a rejection: tell the customer what to change.'],
  })
  const both = { type: 'name', is_approved: true, rejection_reason: 'Nice name.' }
  assert.deepEqual(await operator.fieldErrors(line, both), {
    type: ['Must be "cnam".'],
    rejection_reason: ['Only a rejection can have a reason.'],
  })
  assert.deepEqual(await operator.fieldErrors(line, { is_approved: 'yes', rejection_reason: '' }), {
    is_approved: ['Must be true or false.'],
    rejection_reason: ['Must not be empty.'],
  })
})
