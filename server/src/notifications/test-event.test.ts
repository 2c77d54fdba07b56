import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { startReceiver, verified } from '../../test/support/receiver.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'

const receiver = await startReceiver()
const server = await startTestServer({ worker: true })
const { account, other } = server

const send = (url: string) => account.client.sendTestNotification({ body: { url } })
const read = async (notification_id: string) =>
  (await account.client.getNotification({ params: { notification_id } })).body.data.attributes

test('a test event is sent once, signed, and listed with its attempts', async () => {
  const { status, body } = await send(receiver.url('/test'))
  assert.equal(status, 202)
  const { id, attributes } = body.data
  assert.deepEqual([attributes.event_type, attributes.status], ['notification.tested', 'pending'])
  const [received] = await receiver.waitFor(1, '/test')
  const { secret } = (await account.client.getSigningSecret()).body.data.attributes
  const sent = verified(received ?? assert.fail('nothing was received'), secret) as {
    data: { type: string }
    meta: { type: string; event_id: string }
  }
  assert.deepEqual(
    [sent.data.type, sent.meta.type, sent.meta.event_id],
    ['notification_test', 'notification.tested', attributes.event_id],
  )
  await eventually(async () => (await read(id)).status === 'delivered')
  assert.deepEqual(
    (await read(id)).attempts.map(({ response_status, failure }) => [response_status, failure]),
    [[204, null]],
  )
  assert.deepEqual((await other.client.listNotifications()).body.data, [])
  assert.equal(receiver.requests.length, 1)
})

test('a failed test event is retried like any other event', async () => {
  receiver.respond = () => 500
  const { id } = (await send(receiver.url('/broken'))).body.data
  await eventually(async () => (await read(id)).attempts.length === 1)
  const { status, attempts, next_attempt_at } = await read(id)
  assert.deepEqual([status, attempts[0]?.failure, next_attempt_at !== null], ['pending', 'status_500', true])
})

test('a URL that callbacks cannot use is refused', async () => {
  for (const url of [
    'ftp://hooks.example/',
    'hooks.example',
    'http://169.254.169.254/latest/',
    'https://me:secret@hooks.example/',
  ])
    assert.deepEqual(Object.keys(await fieldErrors(send(url))), ['url'], url)
})
