import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastEvent } from '../../test/support/events.ts'
import { loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { untilBlocked } from '../../test/support/locks.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { setPriceClass } from './prices.ts'

const server = await startTestServer({ worker: true })
const { account, operator, other } = server

const setPrice = async (price_class: string, monthly_cost: string, setup_cost = '1.00') =>
  (await operator.setPriceClass({ params: { price_class }, body: { monthly_cost, setup_cost } })).body.data
const setAccountPrice = async (price_class: string, monthly_cost: string) =>
  await operator.setAccountPrice({
    params: { account_id: account.id, price_class },
    body: { monthly_cost, setup_cost: '0' },
  })

let block = 0
/** New numbers of a class, of another exchange each time. */
async function newNumbers(price_class: string, count: number): Promise<string[]> {
  const numbers = numbersFrom(`1208${556 + block++}0100`, count)
  const report = await loadNumbers(
    server,
    numbers.map((number) => ({ number, price_class, monthly_cost: '', setup_cost: '' })),
  )
  assert.equal(report.rejected, 0, JSON.stringify(report.errors))
  return numbers
}

const found = async (query: object, { client }: TestAccount = account) => {
  const { data, meta } = (await client.listAvailableNumbers({ query })).body
  const prices = new Set(data.map(({ attributes }) => `${attributes.monthly_cost} ${attributes.setup_cost}`))
  return { total: meta.total_count, prices: [...prices] }
}

test('numbers of a class cost what the class says, from the moment it changes', async () => {
  const { attributes } = await setPrice('gold', '5', '10.5')
  assert.deepEqual([attributes.monthly_cost, attributes.setup_cost], ['5.0000', '10.5000'])
  const [first = '', second = ''] = await newNumbers('gold', 3)
  const query = { starts_with: first.slice(0, 7) }
  assert.deepEqual(await found(query), { total: 3, prices: ['5.0000 10.5000'] })
  assert.deepEqual((await found({ ...query, max_monthly_cost: '4.9999' })).total, 0)
  const { body } = await account.client.orderNumber({
    params: { number: first },
    body: { monthly_cost: '5.00', setup_cost: '10.50' },
  })

  await setPrice('gold', '4.99', '0')
  assert.deepEqual(await found(query), { total: 2, prices: ['4.9900 0.0000'] })
  assert.equal((await found({ ...query, max_monthly_cost: '4.9999', max_setup_cost: '0' })).total, 2)
  const late = { params: { number: second }, body: { monthly_cost: '5', setup_cost: '10.50' } }
  assert.match(await sentence(account.client.orderNumber(late), 409), /now \$4\.99 a month and \$0\.00 once/)
  const many = { numbers: [second], monthly_cost: '5' }
  assert.match(await sentence(account.client.createNumberOrder({ body: many }), 409), /\$4\.99 a month/)
  assert.ok(body.data.type === 'number')
  const kept = (await account.client.getNumber({ params: { number: first } })).body.data
  assert.equal(kept.attributes.monthly_cost, '5.0000')
  assert.equal(
    (await operator.listInventory({ query: { starts_with: second } })).body.data[0]?.attributes.price_class,
    'gold',
  )

  const event = await lastEvent(server.db, 'price_class.changed')
  assert.deepEqual(
    [event?.chain_id, event?.data],
    [
      '0',
      { monthly_cost: '4.9900', setup_cost: '0.0000', monthly_cost_before: '5.0000', setup_cost_before: '10.5000' },
    ],
  )
  assert.deepEqual(
    (await operator.listPriceClasses()).body.data.map(({ id }) => id),
    ['gold'],
  )
})

test('an account searches and orders at its own price, and others do not', async () => {
  await setPrice('vanity', '8')
  const numbers = await newNumbers('vanity', 4)
  const query = { starts_with: numbers[0]?.slice(0, 7) ?? '' }
  await setAccountPrice('vanity', '7.1234')
  assert.deepEqual(await found(query), { total: 4, prices: ['7.1234 0.0000'] })
  assert.deepEqual(await found(query, other), { total: 4, prices: ['8.0000 1.0000'] })
  assert.equal((await found({ ...query, max_monthly_cost: '7.1234' })).total, 4)
  assert.equal((await found({ ...query, max_monthly_cost: '7.1234' }, other)).total, 0)
  const codes = async (each: TestAccount) =>
    (await each.client.listAvailableExchanges({ query: { areacode: 208, max_setup_cost: '0.5' } })).body.data.map(
      ({ id }) => id,
    )
  assert.ok((await codes(account)).includes(query.starts_with.slice(1)))
  assert.ok(!(await codes(other)).includes(query.starts_with.slice(1)))

  const filters = { ...query, max_monthly_cost: '7.5' }
  const two = { quantity: 2, filters, monthly_cost: '14.2468', setup_cost: '0' }
  const { attributes } = (await account.client.createNumberOrder({ body: two })).body.data
  assert.deepEqual([attributes.ordered_count, attributes.monthly_cost, attributes.setup_cost], [2, '14.2468', '0.0000'])
  assert.deepEqual(
    (await other.client.createNumberOrder({ body: { quantity: 2, filters } })).body.data.attributes.ordered_count,
    0,
  )
  const [, , , last = ''] = numbers
  const expected = { params: { number: last }, body: { monthly_cost: '7.1234' } }
  assert.match(await sentence(other.client.orderNumber(expected), 409), /now \$8\.00 a month/)

  const { data } = (await operator.listAccountPrices({ params: { account_id: account.id } })).body
  assert.deepEqual(data.find(({ id }) => id === 'vanity')?.attributes, {
    monthly_cost: '7.1234',
    setup_cost: '0.0000',
    list_monthly_cost: '8.0000',
    list_setup_cost: '1.0000',
    is_negotiated: true,
  })
  const params = { account_id: account.id, price_class: 'vanity' }
  await operator.removeAccountPrice({ params })
  await refusal(operator.removeAccountPrice({ params }), 404)
  assert.deepEqual((await found(query)).prices, ['8.0000 1.0000'])
  assert.equal((await lastEvent(server.db, 'account_price.removed'))?.chain_id, account.id)
})

test('a price that changes while an order waits for a number is the price of the order', async () => {
  await setPrice('contested', '3')
  const [number = ''] = await newNumbers('contested', 1)
  const body = { monthly_cost: '3', setup_cost: '1' }
  // the order has read the number's row with the old price when the change commits
  const early = await inTransaction(server.db, async (tx) => {
    await tx.selectFrom('inventory_number').select('number').where('number', '=', number).forUpdate().execute()
    const ordered = account.client.orderNumber({ params: { number }, body }).then(
      () => 'ordered',
      (error: Error) => error.message,
    )
    await untilBlocked(server)
    await setPrice('contested', '4')
    return { ordered }
  })
  assert.match(await early.ordered, /now \$4\.00 a month/)
})

test('a price change waits for orders that have compared the price', async () => {
  await setPrice('slow', '3')
  const [number = ''] = await newNumbers('slow', 1)
  let ordered: Promise<unknown> = Promise.resolve()
  await inTransaction(server.db, async (tx) => {
    // the change holds the class, and the order waits for it
    await setPriceClass({ ...server.runtime.deps, actor: systemActor('test', null), tx }, 'slow', {
      monthly_cost: '6',
      setup_cost: '1',
    })
    ordered = sentence(account.client.orderNumber({ params: { number }, body: { monthly_cost: '3' } }), 409)
    await untilBlocked(server)
  })
  assert.match(String(await ordered), /now \$6\.00 a month/)
})

test('many orders and price changes at once: each order has one of the prices', async () => {
  await setPrice('busy', '1')
  const numbers = await newNumbers('busy', 20)
  const changes = ['2', '3', '4', '5'].map((cost) => setPrice('busy', cost))
  const orders = numbers.map((number) =>
    account.client.createNumberOrder({ body: { numbers: [number] } }).then(({ body }) => body.data.attributes),
  )
  await Promise.all(changes)
  for (const { numbers: lines, monthly_cost } of await Promise.all(orders)) {
    assert.equal(lines[0]?.monthly_cost, monthly_cost)
    assert.match(monthly_cost, /^[1-5]\.0000$/)
    const { data } = (await account.client.getNumber({ params: { number: lines[0]?.value ?? '' } })).body
    assert.equal(data.attributes.monthly_cost, monthly_cost)
  }
})

test('a line has either a price class or both costs', async () => {
  await setPrice('standard', '1')
  const lines = [
    { number: '12075550100', price_class: 'standard' },
    { number: '12075550101', price_class: 'tin', monthly_cost: '', setup_cost: '' },
    { number: '12075550102', monthly_cost: '' },
    { number: '12075550103', price_class: 'standard', monthly_cost: '', setup_cost: '' },
    { number: '12075550104' },
  ]
  const { added, errors } = await loadNumbers(server, lines)
  assert.equal(added, 2)
  const empty = ['Must be empty, because the line has a price_class.']
  assert.deepEqual(errors, [
    { line: 2, messages: { monthly_cost: empty, setup_cost: empty } },
    { line: 3, messages: { price_class: ['No price class tin.'] } },
    {
      line: 4,
      messages: { monthly_cost: ['Must be an amount in dollars, such as 1.25, unless the line has a price_class.'] },
    },
  ])
  assert.equal((await loadNumbers(server, lines)).unchanged, 2)
  const header = 'number,rate_center,state,supplier,price_class'
  const loading = (body: string) => operator.loadInventory({ body, content_type: 'text/csv' })
  const { data } = (await loading(`${header}\n12075550105,PORTLAND,ME,own,`)).body
  assert.deepEqual(Object.keys(data.errors[0]?.messages ?? {}), ['monthly_cost', 'setup_cost'])
  assert.equal((await loading(`${header}\n12075550105,PORTLAND,ME,own,standard`)).body.data.added, 1)
  const without = 'number,rate_center,state,supplier\n12075550106,PORTLAND,ME,own'
  assert.match(JSON.stringify(await fieldErrors(loading(without))), /Missing columns: monthly_cost, setup_cost/)
})

test('invalid prices, names, and accounts are refused', async () => {
  const body = { monthly_cost: '-1', setup_cost: '1.00001' }
  const failing = await fieldErrors(operator.setPriceClass({ params: { price_class: 'gold' }, body }))
  assert.deepEqual(Object.keys(failing), ['monthly_cost', 'setup_cost'])
  const good = { monthly_cost: '1', setup_cost: '1' }
  await refusal(operator.setPriceClass({ params: { price_class: 'Gold!' }, body: good }), 404)
  await refusal(operator.setAccountPrice({ params: { account_id: account.id, price_class: 'tin' }, body: good }), 404)
  await refusal(operator.setAccountPrice({ params: { account_id: '999999', price_class: 'gold' }, body: good }), 404)
  await refusal(operator.listAccountPrices({ params: { account_id: '999999' } }), 404)
})
