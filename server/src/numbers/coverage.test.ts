import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { e911Coverage } from '@demarc/client'
import { eventually } from '../../test/support/eventually.ts'
import { factories } from '../../test/support/factories.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'

/** Gaps in an account's emergency addresses. */

const server = await startTestServer({ worker: true })
const { newAddress, newNumber } = factories(server)
await loadTown(server)

const coverageOf = async ({ client }: TestAccount, query: { gap?: e911Coverage.E911Gap; limit?: number } = {}) =>
  (await client.listE911Coverage({ query })).body
const gapsOf = async (account: TestAccount, query: Parameters<typeof coverageOf>[1] = {}) =>
  (await coverageOf(account, query)).data.map(({ id, attributes: { gap } }) => `${gap} ${id}`)

const later = () => server.clock.advanceTo(new Date(server.clock.now().getTime() + 1000))

test('an active long code without an address is a gap until it has one', async () => {
  const account = await server.newAccount('Numbers')
  const [bare, covered] = [await newNumber({}, account), await newNumber({}, account)]
  await newNumber({ value: '18005550199', number_type: 'toll-free' }, account)
  const e911_id = await newAddress({}, account)
  await account.client.assignE911({ params: { number: covered, e911_id } })
  const found = await coverageOf(account)
  assert.deepEqual(
    found.data.map(({ type, id, attributes }) => ({ type, id, attributes })),
    [{ type: 'number', id: bare, attributes: { gap: 'no_address', value: bare, alias: null } }],
  )
  assert.equal(found.data[0]?.links.self, `${server.base_url}/v2/numbers/${bare}`)
  assert.deepEqual(found.meta, {
    numbers: 2,
    addresses: 1,
    no_address: 1,
    below_level: 0,
    recheck_due: 0,
    no_unit: 0,
    level_required: 'street',
  })
  const list = async (query: { has_e911: boolean; number_type?: 'longcode' | 'toll-free' }) =>
    (await account.client.listNumbers({ query })).body.data.map(({ attributes: { value } }) => value)
  assert.deepEqual(await list({ has_e911: true }), [covered])
  assert.deepEqual(await list({ has_e911: false }), [bare, '18005550199'])
  assert.deepEqual(await list({ has_e911: false, number_type: 'longcode' }), [bare])
  await account.client.assignE911({ params: { number: bare, e911_id } })
  assert.deepEqual((await coverageOf(account)).data, [])
})

test('an address validated only by postal code is below the required level', async () => {
  const account = await server.newAccount('Levels')
  await newAddress({}, account)
  const postal = await newAddress({ city: 'Seattle', state: 'WA', zip: '98101', street_name: 'Pine St' }, account)
  assert.deepEqual(await gapsOf(account), [`below_level ${postal}`])
  const { data } = (await account.client.listE911s({ query: { level: 'postal' } })).body
  assert.deepEqual(
    data.map(({ id }) => id),
    [postal],
  )
})

test('an address without a unit is a gap when another address at the same house number has one', async () => {
  const account = await server.newAccount('Units')
  const other = await server.newAccount('Neighbors')
  const house = await newAddress({}, account)
  assert.deepEqual(await gapsOf(account), [])
  await newAddress({ address_type: 'Suite', address_type_number: '2' }, other)
  assert.deepEqual(await gapsOf(account), [])
  await newAddress({ address_type: 'Suite', address_type_number: '2' }, account)
  assert.deepEqual(await gapsOf(account), [`no_unit ${house}`])
  assert.deepEqual(await gapsOf(account, { gap: 'no_unit' }), [`no_unit ${house}`])
  assert.deepEqual(await gapsOf(account, { gap: 'no_address' }), [])
})

test('an address is due for review when changed data no longer confirms it', async () => {
  const account = await server.newAccount('Changes')
  const kept = await newAddress({}, account)
  const [header, row] = ['NUMBER,STREET,CITY,REGION,POSTCODE', '7,Wallflower Way,Boise,ID,83702']
  const vintage = async (name: string, body: string) => {
    await later()
    const query = { name: 'Boise', vintage: name, format: 'openaddresses-csv', authority: 'authoritative' } as const
    const { id } = (
      await server.operator.importE911Dataset({ query: { ...query, activate: 'true' }, body, content_type: 'text/csv' })
    ).body.data
    const dataset = async () => (await server.operator.getE911Dataset({ params: { dataset_id: id } })).body.data
    await eventually(async () => (await dataset()).attributes.status === 'active')
  }
  const streets = Array.from(
    { length: 40 },
    (_, i) => `${i + 1},Ivory ${String.fromCharCode(97 + (i % 26))}${i} St,Boise,ID,83702`,
  )
  await vintage('1', [header, row, ...streets].join('\n'))
  await later()
  const gone = await newAddress(
    {
      street_number: '7',
      street_name: 'Wallflower Way',
      city: 'Boise',
      state: 'ID',
      zip: '83702',
    },
    account,
  )
  await eventually(async () => (await gapsOf(account)).length === 0)
  await vintage('2', [header, ...streets].join('\n'))
  assert.ok((await gapsOf(account, { gap: 'recheck_due' })).includes(`recheck_due ${gone}`))
  // the job confirms one address, and can't confirm the other
  await eventually(async () => !(await gapsOf(account)).includes(`recheck_due ${kept}`))
  assert.deepEqual(await gapsOf(account), [`recheck_due ${gone}`])
  const due = async (recheck_due: boolean) =>
    (await account.client.listE911s({ query: { recheck_due } })).body.data.map(({ id }) => id)
  assert.deepEqual([await due(true), await due(false)], [[gone], [kept]])
})

test('the list is paged and shows only its own account', async () => {
  const account = await server.newAccount('Pages')
  const numbers = [await newNumber({}, account), await newNumber({}, account), await newNumber({}, account)]
  const first = await coverageOf(account, { limit: 2 })
  assert.deepEqual(
    first.data.map(({ id }) => id),
    numbers.slice(0, 2),
  )
  assert.match(first.links.next ?? '', /\/v2\/e911s\/coverage\?limit=2&offset=2$/)
  assert.equal(first.meta.no_address, 3)
  const stranger = await server.newAccount('Strangers')
  const nothing = await coverageOf(stranger)
  assert.deepEqual(nothing.data, [])
  assert.deepEqual([nothing.meta.numbers, nothing.meta.addresses], [0, 0])
})
