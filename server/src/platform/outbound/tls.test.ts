import assert from 'node:assert/strict'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { listen, outboundTo127_0_0_1 } from './testing/loopback.ts'
import { selfSigned } from './testing/self-signed.ts'

const GET = { timeout_ms: 5000, max_bytes: 1000 }
const outbound = outboundTo127_0_0_1()
const trusted = selfSigned('hooks.example', { years: 2 })
setDefaultCACertificates([...getCACertificates('default'), trusted.cert])

async function serve(
  t: TestContext,
  identity: { key: string; cert: string },
): Promise<{ port: number; asked_names: string[] }> {
  const asked_names: string[] = []
  const SNICallback = (name: string, done: (error: Error | null) => void): void => {
    asked_names.push(name)
    done(null)
  }
  const server = createHttpsServer({ ...identity, SNICallback }, (_, response) => response.end('secure'))
  server.on('tlsClientError', () => undefined)
  return { port: await listen(t, server), asked_names }
}

test('a pinned address gets the name of the URL as SNI, and its certificate is verified against that name', async (t) => {
  const { port, asked_names } = await serve(t, trusted)
  const response = await outbound.get(`https://hooks.example:${port}/`, GET)
  assert.ok(response.ok)
  assert.equal(await text(response.body), 'secure')
  assert.deepEqual(asked_names, ['hooks.example'])
})

test('a certificate that is expired, for another name, or from an unknown authority is refused', async (t) => {
  const refused: [host: string, identity: { key: string; cert: string }, reason: RegExp][] = [
    ['other.example', trusted, /for another name/],
    ['127.0.0.1', trusted, /for another name/],
    ['hooks.example', selfSigned('hooks.example', { years: 2 }), /not signed by a trusted authority/],
  ]
  const expired = selfSigned('old.example', { years: -1 })
  setDefaultCACertificates([...getCACertificates('default'), expired.cert])
  refused.push(['old.example', expired, /has expired/])
  for (const [host, identity, reason] of refused) {
    const { port } = await serve(t, identity)
    const response = await outbound.get(`https://${host}:${port}/`, GET)
    assert.ok(!response.ok)
    assert.equal(response.failure.code, 'tls_failed')
    assert.match(response.failure.detail, reason)
  }
})

test('a server without TLS, or one that closes during the handshake, is a TLS failure', async (t) => {
  for (const reply of ['HTTP/1.1 400 Bad Request\r\n\r\n', null]) {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => (reply === null ? socket.destroy() : socket.end(reply)))
    })
    const response = await outbound.get(`https://hooks.example:${await listen(t, server)}/`, GET)
    assert.ok(!response.ok)
    assert.equal(response.failure.code, 'tls_failed')
  }
})

test('a redirect from https to http is not followed', async (t) => {
  const server = createHttpsServer(trusted, (_, response) =>
    response.writeHead(307, { location: 'http://hooks.example/' }).end(),
  )
  const url = `https://hooks.example:${await listen(t, server)}/`
  const got = await outbound.get(url, GET)
  assert.equal(!got.ok && got.failure.code, 'redirect_not_followed')
  const posted = await outbound.post(url, { timeout_ms: 5000, max_response_bytes: 10, body: 'x' })
  assert.equal(!posted.ok && posted.failure.code, 'redirect_not_followed')
})
