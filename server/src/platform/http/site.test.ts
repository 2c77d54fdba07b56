import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startBareServer } from '../../../test/support/bare-server.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { numberRoutes } from '../../numbers/routes.ts'
import { operatorRoutes } from '../../operator/routes.ts'
import { readSite } from './site.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-site-'))
after(() => rm(folder, { recursive: true }))
await mkdir(path.join(folder, 'assets'))
await writeFile(path.join(folder, 'index.html'), '<p>the page')
await writeFile(path.join(folder, 'assets/a-1b2c.js'), 'plain()')
await writeFile(path.join(folder, 'assets/a-1b2c.js.gz'), gzipSync('plain()'))

const { runtime } = await startTestServer()
const bindings = [...numberRoutes(runtime)(runtime.deps), ...operatorRoutes(runtime)(runtime.deps)]
const base_url = await startBareServer(runtime, bindings, { site: readSite(folder) })

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = async (at: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(base_url + at, { headers, method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('a browser gets the page at the root and at every path outside the API', async () => {
  for (const at of ['/', '/numbers', '/numbers/12065550100?tab=calls', '/port-orders/7']) {
    const { status, headers, text } = await get(at, browser)
    assert.deepEqual([status, text], [200, '<p>the page'], at)
    assert.equal(headers.get('cache-control'), 'no-cache')
  }
  for (const at of ['/', '/developers/reference'])
    assert.equal((await get(at)).text, '<p>the page', `${at} also without Accept`)
})

test('the page cannot load from other origins, run inline code, or be framed', async () => {
  const { headers } = await get('/', browser)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.deepEqual(
    ['x-content-type-options', 'referrer-policy'].map((name) => headers.get(name)),
    ['nosniff', 'same-origin'],
  )
})

test('content-addressed files are immutable and sent in their precompressed encodings', async () => {
  const { status, headers, text } = await get('/assets/a-1b2c.js', { 'accept-encoding': 'gzip' })
  assert.deepEqual([status, text], [200, 'plain()'])
  assert.equal(headers.get('content-encoding'), 'gzip')
  assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.match(headers.get('cache-control') ?? '', /immutable/)
  const plain = await get('/assets/a-1b2c.js', { 'accept-encoding': 'gzip;q=0, identity' })
  assert.deepEqual([plain.headers.get('content-encoding'), plain.text], [null, 'plain()'])
  const again = await get('/assets/a-1b2c.js', { 'if-none-match': headers.get('etag') ?? '' })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('API path prefixes, other methods, and non-browser clients get API errors', async () => {
  const cases: [string, Record<string, string>, string, number][] = [
    ['/v2/nothing', browser, 'GET', 404],
    ['/operator/nothing', { accept: '*/*' }, 'GET', 404],
    ['/v2/operator/nothing', browser, 'GET', 404],
    ['/numbers', { accept: 'application/json' }, 'GET', 404],
    ['/numbers', browser, 'POST', 404],
    ['/assets/gone-9f9f.js', browser, 'GET', 404],
    ['/../server/package.json', {}, 'GET', 404],
    ['/v2/numbers/1', browser, 'POST', 405],
  ]
  for (const [at, headers, method, status] of cases) {
    const response = await get(at, headers, method)
    assert.equal(response.status, status, `${method} ${at}`)
    assert.match(response.headers.get('content-type') ?? '', /json/, at)
  }
})

test('under /operator/ a navigating browser gets the page; every other client gets the API', async () => {
  for (const at of ['/operator/accounts', '/operator/jobs?job=dead', '/operator/accounts/7', '/operator/nothing']) {
    const { status, headers, text } = await get(at, browser)
    assert.deepEqual([status, text], [200, '<p>the page'], at)
    assert.match(headers.get('vary') ?? '', /\baccept\b(?!-)/)
  }
  const clients: [string, Record<string, string>, string][] = [
    ['/operator/audit', {}, 'GET'],
    ['/operator/audit', { accept: '*/*' }, 'GET'],
    ['/operator/audit', { accept: 'application/json, */*;q=0.1' }, 'GET'],
    ['/operator/audit', { ...browser, authorization: 'Basic a2V5OnNlY3JldA==' }, 'GET'],
    ['/operator/clock', browser, 'POST'],
    ['/v2/operator/audit', browser, 'GET'],
  ]
  for (const [at, headers, method] of clients) {
    const response = await get(at, headers, method)
    assert.equal(response.status, 401, `${method} ${at} ${JSON.stringify(headers)}`)
    assert.match(response.headers.get('content-type') ?? '', /json/)
    assert.equal(response.headers.get('vary'), at.startsWith('/v2') ? null : 'accept')
  }
})

test('if the site fails to build, the page reports it and the API keeps working', async () => {
  const site = Promise.reject(new Error('no room'))
  site.catch(() => undefined)
  const url = await startBareServer(runtime, [], { site })
  const response = await fetch(`${url}/numbers`, { headers: browser })
  assert.equal(response.status, 503)
  assert.match(await response.text(), /portal could not be built/)
  assert.equal((await fetch(`${url}/nothing`)).status, 404)
})
