import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { WebhookVerificationError, signWebhook, verifyWebhook, type WebhookEvent } from './index.ts'

/** Webhooks: only signed requests are accepted. */

const secret = `whsec_${Buffer.from('a secret of the tests, 32 bytes.').toString('base64')}`
const other = `whsec_${Buffer.from('another secret, of as many bytes').toString('base64')}`
const now = new Date('2026-11-20T21:36:47Z')
const links = { self: 'https://demarc.example/v2/cdrs/exports/2' }
const event = {
  type: 'cdrexport.completed',
  event_id: '45',
  occurred_at: '2026-11-20T21:36:47.130Z',
  sequence: 30,
  data: {
    type: 'cdrexport',
    id: '2',
    attributes: { status: 'completed', callback_url: 'https://café.example' },
    links,
  },
} as unknown as WebhookEvent // with the attributes that these tests read

const { headers, body } = await signWebhook(event, secret, { now })

const refusal = async (...args: Parameters<typeof verifyWebhook>): Promise<WebhookVerificationError> =>
  verifyWebhook(...args).then(
    () => assert.fail('it was accepted'),
    (error: unknown) => (error instanceof WebhookVerificationError ? error : assert.fail(String(error))),
  )

test('a signed event is verified and returned, from text or bytes, with any kind of headers', async () => {
  const bytes = Buffer.from(body)
  for (const raw of [body, bytes, Uint8Array.from(bytes).buffer])
    for (const headers_sent of [headers, new Headers(headers), { ...headers, 'Webhook-Id': undefined }])
      assert.deepEqual(await verifyWebhook(raw, headers_sent, secret, { now }), event)
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
  const read = await verifyWebhook(body, capitals, secret, { now })
  assert.ok(read.type === 'cdrexport.completed')
  assert.equal(read.data.attributes.status, 'completed')
})

test('the signature is that of Standard Webhooks', () => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `evt_45.${Math.floor(now.getTime() / 1000)}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  assert.equal(headers['webhook-id'], 'evt_45')
})

test('during a rotation, either side may have both secrets', async () => {
  const both = await signWebhook(event, [other, secret], { now })
  assert.equal(both.headers['webhook-signature'].split(' ').length, 2)
  assert.equal((await verifyWebhook(both.body, both.headers, secret, { now })).event_id, '45')
  assert.equal((await verifyWebhook(body, headers, [other, secret], { now })).event_id, '45')
})

test('an altered, old, or wrongly signed request is refused', async () => {
  const grid: [why: string, ...Parameters<typeof verifyWebhook>][] = [
    ['bad_signature', body.replace('completed', 'failed'), headers, secret],
    ['bad_signature', `${body}\n`, headers, secret],
    ['bad_signature', body, headers, other],
    ['bad_signature', body, headers, []],
    ['bad_signature', body, { ...headers, 'webhook-id': 'evt_46' }, secret],
    ['bad_signature', body, { ...headers, 'webhook-signature': 'v1,' }, secret],
    ['bad_signature', body, { ...headers, 'webhook-signature': 'v1,%%%' }, secret],
    [
      'bad_signature',
      body,
      { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
      secret,
    ],
    ['bad_timestamp', body, { ...headers, 'webhook-timestamp': 'yesterday' }, secret],
    ['missing_header', body, { ...headers, 'webhook-signature': '' }, secret],
    ['missing_header', body, {}, secret],
  ]
  for (const [reason, raw, headers_sent, secrets] of grid)
    assert.equal((await refusal(raw, headers_sent, secrets, { now })).reason, reason)
  for (const off_s of [301, -301]) {
    const later = new Date(now.getTime() + off_s * 1000)
    assert.equal((await refusal(body, headers, secret, { now: later })).reason, 'bad_timestamp')
    assert.equal((await verifyWebhook(body, headers, secret, { now: later, tolerance_s: 302 })).event_id, '45')
  }
})

test('a parsed body is refused, with the remedy for each framework', async () => {
  const parsed = JSON.parse(body) as string // as a framework passes it to code without types
  const error = await refusal(parsed, headers, secret, { now })
  assert.equal(error.reason, 'parsed_body')
  for (const word of ['raw body', 'express.raw', 'addContentTypeParser', 'request.text()'])
    assert.ok(error.message.includes(word), word)
})

test('a signed body that is not an event is refused, and an invalid secret is the receiver’s own error', async () => {
  for (const text of ['null', '[]', 'no JSON', '{"data":{}}']) {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`a.1.${text}`).digest('base64')
    const headers_sent = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': `v1,${signature}` }
    assert.equal((await refusal(text, headers_sent, secret, { now: new Date(1000) })).reason, 'bad_payload')
  }
  for (const none of ['', 'whsec_', 'whsec_%'])
    await assert.rejects(verifyWebhook(body, headers, none, { now }), /TypeError: The signing secret must be whsec_/)
})
