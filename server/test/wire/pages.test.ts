import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../support/server.ts'
import { refused, wire } from '../support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url)

/** The description as fetch decompresses it, with its headers. */
async function described(headers: Record<string, string> = {}, path = '/openapi.json') {
  const response = await fetch(server.base_url + path, { headers: { 'accept-encoding': 'identity', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('the description is serialized once, for its own path and for the viewer', async (t) => {
  const first = await described()
  assert.equal((JSON.parse(first.text) as { openapi: string }).openapi, '3.1.1')
  const stringify = t.mock.method(JSON, 'stringify')
  for (const path of ['/openapi.json', '/docs/json', '/openapi.json', '/docs/json']) {
    const { headers, text } = await described({}, path)
    assert.equal(headers.get('content-type'), 'application/json')
    assert.ok(text === first.text && headers.get('etag') === first.headers.get('etag'), path)
  }
  const lengths = stringify.mock.calls.map(({ result }) => String(result).length)
  assert.ok(Math.max(0, ...lengths) < 10_000, 'nothing as large was serialized')
})

test('the description is compressed as Accept-Encoding asks, each coding with its own ETag', async () => {
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

test('what a client has already is a 304 without a body', async () => {
  for (const coding of ['identity', 'gzip', 'br']) {
    const sent = { 'accept-encoding': coding }
    const etag = (await described(sent)).headers.get('etag') ?? assert.fail()
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await send('GET /openapi.json', { headers: { ...sent, 'if-none-match': given } })
      assert.deepEqual([response.status, response.body, response.headers['etag']], [304, '', etag], given)
    }
    for (const given of ['"other"', etag.slice(1, -1), ''])
      assert.equal((await described({ ...sent, 'if-none-match': given })).status, 200, given)
  }
})

test('a path of the viewer that leads out of its files, or cannot be a file, is a 404', async () => {
  for (const path of [
    '....//x',
    '%2e%2e',
    '%2e%2e/%2e%2e/etc/passwd',
    '%00',
    'a%00b',
    '/x',
    '%5c..%5cx',
    'a'.repeat(5000),
  ])
    for (const method of ['GET', 'HEAD']) {
      const response = await send(`${method} /docs/static/${path}`)
      assert.equal(response.status, 404, path)
      if (method === 'GET') assert.equal(refused(response, 404).title, 'Resource not found')
    }
  refused(await send('GET /docs/yaml'), 404)
})
