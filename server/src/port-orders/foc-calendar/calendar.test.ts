import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrder, orderIn } from '../../../test/support/port-orders.ts'
import { startTestServer } from '../../../test/support/server.ts'

/** The calendar of completion dates, which anyone with its link can read. */

const server = await startTestServer()
const { client } = server.account

const newLink = async () => (await client.createPortOrderCalendarLink()).body.data
const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('a link works without a key and returns only orders with a completion date', async () => {
  const accepted = await orderIn(server, 'Accepted')
  const pending = await newOrder(server.account)
  const foreign = await orderIn({ operator: server.operator, account: server.other }, 'Accepted')
  const { url } = (await newLink()).attributes
  const { status, type, text } = await read(url)
  assert.deepEqual([status, type], [200, 'text/calendar; charset=utf-8'])
  assert.match(text, new RegExp(`UID:portorder-${accepted.id}@`))
  assert.match(text, /DTSTART;VALUE=DATE:20990616\r\n/)
  for (const { id } of [pending, foreign]) assert.doesNotMatch(text, new RegExp(`portorder-${id}@`))
})

test('the calendar is the same with a key', async () => {
  const { url } = (await newLink()).attributes
  const own = await (await client.getPortOrderCalendar()).body.text()
  assert.equal(own, (await read(url)).text)
})

test('a changed date increases the sequence of its event, and a canceled order cancels it', async () => {
  const { id } = await orderIn(server, 'Accepted')
  const day = async () => {
    const text = await (await client.getPortOrderCalendar()).body.text()
    return text.split('BEGIN:VEVENT').find((event) => event.includes(`portorder-${id}@`)) ?? ''
  }
  assert.match(await day(), /SEQUENCE:0\r\n[^]*STATUS:CONFIRMED/)
  const move = { to: 'Accepted', completion_date: '2099-06-18' } as const
  await server.operator.transitionPortOrder({ params: { portorder_id: id }, body: move })
  assert.match(await day(), /SEQUENCE:1\r\nDTSTART;VALUE=DATE:20990618/)
  await server.operator.transitionPortOrder({ params: { portorder_id: id }, body: { to: 'Hard_canceled' } })
  assert.match(await day(), /STATUS:CANCELLED/)
})

test('a replaced or revoked link does not work, nor does one for another account or no account', async () => {
  const first = (await newLink()).attributes.url
  const second = (await newLink()).attributes.url
  assert.equal((await read(first)).status, 401)
  assert.equal((await read(second)).status, 200)
  const elsewhere = new URL(second)
  elsewhere.searchParams.set('account', server.other.id)
  assert.equal((await read(elsewhere.href)).status, 401)
  elsewhere.searchParams.set('account', 'x')
  assert.equal((await read(elsewhere.href)).status, 401)
  await client.revokePortOrderCalendarLink()
  assert.equal((await read(second)).status, 401)
  await assert.rejects(client.getPortOrderCalendarLink(), { status: 404 })
  await assert.rejects(client.revokePortOrderCalendarLink(), { status: 404 })
})

test('the secret of a link is stored only as a keyed hash, and never in events', async () => {
  const { url, created_at } = (await newLink()).attributes
  const secret = new URL(url).searchParams.get('signature') ?? assert.fail()
  const stored = JSON.stringify([
    await server.db.selectFrom('port_order_calendar').selectAll().execute(),
    await server.db.selectFrom('event').select(['data', 'subject_id']).execute(),
  ])
  assert.ok(!stored.includes(secret))
  const shown = (await client.getPortOrderCalendarLink()).body.data.attributes
  assert.deepEqual(shown, { created_at })
})
