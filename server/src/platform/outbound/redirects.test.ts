import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { listenHttp, outboundTo127_0_0_1 } from './testing/loopback.ts'

const GET = { timeout_ms: 5000, max_bytes: 1000 }
const POST = { timeout_ms: 5000, max_response_bytes: 1000, body: 'payload' }

function codeOf(outcome: { ok: boolean; failure?: { code: string } }): string {
  return outcome.failure?.code ?? 'ok'
}

/** /hops/3 → /hops/2 → … → /hops/0, which responds; `?status=` is the status of the redirects. */
function countdown(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://peer.example')
  const left = Number(url.pathname.split('/')[2])
  if (left === 0) response.end('arrived')
  else
    response
      .writeHead(Number(url.searchParams.get('status') ?? 302), { location: `/hops/${left - 1}${url.search}` })
      .end('moved')
}

test('a document is fetched through three redirects and not a fourth', async (t) => {
  const peer = await listenHttp(t, countdown)
  const outbound = outboundTo127_0_0_1()
  for (const status of [301, 302, 303, 307, 308]) {
    const response = await outbound.get(`http://peer.example:${peer.port}/hops/3?status=${status}`, GET)
    assert.ok(response.ok)
    assert.equal(await text(response.body), 'arrived')
    assert.equal(response.final_url, `http://peer.example:${peer.port}/hops/0?status=${status}`)
    assert.equal(
      codeOf(await outbound.get(`http://peer.example:${peer.port}/hops/4?status=${status}`, GET)),
      'too_many_redirects',
    )
  }
})

test('a callback keeps method and body through 307 and 308, and follows no other redirect', async (t) => {
  const peer = await listenHttp(t, countdown)
  const outbound = outboundTo127_0_0_1()
  for (const status of [307, 308]) {
    assert.equal(codeOf(await outbound.post(`http://peer.example:${peer.port}/hops/3?status=${status}`, POST)), 'ok')
    assert.equal(
      codeOf(await outbound.post(`http://peer.example:${peer.port}/hops/4?status=${status}`, POST)),
      'too_many_redirects',
    )
  }
  for (const { method, body } of peer.requests) assert.equal(`${method} ${body}`, 'POST payload')
  for (const status of [301, 302, 303]) {
    const before = peer.requests.length
    assert.equal(
      codeOf(await outbound.post(`http://peer.example:${peer.port}/hops/1?status=${status}`, POST)),
      'redirect_not_followed',
    )
    assert.equal(peer.requests.length, before + 1)
  }
})

test('every hop is checked like the first', async (t) => {
  const inside = await listenHttp(t, (_, response) => response.end('secret'), '127.0.0.2')
  const targets: [location: string, code: string][] = [
    [`http://127.0.0.2:${inside.port}/`, 'address_refused'],
    [`http://2130706434:${inside.port}/`, 'address_refused'],
    [`http://[::ffff:127.0.0.2]:${inside.port}/`, 'address_refused'],
    [`//127.0.0.2:${inside.port}/`, 'address_refused'],
    [`http://inside.example:${inside.port}/`, 'no_public_address'],
    ['http://169.254.169.254/latest/meta-data/', 'address_refused'],
    ['http://user:pw@peer.example/', 'bad_url'],
    ['file:///etc/passwd', 'bad_url'],
    ['http://[', 'redirect_not_followed'],
    ['', 'redirect_not_followed'],
  ]
  const peer = await listenHttp(t, (request, response) => {
    const location = new URL(request.url ?? '/', 'http://peer.example').searchParams.get('to') ?? ''
    response.writeHead(307, location === '' ? {} : { location }).end()
  })
  const outbound = outboundTo127_0_0_1({
    resolve: async (host) => [host === 'inside.example' ? '127.0.0.2' : '127.0.0.1'],
  })
  for (const [location, code] of targets) {
    const url = `http://peer.example:${peer.port}/?to=${encodeURIComponent(location)}`
    assert.equal(codeOf(await outbound.get(url, GET)), code, location)
    assert.equal(codeOf(await outbound.post(url, POST)), code, location)
  }
  assert.equal(inside.requests.length, 0)
})

test('a redirect to a non-standard port of a public host is refused', async (t) => {
  const peer = await listenHttp(t, (_, response) => response.writeHead(302, { location: 'http://8.8.8.8:22/' }).end())
  assert.equal(codeOf(await outboundTo127_0_0_1().get(`http://peer.example:${peer.port}/`, GET)), 'port_refused')
})

test('credentials in headers are not sent to another origin', async (t) => {
  const second = await listenHttp(t, (_, response) => response.end('arrived'))
  const first = await listenHttp(t, (_, response) => {
    response.writeHead(307, { location: `http://second.example:${second.port}/` }).end()
  })
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'webhook-id': 'evt_1' }
  assert.equal(
    codeOf(await outboundTo127_0_0_1().post(`http://first.example:${first.port}/`, { ...POST, headers })),
    'ok',
  )
  assert.equal(first.requests[0]?.headers.authorization, 'Bearer x')
  assert.equal(second.requests[0]?.headers.authorization, undefined)
  assert.equal(second.requests[0]?.headers.cookie, undefined)
  assert.equal(second.requests[0]?.headers['webhook-id'], 'evt_1')
})

test('one deadline covers all hops', async (t) => {
  const peer = await listenHttp(t, (request, response) => {
    setTimeout(() => countdown(request, response), 200)
  })
  const outcome = await outboundTo127_0_0_1().get(`http://peer.example:${peer.port}/hops/3`, {
    ...GET,
    timeout_ms: 500,
  })
  assert.equal(codeOf(outcome), 'timeout')
})
