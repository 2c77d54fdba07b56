import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadNumbers, numbersFrom, type InventoryLine } from '../../test/support/inventory.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { inTransaction } from '../platform/db.ts'
import { createAvailability, type Found } from './availability.ts'
import { setStatus } from './store.ts'

const server = await startTestServer()
const { client } = server.account

const tacoma = { rate_center: 'TACOMA', zip: '98402', monthly_cost: '0.85', setup_cost: '0' }
const lines: InventoryLine[] = [
  ...numbersFrom('12065550100', 12).map((number) => ({ number })),
  ...numbersFrom('12535550150', 3).map((number) => ({ number, ...tacoma })),
  { number: '12535550160', ...tacoma, setup_cost: '3.99' },
  { number: '14165550123', rate_center: 'TORONTO', state: 'ON', zip: '' },
  { number: '18885550127', rate_center: '', state: '', zip: '', monthly_cost: '2', resporg: 'DMC01' },
]
await loadNumbers(server, lines)
const all = lines.map(({ number }) => number)

type Query = NonNullable<Parameters<typeof client.listAvailableNumbers>[0]>['query']

const search = async (query: Query) => {
  const { data, meta } = (await client.listAvailableNumbers({ query: { limit: 200, ...query } })).body
  assert.equal(meta.total_count, data.length)
  return data.map(({ id }) => id)
}

test('every filter finds exactly the numbers that match it', async () => {
  const grid: [Query, (line: InventoryLine) => boolean][] = [
    [{}, () => true],
    [{ starts_with: '253' }, ({ number }) => number.startsWith('1253')],
    [{ starts_with: '+1253555015' }, ({ number }) => number.startsWith('1253555015')],
    [{ starts_with: '12065550100' }, ({ number }) => number === '12065550100'],
    [{ starts_with: '999' }, () => false],
    [{ contains: '01' }, ({ number }) => number.includes('01')],
    [{ contains: '1206' }, ({ number }) => number.includes('1206')],
    [{ contains: '555010' }, ({ number }) => number.includes('555010')],
    [{ contains: '7' }, ({ number }) => number.includes('7')],
    [{ contains: '123456789012' }, () => false],
    [{ ends_with: '0' }, ({ number }) => number.endsWith('0')],
    [{ ends_with: '18885550127' }, ({ number }) => number === '18885550127'],
    [{ rate_center: 'tacoma' }, ({ rate_center }) => rate_center === 'TACOMA'],
    [{ state: 'on' }, ({ state }) => state === 'ON'],
    [{ number_type: 'toll-free' }, ({ number }) => number.startsWith('1888')],
    [{ max_setup_cost: 1 }, ({ setup_cost }) => setup_cost !== '3.99'],
    [{ max_setup_cost: '0.99' }, ({ setup_cost }) => setup_cost === '0'],
    [{ max_monthly_cost: '0.85' }, ({ monthly_cost }) => monthly_cost === '0.85'],
    [{ near_zip: '98499' }, ({ zip }) => zip === '98402'],
    [{ contains: '3', ends_with: '1', starts_with: '253' }, ({ number }) => number === '12535550151'],
    [{ rate_center: 'TACOMA', max_setup_cost: '1', ends_with: '2' }, ({ number }) => number === '12535550152'],
  ]
  for (const [query, holds] of grid)
    assert.deepEqual(
      await search(query),
      lines.filter(holds).map(({ number }) => number),
      JSON.stringify(query),
    )
})

test('words are found by the letters on the keys of a telephone', async () => {
  assert.deepEqual(
    await search({ spells: 'KL1' }),
    all.filter((number) => number.includes('551')),
  )
  assert.deepEqual(
    await search({ spells: 'all' }),
    all.filter((number) => number.includes('255')),
  )
  assert.deepEqual(await search({ spells: 'zzz' }), [])
})

test('consecutive finds runs of matching numbers of at least that length', async () => {
  assert.deepEqual(await search({ consecutive: 12 }), numbersFrom('12065550100', 12))
  assert.deepEqual(await search({ consecutive: 13 }), [])
  assert.deepEqual(await search({ consecutive: 2 }), [
    ...numbersFrom('12065550100', 12),
    ...numbersFrom('12535550150', 3),
  ])
  await client.orderNumber({ params: { number: '12065550105' }, body: {} })
  assert.deepEqual(await search({ consecutive: 6 }), numbersFrom('12065550106', 6))
  assert.deepEqual(await search({ consecutive: 5 }), [
    ...numbersFrom('12065550100', 5),
    ...numbersFrom('12065550106', 6),
  ])
  await client.releaseNumber({ params: { number: '12065550105' } })
  assert.equal((await search({ consecutive: 6 })).length, 6)
})

test('pages follow each other, and each has the total', async () => {
  const found: string[] = []
  for (let offset = 0; ; offset += 7) {
    const { data, links, meta } = (await client.listAvailableNumbers({ query: { limit: 7, offset } })).body
    assert.equal(meta.total_count, all.length - 1)
    found.push(...data.map(({ id }) => id))
    if (links.next === undefined) break
  }
  assert.deepEqual(
    found,
    all.filter((number) => number !== '12065550105'),
  )
  const { body } = await client.listAvailableNumbers()
  assert.equal(body.data.length, 10)
  assert.deepEqual(body.data[0], {
    type: 'number',
    id: '12065550100',
    attributes: {
      value: '12065550100',
      number_type: 'longcode',
      rate_center: 'SEATTLE',
      lata: null,
      state: 'WA',
      monthly_cost: '1.2500',
      setup_cost: '1.0000',
      capabilities: [],
    },
    links: { related: `${server.base_url}/v2/numbers/12065550100` },
  })
})

test('area codes and exchanges with numbers for sale are listed', async () => {
  const { data, meta } = (await client.listAvailableAreaCodes({ query: { limit: 3 } })).body
  assert.equal(meta.total_count, 4)
  assert.deepEqual(
    data.map(({ type, id, attributes, links }) => [type, id, attributes.available_count, links.related]),
    [
      ['areacode', '206', 11, `${server.base_url}/v2/numbers/available/exchanges?areacode=206`],
      ['areacode', '253', 4, `${server.base_url}/v2/numbers/available/exchanges?areacode=253`],
      ['areacode', '416', 1, `${server.base_url}/v2/numbers/available/exchanges?areacode=416`],
    ],
  )
  const cheap = (await client.listAvailableAreaCodes({ query: { max_setup_cost: '0.50' } })).body.data
  assert.deepEqual(
    cheap.map(({ id }) => id),
    ['253'],
  )
  const exchanges = (await client.listAvailableExchanges({ query: { areacode: 206 } })).body.data
  assert.deepEqual(
    exchanges.map(({ type, id, links }) => [type, id, links.related]),
    [['exchange', '206555', `${server.base_url}/v2/numbers/available?starts_with=1206555`]],
  )
  assert.equal((await client.listAvailableExchanges()).body.meta.total_count, 4)
})

test('invalid filters are refused by name', async () => {
  const query = {
    starts_with: 'abc',
    state: 'Washington',
    spells: '12',
    consecutive: 1,
    max_setup_cost: 'cheap',
    limit: 201,
  }
  assert.deepEqual(Object.keys(await fieldErrors(client.listAvailableNumbers({ query }))).toSorted(), [
    'consecutive',
    'limit',
    'max_setup_cost',
    'spells',
    'starts_with',
    'state',
  ])
  assert.deepEqual(Object.keys(await fieldErrors(client.listAvailableExchanges({ query: { areacode: 12 } }))), [
    'areacode',
  ])
})

const totalOf = ({ total }: Found) => total

test('a search sees every change that was committed before it, also by another process', async () => {
  const other = createAvailability(server.db)
  const countOther = async () => await other.search({ starts_with: '1416' }, null, totalOf)
  assert.equal(await countOther(), 1)
  await client.orderNumber({ params: { number: '14165550123' }, body: {} })
  assert.equal(await countOther(), 0)
  await loadNumbers(
    server,
    ['14165550124', '14165550122', '14165550121'].map((number) => ({ number })),
  )
  const counts = await Promise.all(Array.from({ length: 5 }, countOther))
  assert.deepEqual(counts, [3, 3, 3, 3, 3])
  assert.deepEqual(await search({ starts_with: '416' }), ['14165550121', '14165550122', '14165550124'])
})

test('a transaction that ends after a later one is not missed', async () => {
  const availability = createAvailability(server.db)
  const count = async () => await availability.search({ starts_with: '1253' }, null, totalOf)
  const before = await count()
  await inTransaction(server.db, async (early) => {
    await setStatus(early, ['12535550150'], { status: 'held', status_reason: 'Test', changed_at: new Date() })
    await inTransaction(server.db, (late) =>
      setStatus(late, ['12535550151'], { status: 'held', status_reason: 'Test', changed_at: new Date() }),
    )
    assert.equal(await count(), before - 1)
  })
  assert.equal(await count(), before - 2)
})
