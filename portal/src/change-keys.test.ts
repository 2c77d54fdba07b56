import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepChangeKeys } from './change-keys.ts'

/** Sends changes, each with its own key as the client makes it. Returns the key that each was sent with. */
function sender() {
  const withKeys = keepChangeKeys()
  let made = 0
  return async (body: BodyInit, outcome: number | 'lost', { account = '1', path = '/v2/routes' } = {}) => {
    let sent: string | null = null
    const send = withKeys(async (_, init) => {
      sent = new Headers(init?.headers).get('idempotency-key')
      if (outcome === 'lost') throw new TypeError('fetch failed')
      return new Response(null, { status: outcome })
    })
    const headers = { 'idempotency-key': `key ${++made}`, 'demarc-account': account }
    await send(`http://demarc.example${path}`, { method: 'POST', headers, body }).catch(() => undefined)
    return sent
  }
}

test('a change whose outcome is not known keeps its key until it is done', async () => {
  const send = sender()
  assert.equal(await send('{"alias":"PBX"}', 503), 'key 1')
  assert.equal(await send('{"alias":"PBX"}', 'lost'), 'key 1')
  assert.equal(await send('{"alias":"PBX"}', 201), 'key 1')
  assert.equal(await send('{"alias":"PBX"}', 201), 'key 4')
})

test('another input, account, or operation is another change', async () => {
  const send = sender()
  await send('{"alias":"PBX"}', 503)
  assert.equal(await send('{"alias":"PBX 2"}', 503), 'key 2')
  assert.equal(await send('{"alias":"PBX"}', 503, { account: '2' }), 'key 3')
  assert.equal(await send('{"alias":"PBX"}', 503, { path: '/v2/cnams' }), 'key 4')
  assert.equal(await send('{"alias":"PBX"}', 201), 'key 1')
})

test('a file is the same change only if it is the same file', async () => {
  const send = sender()
  const file = new Blob(['a'])
  await send(file, 503)
  assert.equal(await send(new Blob(['b']), 503), 'key 2')
  assert.equal(await send(file, 503), 'key 1')
})

test('a request without a key gets none', async () => {
  const seen: boolean[] = []
  const send = keepChangeKeys()(async (_, init) => {
    seen.push(new Headers(init?.headers).has('idempotency-key'))
    return new Response(null, { status: 503 })
  })
  await send('http://demarc.example/v2/routes')
  assert.deepEqual(seen, [false])
})
