import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastEvent } from '../../test/support/events.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()

const { client, id: account_id } = server.account
let names = 0
const newCnam = async (value = `Name ${++names}`) => (await client.createCnam({ body: { value } })).body.data
const approve = async (id: string) =>
  server.operator.decideCnam({ params: { cnam_id: id }, body: { is_approved: true } })
const reject = async (id: string, rejection_reason = 'Send proof that the name is yours.') =>
  server.operator.decideCnam({ params: { cnam_id: id }, body: { is_approved: false, rejection_reason } })

let numbers = 12_065_550_200
/** Numbers of the account that have the name. */
async function numbersWith(cnam_id: string, count: number): Promise<string[]> {
  const values = Array.from({ length: count }, () => String(++numbers))
  await server.operator.addNumbers({
    params: { account_id },
    body: { numbers: values.map((value) => ({ value, number_type: 'longcode' })) },
  })
  for (const number of values) await client.assignCnam({ params: { number, cnam_id } })
  return values
}
const nameOf = async (number: string) =>
  (await client.getNumber({ params: { number } })).body.data.relationships.cnam_preset.data

test('a record is created from either body form, in upper case, pending approval', async () => {
  const raw = rawClient(server.base_url, server.account)
  const grid = [
    [{ value: 'Harbor Dental' }, 'HARBOR DENTAL'],
    [{ data: { type: 'cnam', attributes: { value: `O'Neil & Sons` } } }, `O'NEIL & SONS`],
  ] as const
  for (const [body, value] of grid) {
    const before = server.clock.now()
    const response = await raw('POST', '/v2/cnams', body, { 'content-type': 'application/vnd.api+json' })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
    const made = (await response.json()) as { data: { id: string; attributes: { creation_datetime: string } } }
    const { id, attributes } = made.data
    assert.equal(typeof id, 'string')
    assert.deepEqual(made, {
      data: {
        type: 'cnam',
        id,
        attributes: {
          value,
          is_approved: false,
          approval_datetime: null,
          creation_datetime: attributes.creation_datetime,
          rejection_reason: null,
          expected_from: null,
          expected_by: null,
        },
        links: { self: `${server.base_url}/v2/cnams/${id}` },
        relationships: {
          numbers: { data: [], links: { related: `${server.base_url}/v2/numbers?cnam_id=${id}` }, meta: { count: 0 } },
        },
      },
      links: { self: `${server.base_url}/v2/cnams/${id}` },
    })
    assert.match(attributes.creation_datetime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(new Date(attributes.creation_datetime) >= before)
    assert.deepEqual((await client.getCnam({ params: { cnam_id: id } })).body, made)
    const event = await lastEvent(server.db, 'cnam.created')
    assert.deepEqual([event?.chain_id, event?.subject_id, event?.data], [account_id, id, { value }])
  }
})

test('an invalid name is refused with every reason', async () => {
  assert.deepEqual(await fieldErrors(client.createCnam({ body: { value: '+1 206 555 0100 !' } })), {
    value: [
      'At most 15 characters; this has 17.',
      `Only letters, digits, space and - _ . , @ + & ' / " are shown by telephones.`,
      'Must contain at least one letter.',
      'Must not look like a telephone number.',
    ],
  })
  const raw = rawClient(server.base_url, server.account)
  const details = async (body: unknown) => {
    const response = await raw('POST', '/v2/cnams', body)
    assert.equal(response.status, 422)
    return ((await response.json()) as { errors: { detail: unknown }[] }).errors[0]?.detail
  }
  assert.deepEqual(await details({}), { value: ['Is required.'] })
  assert.deepEqual(await details({ value: 5, color: 1 }), {
    value: ['Must be text.'],
    color: ['Is not a known field.'],
  })
  assert.deepEqual(await details({ data: { type: 'cnam', attributes: {} } }), { value: ['Is required.'] })
  assert.deepEqual(await details({ data: { type: 'name', attributes: { value: 'OK' } } }), {
    type: ['Must be "cnam".'],
  })
})

test('a name is unique within an account, ignoring case, but not across accounts', async () => {
  const { attributes } = await newCnam('Only Once')
  const taken = { value: ['This account already has this caller ID name.'] }
  assert.deepEqual(await fieldErrors(client.createCnam({ body: { value: 'ONLY once' } })), taken)
  const { id } = await newCnam()
  assert.deepEqual(
    await fieldErrors(client.updateCnam({ params: { cnam_id: id }, body: { value: 'only once' } })),
    taken,
  )
  assert.equal((await server.other.client.createCnam({ body: { value: attributes.value } })).status, 201)
})

test('of two concurrent requests for the same name, one succeeds', async () => {
  const both = await Promise.allSettled([1, 2].map(() => client.createCnam({ body: { value: 'Wanted Twice' } })))
  assert.deepEqual(both.map((b) => b.status).toSorted(), ['fulfilled', 'rejected'])
  for (const b of both) if (b.status === 'rejected') assert.equal((b.reason as { status: number }).status, 422)
})

test('approval sets its time and the expected dates once', async () => {
  const { id } = await newCnam()
  const before = server.clock.now()
  const { status, body, headers } = await approve(id)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json')
  const { is_approved, approval_datetime, expected_from, expected_by, rejection_reason } = body.data.attributes
  assert.deepEqual([is_approved, rejection_reason], [true, null])
  assert.ok(approval_datetime !== null && new Date(approval_datetime) >= before)
  assert.ok(expected_from !== null && expected_by !== null && expected_from < expected_by)
  assert.equal((await lastEvent(server.db, 'cnam.approved'))?.subject_id, id)
  assert.deepEqual((await approve(id)).body, body, 'approving again changes nothing')
  const raw = rawClient(server.base_url, server.account)
  const seen = await (await raw('GET', `/v2/cnams/${id}`)).json()
  const { account_id: _id, account_name: _name, ...attributes } = body.data.attributes
  assert.deepEqual(seen, { ...body, data: { ...body.data, attributes } }, 'the account holder sees the same of it')
})

test('a rejection requires a reason, and an approval refuses one', async () => {
  const { id } = await newCnam()
  const params = { cnam_id: id }
  for (const body of [
    { is_approved: false },
    { is_approved: false, rejection_reason: '' },
    { is_approved: false, rejection_reason: null },
    { is_approved: true, rejection_reason: 'Nice name.' },
    { is_approved: false, rejection_reason: 'a\u0000b' },
  ])
    assert.deepEqual(Object.keys(await fieldErrors(server.operator.decideCnam({ params, body }))), ['rejection_reason'])
  const { body } = await reject(id, 'Not your name.')
  assert.partialDeepStrictEqual(body.data.attributes, { is_approved: false, rejection_reason: 'Not your name.' })
  assert.deepEqual((await lastEvent(server.db, 'cnam.rejected'))?.data, {
    value: body.data.attributes.value,
    rejection_reason: 'Not your name.',
  })
  await refusal(client.decideCnam({ params, body: { is_approved: true } }), 403)
  await refusal(server.operator.decideCnam({ params: { cnam_id: '999999' }, body: { is_approved: true } }), 404)
})

test('changing a rejected name makes it pending again', async () => {
  const { id } = await newCnam('Rejected One')
  await reject(id)
  const { body } = await client.updateCnam({ params: { cnam_id: id }, body: { value: 'Better One' } })
  assert.partialDeepStrictEqual(body.data.attributes, {
    value: 'BETTER ONE',
    is_approved: false,
    rejection_reason: null,
  })
  assert.partialDeepStrictEqual((await lastEvent(server.db, 'cnam.changed'))?.data, {
    from: { value: 'REJECTED ONE', rejection_reason: 'Send proof that the name is yours.' },
    to: { value: 'BETTER ONE', rejection_reason: null },
  })
})

test('an approved name cannot be changed', async () => {
  const { id } = await newCnam()
  await approve(id)
  const refused = client.updateCnam({ params: { cnam_id: id }, body: { value: 'Other Name' } })
  assert.match(await sentence(refused, 409), /is approved and can no longer be changed\. Create another/)
})

test('a withdrawn name is cleared from its numbers, and can be changed and approved again', async () => {
  const { id } = await newCnam()
  await approve(id)
  const values = await numbersWith(id, 2)
  assert.deepEqual(await nameOf(values[0] ?? ''), { type: 'cnam', id: Number(id) })
  const { body } = await reject(id, 'The owner of the name complained.')
  assert.partialDeepStrictEqual(body.data.attributes, {
    is_approved: false,
    approval_datetime: null,
    expected_by: null,
    rejection_reason: 'The owner of the name complained.',
  })
  for (const value of values) assert.equal(await nameOf(value), null)
  assert.partialDeepStrictEqual((await lastEvent(server.db, 'cnam.withdrawn'))?.data, {
    numbers_count: 2,
    numbers: values,
  })
  assert.equal((await client.updateCnam({ params: { cnam_id: id }, body: { value: 'Own Name' } })).status, 200)
  assert.equal((await approve(id)).body.data.attributes.is_approved, true)
})

test('deleting a record clears it from its numbers; deleting it again is 404', async () => {
  const { id } = await newCnam()
  await approve(id)
  const values = await numbersWith(id, 2)
  const params = { cnam_id: id }
  const { status, body } = await client.deleteCnam({ params })
  assert.deepEqual([status, body], [204, undefined])
  for (const value of values) assert.equal(await nameOf(value), null)
  assert.partialDeepStrictEqual((await lastEvent(server.db, 'cnam.deleted'))?.data, {
    numbers_count: 2,
    numbers: values,
  })
  assert.match(await sentence(client.deleteCnam({ params }), 404), /nothing to delete/)
  await refusal(client.getCnam({ params }), 404)
})

test('a record of another account looks like one that does not exist', async () => {
  const { id } = await newCnam()
  const stranger = server.other.client
  for (const request of [
    (cnam_id: string) => stranger.getCnam({ params: { cnam_id } }),
    (cnam_id: string) => stranger.updateCnam({ params: { cnam_id }, body: { value: 'Mine' } }),
    (cnam_id: string) => stranger.deleteCnam({ params: { cnam_id } }),
  ]) {
    const [a, b] = [await sentence(request(id), 404), await sentence(request('999999999'), 404)]
    assert.equal(a.replace(id, 'N'), b.replace('999999999', 'N'))
  }
  assert.equal((await client.getCnam({ params: { cnam_id: id } })).status, 200)
  const raw = rawClient(server.base_url, server.other)
  for (const path of ['abc', '1.5', '-1', '9'.repeat(30), '%00'])
    assert.equal((await raw('DELETE', `/v2/cnams/${path}`)).status, 404, path)
})

test('a read-only key cannot change names', async () => {
  const reader = await server.newAccount('Reader', ['cnams:read'])
  assert.equal((await reader.client.listCnams()).status, 200)
  await refusal(reader.client.createCnam({ body: { value: 'Name' } }), 403)
  await refusal(reader.client.deleteCnam({ params: { cnam_id: '1' } }), 403)
  assert.equal((await rawClient(server.base_url)('GET', '/v2/cnams')).status, 401)
})
