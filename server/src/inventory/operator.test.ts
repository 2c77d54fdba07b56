import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, dateIn } from '@demarc/client'
import { eventsOf, lastEvent } from '../../test/support/events.ts'
import { inventoryCsv, loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { fieldErrors, refusal } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { countLow } from './report-store.ts'
import { checkStock } from './stock.ts'

const server = await startTestServer({ worker: true })
const { operator } = server
const { client } = server.account

const load = async (body: string, dry_run = false) =>
  (await operator.loadInventory({ query: { dry_run }, body, content_type: 'text/csv' })).body.data
const listed = async (starts_with: string) =>
  (await operator.listInventory({ query: { starts_with, limit: 200 } })).body.data
const statusOf = async (number: string) => (await listed(number))[0]?.attributes.status
const change = async (action: 'hold' | 'recall' | 'make_available', numbers: string[]) =>
  (await operator.changeInventory({ body: { action, numbers, reason: 'For the city' } })).body.data.map(
    ({ outcome, reason }) => [outcome, reason],
  )

test('a file is reported line by line, and a dry run stores nothing', async () => {
  const header = 'number,number_type,rate_center,state,zip,monthly_cost,setup_cost,supplier,capabilities,resporg'
  const file = [
    header,
    '2065550100,,SEATTLE,wa,98101,1.25,1,own,voice  e911,',
    '+12065550101,longcode,SEATTLE,WA,98101,1.25,1.00,own,,',
    '18885550101,toll-free,,,,2.00,0,own,voice,DMC01',
    '"12065550102",longcode,"SEA, TTLE",WA,98101,1.25,1.00,own,,',
    '12069115555,,SEATTLE,WA,,1.25,1.00,own,,',
    '18885550102,longcode,,,,2.00,0,own,voice,',
    '12065550103,,,XX,9810,free,-1,,,DMC01',
    '12065550104,,SEATTLE,WA',
    '12065550105,,SEATTLE,WA,98101,1.25,1.00,own,voice,',
  ].join('\r\n')
  const dry = await load(file, true)
  assert.deepEqual([dry.read, dry.added, dry.changed, dry.unchanged, dry.rejected], [9, 5, 0, 0, 4])
  assert.deepEqual(await listed('1'), [])
  const report = await load(file)
  assert.deepEqual(report, { ...dry, dry_run: false })
  assert.deepEqual(
    report.errors.map(({ line, messages }) => [line, Object.keys(messages).toSorted()]),
    [
      [6, ['number']],
      [7, ['number_type', 'resporg']],
      [8, ['monthly_cost', 'rate_center', 'resporg', 'setup_cost', 'state', 'supplier', 'zip']],
      [9, ['line']],
    ],
  )
  const { attributes } = (await listed('12065550100'))[0] ?? assert.fail('not loaded')
  assert.partialDeepStrictEqual(attributes, {
    status: 'available',
    rate_center: 'SEATTLE',
    state: 'WA',
    capabilities: ['e911', 'voice'],
    supplier: 'own',
  })
  const again = await load(file)
  assert.deepEqual([again.added, again.changed, again.unchanged], [0, 0, 5])
  assert.deepEqual((await lastEvent(server.db, 'inventory.loaded'))?.data, { added_count: 5, changed_count: 0 })
})

test('loading a number again changes its price and keeps its status', async () => {
  const [number = ''] = numbersFrom('12535550100', 1)
  await loadNumbers(server, [{ number }])
  await client.orderNumber({ params: { number }, body: {} })
  const { changed } = await loadNumbers(server, [{ number, monthly_cost: '9.99' }])
  assert.equal(changed, 1)
  assert.equal(await statusOf(number), 'active')
  assert.equal((await client.getNumber({ params: { number } })).body.data.attributes.monthly_cost, '1.2500')
})

test('a file that cannot be read is refused', async () => {
  assert.deepEqual(await fieldErrors(load('')), { file: ['Is empty.'] })
  assert.deepEqual(await fieldErrors(load('number,color,number')), {
    header: [
      'Unknown columns: color.',
      'Missing columns: supplier, monthly_cost, setup_cost.',
      'Repeated columns: number.',
    ],
  })
  const broken = `${inventoryCsv([{ number: '12535550190' }])}\n"12535550191`
  assert.deepEqual(Object.keys(await fieldErrors(load(broken))), ['file'])
  assert.deepEqual(await listed('1253555019'), [])
  await refusal(client.loadInventory({ body: '', content_type: 'text/csv' }), 403)
})

test('held and recalled numbers are not for sale, and numbers of accounts cannot be held', async () => {
  const [free = '', owned = '', aging = ''] = numbersFrom('13605550100', 3)
  await loadNumbers(
    server,
    [free, owned, aging].map((number) => ({ number })),
  )
  await client.orderNumber({ params: { number: owned }, body: {} })
  await client.orderNumber({ params: { number: aging }, body: {} })
  await client.releaseNumber({ params: { number: aging } })
  assert.deepEqual(await change('hold', [free, owned, aging, '12125550100']), [
    ['changed', null],
    ['refused', 'Is active.'],
    ['refused', 'Is aging.'],
    ['refused', 'Is not in the inventory.'],
  ])
  assert.equal((await client.listAvailableNumbers({ query: { starts_with: '1360555' } })).body.meta.total_count, 0)
  await refusal(client.orderNumber({ params: { number: free }, body: {} }), 404)
  assert.deepEqual(await change('recall', [free, aging]), [
    ['changed', null],
    ['changed', null],
  ])
  await refusal(client.restoreNumber({ params: { number: aging } }), 404)
  assert.deepEqual(await change('make_available', [free]), [['changed', null]])
  assert.deepEqual(await change('make_available', [free]), [['unchanged', null]])
  await client.orderNumber({ params: { number: free }, body: {} })
  const body = { action: 'hold' as const, numbers: [free, free] }
  assert.deepEqual(Object.keys(await fieldErrors(operator.changeInventory({ body }))), ['numbers.1', 'reason'])
  const events = await eventsOf(server.db, 'inventory.changed', free)
  assert.equal(events.length, 3)
})

test('stock and utilization are counted by rate center and by thousands-block', async () => {
  const numbers = numbersFrom('15095550100', 60)
  await loadNumbers(
    server,
    numbers.map((number) => ({ number, rate_center: 'SPOKANE' })),
  )
  await client.createNumberOrder({ body: { numbers: numbers.slice(0, 15) } })
  await client.createNumberReservation({ body: { numbers: numbers.slice(15, 20) } })
  await change('hold', numbers.slice(20, 22))
  await client.releaseNumber({ params: { number: numbers[0] ?? '' } })
  const stock = (await operator.listInventoryStock({ query: { limit: 200, is_low: true, low_below: 39 } })).body.data
  assert.deepEqual(stock.find(({ id }) => id === 'longcode/WA/SPOKANE')?.attributes, {
    number_type: 'longcode',
    state: 'WA',
    rate_center: 'SPOKANE',
    available: 38,
    reserved: 5,
    active: 14,
    aging: 1,
    held: 2,
    ordered_30_days: 15,
    ordered_90_days: 15,
    trend: 'rising',
    ordered_per_day: '0.50',
    days_left: 76,
    runs_out_on: addDays(dateIn(server.clock.now(), server.runtime.deps.time_zone), 76),
    returning_90_days: 1,
    needed_90_days: 6,
    is_low: true,
  })
  const found = { rate_center: 'Spokane', state: 'wa', number_type: 'longcode', status: 'aging' } as const
  assert.deepEqual(
    (await operator.listInventory({ query: found })).body.data.map(({ id }) => id),
    numbers.slice(0, 1),
  )
  const { data } = (await operator.listInventoryUtilization({ query: { starts_with: '509' } })).body
  assert.deepEqual(data, [
    {
      type: 'inventory_block',
      id: '5095550',
      attributes: {
        npa: '509',
        nxx: '555',
        x: '0',
        state: 'WA',
        rate_center: 'SPOKANE',
        assigned: 14,
        intermediate: 0,
        reserved: 5,
        aging: 1,
        administrative: 2,
        available: 38,
        utilization: '23.3',
      },
    },
  ])
})

test('a rate center with few numbers is reported once, until it has enough again', async () => {
  const numbers = numbersFrom('14255550100', 6)
  await loadNumbers(
    server,
    numbers.map((number) => ({ number, rate_center: 'KIRKLAND' })),
  )
  const id = 'longcode/WA/KIRKLAND'
  const reported = async () =>
    (
      await server.db
        .selectFrom('event')
        .select(['type', 'data'])
        .where('type', 'like', 'inventory.%')
        .orderBy('id')
        .execute()
    )
      .filter(({ data }) => JSON.stringify(data).includes(id))
      .map(({ type }) => type)
  const check = () => checkStock(server.runtime.deps, 5)
  await check()
  assert.deepEqual(await reported(), [])
  await client.createNumberOrder({ body: { numbers: numbers.slice(0, 2) } })
  await Promise.all([check(), check(), check()])
  await check()
  assert.deepEqual(await reported(), ['inventory.low'])
  assert.ok((await countLow(server.db)) > 0)
  await loadNumbers(server, [{ number: '14255550106', rate_center: 'KIRKLAND' }])
  await check()
  assert.deepEqual(await reported(), ['inventory.low', 'inventory.restocked'])
  await client.orderNumber({ params: { number: '14255550106' }, body: {} })
  await check()
  assert.deepEqual(await reported(), ['inventory.low', 'inventory.restocked', 'inventory.low'])
  // a rate center without numbers to sell is not low
  await change('recall', numbers.slice(2))
  await checkStock(server.runtime.deps, 0)
  assert.equal(await countLow(server.db), 0)
})

test('numbers count as ordered once, and restored or loaded ones do not', async () => {
  const [first = '', second = '', third = ''] = numbersFrom('15415550100', 3)
  const lines = [first, second, third].map((number) => ({ number, rate_center: 'EUGENE', state: 'OR' }))
  await loadNumbers(server, lines)
  const orderedOf = async () => {
    const { data } = (await operator.listInventoryStock({ query: { limit: 200 } })).body
    const found = data.find(({ id }) => id === 'longcode/OR/EUGENE')?.attributes
    return [found?.ordered_30_days, found?.ordered_90_days]
  }
  const setOrdered = (number: string, days_ago: number) =>
    server.db
      .updateTable('inventory_number')
      .set({ ordered_at: new Date(server.clock.now().getTime() - days_ago * 86_400_000) })
      .where('number', '=', number)
      .execute()
  await client.orderNumber({ params: { number: first }, body: {} })
  assert.deepEqual(await orderedOf(), [1, 1])
  await setOrdered(first, 31)
  assert.deepEqual(await orderedOf(), [0, 1])
  await client.releaseNumber({ params: { number: first } })
  await client.restoreNumber({ params: { number: first } })
  await loadNumbers(
    server,
    lines.map((line) => ({ ...line, monthly_cost: '2.25' })),
  )
  assert.deepEqual(await orderedOf(), [0, 1])
  await setOrdered(first, 91)
  assert.deepEqual(await orderedOf(), [0, 0])
})
