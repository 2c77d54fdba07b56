import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../support/server.ts'
import { refused, wire } from '../support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url)

/** The description as fetch decompresses it, with its headers. */
async function described(headers: Record<string, string> = {}) {
  const response = await fetch(`${server.base_url}/openapi.json`, {
    headers: { 'accept-encoding': 'identity', ...headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('the description is serialized once', async (t) => {
  const first = await described()
  assert.equal((JSON.parse(first.text) as { openapi: string }).openapi, '3.1.1')
  const stringify = t.mock.method(JSON, 'stringify')
  for (let i = 0; i < 4; i++) {
    const { headers, text } = await described()
    assert.equal(headers.get('content-type'), 'application/json')
    assert.ok(text === first.text && headers.get('etag') === first.headers.get('etag'))
  }
  const lengths = stringify.mock.calls.map(({ result }) => String(result).length)
  assert.ok(Math.max(0, ...lengths) < 10_000, 'nothing as large was serialized')
})

test('the description is compressed according to Accept-Encoding, each coding with its own ETag', async () => {
  const { headers, text } = await described()
  const grid: [string, string | null][] = [
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0, br;q=0', null],
    ['gzip;q=x', null],
    ['zstd', null],
  ]
  const etags = new Map<string | null, string | null>([[null, headers.get('etag')]])
  for (const [accepted, coding] of grid) {
    const response = await described({ 'accept-encoding': accepted })
    assert.equal(response.headers.get('content-encoding'), coding, accepted)
    assert.equal(response.headers.get('vary'), 'accept-encoding')
    assert.ok(response.text === text, `${accepted} has the same text`)
    const etag = response.headers.get('etag')
    assert.equal(etags.get(coding) ?? etag, etag)
    etags.set(coding, etag)
    const length = Number(response.headers.get('content-length'))
    assert.ok(coding === null ? length > 300_000 : length < 60_000, `${length} bytes`)
  }
  assert.equal(new Set(etags.values()).size, 3)
})

test('an unchanged page is a 304 without a body', async () => {
  for (const coding of ['identity', 'gzip', 'br']) {
    const sent = { 'accept-encoding': coding }
    const etag = (await described(sent)).headers.get('etag') ?? assert.fail()
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await send('GET /openapi.json', { headers: { ...sent, 'if-none-match': tag } })
      assert.deepEqual([response.status, response.body, response.headers['etag']], [304, '', etag], tag)
    }
    for (const tag of ['"other"', etag.slice(1, -1), ''])
      assert.equal((await described({ ...sent, 'if-none-match': tag })).status, 200, tag)
  }
})

test('without the portal, /docs leads to the description, which needs no key', async () => {
  const { status, headers } = await send('GET /docs')
  assert.deepEqual([status, headers['location']], [302, '/openapi.json'])
  for (const path of ['/docs/json', '/docs/yaml', '/docs/static/index.html']) refused(await send(`GET ${path}`), 404)
})
