import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { createOutbound } from './index.ts'
import { dnsError, listen, listenHttp, outboundTo127_0_0_1 } from './testing/loopback.ts'

const GET = { timeout_ms: 5000, max_bytes: 1000 }
const POST = {
  timeout_ms: 5000,
  max_response_bytes: 1000,
  body: '{"a":1}',
  headers: { 'content-type': 'application/json' },
}

function codeOf(outcome: { ok: boolean; failure?: { code: string } }): string {
  return outcome.failure?.code ?? 'ok'
}

describe('a request', () => {
  test('a callback is sent unchanged, with the host name of its URL', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.writeHead(202, { 'x-answer': 'yes' }).end('thanks'))
    const response = await outboundTo127_0_0_1().post(`http://hooks.example:${peer.port}/cdr?key=1#part`, POST)
    assert.ok(response.ok)
    assert.equal(response.status, 202)
    assert.equal(response.headers['x-answer'], 'yes')
    assert.equal(response.body.toString(), 'thanks')
    assert.equal(response.truncated, false)
    const [arrival] = peer.requests
    assert.equal(`${arrival?.method} ${arrival?.path} ${arrival?.body}`, 'POST /cdr?key=1 {"a":1}')
    assert.equal(arrival?.headers.host, `hooks.example:${peer.port}`)
    assert.equal(arrival?.headers['user-agent'], 'Demarc/test')
    assert.equal(arrival?.headers['content-type'], 'application/json')
    assert.equal(arrival?.headers['content-length'], '7')
  })

  test('a document is a stream; any status is a response', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.writeHead(404).end('not here'))
    const response = await outboundTo127_0_0_1().get(`http://hooks.example:${peer.port}/a.pdf`, GET)
    assert.ok(response.ok)
    assert.equal(response.status, 404)
    assert.equal(await text(response.body), 'not here')
    assert.equal(peer.requests[0]?.headers['accept-encoding'], 'identity')
  })

  test('fixed headers cannot be sent twice under another spelling', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end())
    await outboundTo127_0_0_1().get(`http://hooks.example:${peer.port}/`, {
      ...GET,
      headers: { 'Accept-Encoding': 'gzip', 'USER-AGENT': 'x' },
    })
    assert.equal(peer.requests[0]?.headers['accept-encoding'], 'identity')
    assert.equal(peer.requests[0]?.headers['user-agent'], 'Demarc/test')
  })
})

describe('the destination', () => {
  test('a name that resolves to a refused address is refused, and nothing is sent', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('secret'), '127.0.0.2')
    for (const addresses of [
      ['127.0.0.2'],
      ['::ffff:127.0.0.2'],
      ['127.0.0.1', '127.0.0.2'],
      ['8.8.8.8', '127.0.0.2'],
    ]) {
      const outbound = outboundTo127_0_0_1({ resolve: async () => addresses })
      assert.equal(
        codeOf(await outbound.post(`http://hooks.example:${peer.port}/`, POST)),
        'no_public_address',
        addresses.join(),
      )
      assert.equal(
        codeOf(await outbound.get(`http://hooks.example:${peer.port}/`, GET)),
        'no_public_address',
        addresses.join(),
      )
    }
    assert.equal(peer.requests.length, 0)
  })

  test('if the address of a name changes after the check, the connection uses the checked address', async (t) => {
    const good = await listenHttp(t, (_, response) => response.end('good'))
    const bad = await listenHttp(t, (_, response) => response.end('bad'), '127.0.0.2', good.port)
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    const outbound = outboundTo127_0_0_1({ resolve })
    const response = await outbound.get(`http://rebind.example:${good.port}/`, GET)
    assert.ok(response.ok)
    assert.equal(await text(response.body), 'good')
    assert.deepEqual(asked, ['rebind.example'])
    assert.equal(codeOf(await outbound.get(`http://rebind.example:${good.port}/`, GET)), 'no_public_address')
    assert.equal(bad.requests.length, 0)
  })

  test('a literal address is not resolved and is refused in every notation', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('secret'), '127.0.0.2')
    const outbound = outboundTo127_0_0_1({ resolve: async () => assert.fail('resolved a literal') })
    for (const host of [
      '127.0.0.2',
      '2130706434',
      '0x7f.2',
      '0177.0.0.2',
      '127.2',
      '[::ffff:127.0.0.2]',
      '[::ffff:7f00:2]',
      '[::1]',
    ]) {
      assert.equal(codeOf(await outbound.get(`http://${host}:${peer.port}/`, GET)), 'address_refused', host)
    }
    assert.equal(peer.requests.length, 0)
  })

  test('an address that the operator allowed is reached in every notation', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('here'))
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]']) {
      const response = await outboundTo127_0_0_1().post(`http://${host}:${peer.port}/`, POST)
      assert.equal(response.ok && response.body.toString(), 'here', host)
    }
  })

  test('the second address is tried when the first refuses the connection', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('here'), '127.0.0.3')
    const outbound = outboundTo127_0_0_1({
      allow_cidrs: ['127.0.0.0/8'],
      resolve: async () => ['127.0.0.2', '127.0.0.3'],
    })
    assert.equal(codeOf(await outbound.post(`http://hooks.example:${peer.port}/`, POST)), 'ok')
  })

  test('a non-standard port needs every address of the name to be allowed', async () => {
    const outbound = outboundTo127_0_0_1({ resolve: async () => ['127.0.0.1', '8.8.8.8'] })
    assert.equal(codeOf(await outbound.get('http://mixed.example:22/', GET)), 'port_refused')
    assert.equal(
      codeOf(await outboundTo127_0_0_1({ allow_cidrs: [] }).get('http://any.example:22/', GET)),
      'port_refused',
    )
  })

  test('a name that does not exist and one inside the network have the same failure', async () => {
    const notFound = (code: string) => async () => Promise.reject(dnsError(code))
    const resolvers = [
      notFound('ENOTFOUND'),
      notFound('EAI_AGAIN'),
      async () => [],
      async () => ['10.0.0.1'],
      async () => ['127.0.0.2'],
    ]
    for (const resolve of resolvers)
      for (const response of [
        await outboundTo127_0_0_1({ resolve }).get('http://gone.example/', GET),
        await outboundTo127_0_0_1({ resolve }).post('http://gone.example/', POST),
      ])
        assert.deepEqual(response, {
          ok: false,
          failure: {
            code: 'no_public_address',
            detail: 'The host "gone.example" could not be found, or is not on the public internet.',
          },
        })
  })

  test('a host without a server is a connection failure', async () => {
    assert.equal(codeOf(await outboundTo127_0_0_1().get('http://127.0.0.1:1/', GET)), 'connect_failed')
  })

  test('a bug in the resolver is not reported as a missing host', async () => {
    const outbound = outboundTo127_0_0_1({ resolve: async () => Promise.reject(new TypeError('bug')) })
    await assert.rejects(outbound.get('http://any.example/', GET), TypeError)
  })

  test("the system's own lookup finds localhost, which is refused unless allowed", async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('here'))
    const open = createOutbound({ allow_cidrs: ['127.0.0.0/8', '::1/128'], user_agent: 'Demarc/test' })
    assert.equal(codeOf(await open.post(`http://localhost:${peer.port}/`, POST)), 'ok')
    const closed = createOutbound({ allow_cidrs: [], user_agent: 'Demarc/test' })
    assert.equal(codeOf(await closed.post('http://localhost:8080/', POST)), 'address_refused')
  })

  test('a proxy in the environment is not used', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('direct'))
    let proxied = 0
    const proxy = createTcpServer((socket) => {
      proxied += 1
      socket.destroy()
    })
    const proxy_url = `http://127.0.0.1:${await listen(t, proxy)}`
    const script = `
      import { createOutbound } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
      const outbound = createOutbound({ allow_cidrs: ['127.0.0.1'], user_agent: 'x', resolve: async () => ['127.0.0.1'] })
      const response = await outbound.post('http://hooks.example:${peer.port}/', { body: '', timeout_ms: 5000, max_response_bytes: 100 })
      process.stdout.write(response.ok ? response.body.toString() : response.failure.code)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: {
        ...process.env,
        NODE_USE_ENV_PROXY: '1',
        HTTP_PROXY: proxy_url,
        http_proxy: proxy_url,
        ALL_PROXY: proxy_url,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.equal(await text(child.stdout), 'direct')
    assert.equal(proxied, 0)
  })
})

describe('checks without sending', () => {
  test('checkUrl reports every error that needs no DNS', () => {
    const outbound = outboundTo127_0_0_1({ resolve: async () => assert.fail('asked') })
    assert.equal(outbound.checkUrl('https://hooks.example/'), null)
    assert.equal(outbound.checkUrl('ftp://hooks.example/')?.code, 'bad_url')
    assert.equal(outbound.checkUrl('http://10.0.0.1/')?.code, 'address_refused')
    assert.equal(outbound.checkUrl('http://8.8.8.8:22/')?.code, 'port_refused')
  })

  test('checkHost resolves the name, and opens no connection', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end())
    const at = (addresses: string[]) =>
      outboundTo127_0_0_1({ resolve: async () => addresses }).checkHost(`http://hooks.example:${peer.port}/`, {
        timeout_ms: 1000,
      })
    assert.equal(await at(['127.0.0.1']), null)
    assert.equal((await at(['10.0.0.1']))?.code, 'no_public_address')
    assert.equal((await at([]))?.code, 'no_public_address')
    assert.equal(peer.requests.length, 0)
  })

  test('an invalid list of ranges is refused immediately', () => {
    assert.throws(() => createOutbound({ allow_cidrs: ['10.0.0.0/40'], user_agent: 'x' }), /prefix length/)
  })
})
