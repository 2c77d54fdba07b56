import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { factories } from '../../test/support/factories.ts'
import { newOrder } from '../../test/support/port-orders.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'
import { createDemarcClient } from '@demarc/client'
import { hasDigits, hasInAlias } from '../numbers/search-store.ts'
import { inTransaction } from '../platform/db.ts'
import { termsOf } from './rules.ts'

const server = await startTestServer()
await loadTown(server)
const { account, other, operator } = server
const { newNumber, newCnam, newAddress } = factories(server)

await newNumber({ value: '12065550100', alias: 'Front desk' })
await newNumber({ value: '12065550101', alias: '100% of Zürich' })
await newNumber({ value: '14255550106', alias: 'Room 2065' })
await newNumber({ value: '12065550199', alias: 'Front desk of another' }, other)
const order = await newOrder(account, { numbers: ['+13035550123'], alias: 'Move of the front office' })
const foreign = await newOrder(other, { numbers: ['+13035550123'], alias: 'Front of another' })
await newCnam('approved')
const address = await newAddress({ label: 'Frontier building' })

const found = async (q: string, client: Pick<TestAccount['client'], 'search'> = account.client) =>
  (await client.search({ query: { q } })).body.data.map(({ type, id }) => `${type} ${id}`)

test('a number is found by any of its digits in any notation, prefix matches first', async () => {
  for (const q of ['12065550100', '+1 206 555 0100', '(206) 555-0100', '206.555.0100'])
    assert.deepEqual(await found(q), ['number 12065550100'], q)
  assert.deepEqual(await found('2065'), ['number 12065550100', 'number 12065550101', 'number 14255550106'])
  assert.deepEqual(await found('555-010'), ['number 12065550100', 'number 12065550101', 'number 14255550106'])
  assert.deepEqual(await found('0106'), ['number 14255550106'])
  assert.deepEqual(await found('555-0106'), ['number 14255550106'])
  assert.deepEqual(await found('25-555-0106'), ['number 14255550106'])
  assert.deepEqual(await found('0199'), [], 'of another account')
})

test('records are found by part of their name, ignoring case, without wildcards', async () => {
  assert.deepEqual(await found('FRONT'), ['number 12065550100', `portorder ${order.id}`, `e911 ${address}`])
  assert.deepEqual(await found('zürich'), ['number 12065550101'])
  assert.deepEqual(await found('0%'), ['number 12065550101'])
  assert.deepEqual(await found('_e'), [])
  assert.deepEqual(await found('name 1'), ['cnam 1'])
  assert.deepEqual(await found('Main St, '), [])
  assert.deepEqual(await found('n main'), [`e911 ${address}`])
})

test('a port order is found by its id and by the start of a number', async () => {
  for (const q of [order.id, `#${order.id}`, '3035550123', '+1 303 555'])
    assert.deepEqual(await found(q), [`portorder ${order.id}`], q)
  assert.deepEqual(await found(foreign.id), [])
})

test('a result has its kind', async () => {
  const { data, links } = (await account.client.search({ query: { q: 'front' } })).body
  assert.match(links.self, /\/v2\/search\?q=front$/)
  assert.deepEqual(
    data.map(({ attributes }) => [attributes.title, attributes.detail]),
    [
      ['+12065550100', 'Front desk'],
      ['Move of the front office', 'Pending, one number'],
      ['Frontier building', '100 N Main St, Friendship, WI 53934'],
    ],
  )
  for (const { attributes, links: own } of data) {
    assert.equal(attributes.account_id, account.id)
    assert.equal((await fetch(own.self)).status, 401)
  }
})

test('the operator finds accounts, and numbers and orders of all accounts by prefix; within an account, what its customer finds', async () => {
  assert.deepEqual(await found('2065550', operator), ['number 12065550100', 'number 12065550101', 'number 12065550199'])
  assert.deepEqual(await found('3035550123', operator), [`portorder ${foreign.id}`, `portorder ${order.id}`])
  assert.ok((await found(account.id, operator)).includes(`account ${account.id}`))
  assert.deepEqual(await found('Frontier', operator), [])
  const { data } = (await operator.getAccount({ params: { account_id: other.id } })).body
  assert.ok((await found(data.attributes.name.slice(1), operator)).includes(`account ${other.id}`))
  const within = createDemarcClient({
    base_url: server.base_url,
    credentials: server.operator_credentials,
    account_id: account.id,
    retry: false,
  })
  assert.deepEqual(await found('front', within), await found('front'))
})

test('search uses an index, however many numbers the account has', async () => {
  const actor = { account_id: account.id }
  const plans = [hasDigits(actor, '5550'), hasInAlias(actor, 'Fro')].map(async (condition) => {
    const query = sql<{ 'QUERY PLAN': string }>`explain select value from number where ${condition}`
    return await inTransaction(server.db, async (tx) => {
      // PostgreSQL would otherwise scan a table with few rows
      await sql`set local enable_seqscan = off`.execute(tx)
      await sql`set local enable_indexscan = off`.execute(tx)
      return (await query.execute(tx)).rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  })
  const [digits = '', alias = ''] = await Promise.all(plans)
  assert.match(digits, /number_by_digits/)
  assert.match(alias, /number_by_alias/)
})

test('there are at most ten results of each kind', async () => {
  for (let n = 0; n < 12; n++) await newNumber({ alias: 'Ward' })
  assert.equal((await found('ward')).length, 10)
})

test('a single letter and non-text input are refused', async () => {
  for (const q of ['x', ' x ']) assert.deepEqual(await fieldErrors(found(q)), { q: ['At least 2 characters.'] }, q)
  assert.deepEqual(await fieldErrors(found('x'.repeat(101))), { q: ['At most 100 characters.'] })
})

test('search text is parsed as digits, an id, or text', () => {
  const grid: [q: string, digits: string | null, prefix: string | null, id: string | null][] = [
    ['206', '206', '1206', '206'],
    ['1206', '1206', '1206', '1206'],
    ['#1001', null, null, '1001'],
    ['(206) 555-0100', '2065550100', '12065550100', null],
    ['x206', null, null, null],
    ['+-', null, null, null],
    ['123456789012', null, null, '123456789012'],
  ]
  for (const [q, digits, prefix, id] of grid) assert.deepEqual(termsOf(q), { text: q, digits, prefix, id })
})
