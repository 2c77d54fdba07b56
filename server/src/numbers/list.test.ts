import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factories } from '../../test/support/factories.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()

test('numbers are filtered by their digits and by alias, and paged', async () => {
  const account = await server.newAccount('Filters')
  const [a, b, c, d] = ['12065550100', '12065560177', '12535550100', '15035551206'] as const
  const numbers = [
    { value: a, alias: '100% West' },
    { value: b, alias: 'Warehouse_1' },
    { value: c, alias: 'west wing' },
    { value: d, alias: null },
  ].map((n) => ({ ...n, number_type: 'longcode' as const }))
  await server.operator.addNumbers({ params: { account_id: account.id }, body: { numbers } })
  const raw = rawClient(server.base_url, account)
  const values = async (query: string) => {
    const response = await raw('GET', `/v2/numbers?${query}`)
    assert.equal(response.status, 200, query)
    return ((await response.json()) as { data: { attributes: { value: string } }[] }).data.map(
      (n) => n.attributes.value,
    )
  }
  const grid: [string, string[]][] = [
    ['', [a, b, c, d]],
    ['starts_with=1206', [a, b]],
    ['starts_with=%2B1206', [a, b]],
    ['starts_with=+1206', [a, b]],
    ['starts_with=206', [a, b]],
    [`starts_with=${c.slice(1)}`, [c]],
    [`starts_with=${c}`, [c]],
    [`starts_with=${c}0`, []],
    [`starts_with=${c.slice(1)}0`, []],
    ['starts_with=2', [a, b, c]],
    ['starts_with=1', [a, b, c, d]],
    // the country code follows a +, and is always 1
    ['starts_with=%2B206', []],
    ['starts_with=+206', []],
    ['contains=1206', [a, b, d]],
    ['contains=0100', [a, c]],
    ['ends_with=0100', [a, c]],
    ['ends_with=00', [a, c]],
    ['ends_with=1206&starts_with=1503', [d]],
    ['alias=WEST', [a, c]],
    ['alias=%25', [a]],
    ['alias=_', [b]],
    ['alias=west&ends_with=0100&contains=253', [c]],
    ['alias=nobody', []],
    ['color=red&null', [a, b, c, d]],
  ]
  for (const [query, expected] of grid) assert.deepEqual(await values(query), expected, query)
  const page = await account.client.listNumbers({ query: { limit: 2, offset: 1, starts_with: '1' } })
  assert.deepEqual(
    page.body.data.map((n) => n.attributes.value),
    [b, c],
  )
  assert.deepEqual(page.body.links, {
    self: `${server.base_url}/v2/numbers?limit=2&offset=1&starts_with=1`,
    next: `${server.base_url}/v2/numbers?limit=2&offset=3&starts_with=1`,
  })
  const end = await account.client.listNumbers({ query: { limit: 2, offset: 2 } })
  assert.equal(end.body.links.next, undefined)
})

test('a list shows numbers without related resources, ten unless more are requested', async () => {
  const account = await server.newAccount('Eleven')
  const numbers = Array.from({ length: 11 }, (_, i) => ({
    value: String(15_095_550_100 + i),
    number_type: 'longcode' as const,
  }))
  await server.operator.addNumbers({ params: { account_id: account.id }, body: { numbers } })
  const { body } = await account.client.listNumbers()
  assert.equal(body.data.length, 10)
  assert.equal(body.links.next, `${server.base_url}/v2/numbers?limit=10&offset=10`)
  const [first] = body.data
  const alone = await account.client.getNumber({ params: { number: '15095550100' } })
  assert.deepEqual(first, alone.body.data)
  assert.equal((await account.client.listNumbers({ query: { limit: 200 } })).body.data.length, 11)
})

test('invalid filters are all reported together', async () => {
  assert.deepEqual(
    await fieldErrors(
      server.account.client.listNumbers({
        query: { limit: 201, offset: -1, starts_with: '12o6', contains: '1%', ends_with: '1'.repeat(16) },
      }),
    ),
    {
      limit: ['Must be at most 200.'],
      offset: ['Must be at least 0.'],
      starts_with: ['Must be digits.'],
      contains: ['Must be digits.'],
      ends_with: ['Must be digits.'],
    },
  )
})

test('numbers are filtered by their caller ID name', async () => {
  const { client } = server.account
  const { newNumber, newCnam } = factories(server)
  const [named, cnam_id] = [await newNumber(), await newCnam()]
  await newNumber()
  await client.assignCnam({ params: { number: named, cnam_id } })
  const { data } = (await client.listNumbers({ query: { cnam_id } })).body
  assert.deepEqual(
    data.map((n) => n.attributes.value),
    [named],
  )
  assert.deepEqual((await client.listNumbers({ query: { cnam_id: '999999999' } })).body.data, [])
  assert.deepEqual((await server.other.client.listNumbers({ query: { cnam_id } })).body.data, [])
  assert.deepEqual(await fieldErrors(client.listNumbers({ query: { cnam_id: 'x' } })), {
    cnam_id: ['Must be an ID: digits only.'],
  })
})
