import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { dnsError, listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { newOrder } from './testing/orders.ts'
import { storedFiles, pullTester } from './testing/pulls.ts'
import { docm, html, pdf, png, zip } from './testing/samples.ts'

/** The addresses of a name, one per lookup; every other name resolves to the test host. Only 127.0.0.1 is allowed. */
const addresses = new Map<string, string[]>()
const lookups: string[] = []
const outbound = outboundTo127_0_0_1({
  resolve: async (host) => {
    lookups.push(host)
    const own = addresses.get(host)
    if (own === undefined) return ['127.0.0.1']
    const next = own.length > 1 ? own.shift() : own[0]
    if (next === undefined) throw dnsError('ENOTFOUND')
    return [next]
  },
})
const server = await startTestServer({ overrides: { outbound } })
const { account } = server
const pulls = pullTester(server, outbound)

const mib = 1024 * 1024

/** The URL of a server with this handler. */
async function served(t: TestContext, handler: (response: ServerResponse) => void, name = 'a.pdf'): Promise<string> {
  const { port } = await listenHttp(t, (_, response) => handler(response))
  return `http://docs.example:${port}/${name}`
}

/** Requests a pull, expects `error` with this reason after this many attempts, and no file left behind. */
async function assertFails(url: string, reason: RegExp, attempts = 1, timeout_ms?: number): Promise<void> {
  const before = await storedFiles(server)
  const found = await pulls.outcome(url, timeout_ms)
  assert.equal(found.status, 'error', url)
  assert.match(found.failure_reason ?? '', reason, url)
  assert.equal(found.attempts.length, attempts, url)
  assert.deepEqual([found.sha256, found.bytes, found.media_type, found.download_url], [null, null, null, null])
  assert.deepEqual(await storedFiles(server), before, 'a file was left')
}

test('a URL with an internal address in any notation is refused immediately', async () => {
  const portorder_id = await newOrder(account)
  const inside = [
    'http://127.0.0.2/a.pdf',
    'http://2130706434/a.pdf',
    'http://0x7f000002/a.pdf',
    'http://0177.0.0.2/a.pdf',
    'http://127.2/a.pdf',
    'http://[::1]/a.pdf',
    'http://[::ffff:127.0.0.2]/a.pdf',
    'http://[::ffff:7f00:2]/a.pdf',
    'http://[64:ff9b::a9fe:a9fe]/a.pdf',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/a.pdf',
    'http://192.168.1.1/a.pdf',
    'http://[fd00::1]/a.pdf',
    'http://0.0.0.0/a.pdf',
  ]
  for (const url of inside) {
    const errors = await fieldErrors(
      account.client.requestPortOrderFile({ params: { portorder_id }, body: { url: `${url}?filename=x.pdf` } }),
    )
    assert.match(errors['url']?.join() ?? '', /not on the public internet/, url)
  }
})

test('a URL that is not HTTP or has a password is refused immediately', async () => {
  const portorder_id = await newOrder(account)
  const bad = ['', 'a.pdf', 'ftp://docs.example/a.pdf', 'file:///etc/passwd', 'http://u:p@docs.example/a', 'http://']
  for (const url of [...bad, 'javascript:alert(1)', 'http:///a', `http://docs.example/${'a'.repeat(2048)}`]) {
    const errors = await fieldErrors(account.client.requestPortOrderFile({ params: { portorder_id }, body: { url } }))
    assert.deepEqual(Object.keys(errors), ['url'], url)
  }
  assert.equal((await account.client.listPortOrderFiles({ params: { portorder_id } })).body.data.length, 0)
})

const noPublicAddress = /^The host "inside.example" could not be found, or is not on the public internet\.$/

test('a name that resolves to an internal address is refused', async () => {
  const inside = ['127.0.0.2', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.2', '64:ff9b::7f00:2', 'fd00::1']
  for (const address of inside) {
    addresses.set('inside.example', [address])
    await assertFails('http://inside.example/a.pdf', noPublicAddress, 4)
  }
})

test('a pull from an unknown name is retried and then fails, like one from an internal address', async () => {
  addresses.set('inside.example', [])
  await assertFails('http://inside.example/a.pdf', noPublicAddress, 4)
})

test('a redirect to an internal address is not followed', async (t) => {
  for (const location of [
    'http://127.0.0.2/',
    'http://10.0.0.1/a.pdf',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://[::ffff:7f00:2]/',
    'http://2130706434/',
  ])
    await assertFails(
      await served(t, (response) => response.writeHead(302, { location }).end()),
      /not on the public internet/,
    )
})

test('a redirect to another scheme, to an invalid URL, or in a loop ends the pull', async (t) => {
  const to = (location: string) => served(t, (response) => response.writeHead(302, { location }).end())
  await assertFails(await to('file:///etc/passwd'), /http/)
  await assertFails(await to('http://'), /Location/)
  await assertFails(await to('/again'), /redirected more than 3 times/)
})

test('DNS rebinding cannot reach a different address', async (t) => {
  const { port, requests } = await listenHttp(t, ({ url }, response) =>
    url === '/again' ? response.writeHead(302, { location: '/a.pdf' }).end() : response.writeHead(500).end(),
  )
  // between the hops of one request
  addresses.set('rebinding.example', ['127.0.0.1', '127.0.0.2'])
  await assertFails(`http://rebinding.example:${port}/again`, /not on the public internet/, 4)
  // between two attempts
  addresses.set('rebinding.example', ['127.0.0.1', '169.254.169.254'])
  await assertFails(`http://rebinding.example:${port}/a.pdf`, /not on the public internet/, 4)
  assert.equal(requests.length, 2)
  // one lookup per hop: the address that was checked is the one connected to
  assert.equal(lookups.filter((host) => host === 'rebinding.example').length, 9)
})

test('a slow server is disconnected and retried, and then the pull fails', async (t) => {
  const sendSlowly = (response: ServerResponse) => {
    response.write('%PDF-1.4\n')
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  }
  await assertFails(await served(t, sendSlowly), /timed out after 0\.3 s/, 4, 300)
  await assertFails(await served(t, () => undefined), /timed out after 0\.3 s/, 4, 300)
})

test('a body of 1 GiB is cut off at 20 MiB with bounded memory', async (t) => {
  let sent = 0
  const piece = Buffer.alloc(mib, 'x')
  const sendMuch = (response: ServerResponse) => {
    const more = () => {
      while (sent < 1024 * mib && !response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  }
  const url = await served(t, sendMuch, 'a.txt')
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5)
  t.after(() => clearInterval(watch))
  await assertFails(url, /larger than 20 MiB/)
  assert.ok(sent < 64 * mib, `${sent / mib} MiB were read`)
  assert.ok(most - before < 128 * mib, `memory grew by ${(most - before) / mib} MiB`)
})

test('a body with too large a Content-Length is not read', async (t) => {
  await assertFails(
    await served(t, (response) => response.writeHead(200, { 'content-length': 1024 * mib }).write(pdf)),
    /larger than 20 MiB/,
  )
})

test('neither a compressed body nor an archive is unpacked', async (t) => {
  const bomb = gzipSync(Buffer.alloc(100 * mib), { level: 9 })
  await assertFails(
    await served(t, (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    /compressed body/,
  )
  await assertFails(await served(t, (response) => response.end(bomb)), /GZ/)
  await assertFails(await served(t, (response) => response.end(zip(['a.txt'])), 'a.docx'), /ZIP archive/)
})

test('content that does not match its name or has no allowed type is refused with the reason', async (t) => {
  const wrong: [name: string, body: Buffer, reason: RegExp][] = [
    ['a.pdf', html, /web page/],
    ['a.csv', html, /web page/],
    ['a.pdf', png, /ends in \.pdf, but the content is a PNG image/],
    ['a.docx', pdf, /ends in \.docx, but the content is a PDF/],
    ['a.docx', docm, /macros/],
    ['a.pdf', Buffer.alloc(0), /empty/],
    ['a.exe', Buffer.from('4d5a90000300000004000000ffff0000', 'hex'), /EXE/],
    ['a.txt', Buffer.from('a\0b'), /has an unknown type/],
  ]
  for (const [name, body, reason] of wrong)
    await assertFails(
      await served(t, (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(body), name),
      reason,
    )
})

test('a truncated body is retried, and then the pull fails', async (t) => {
  const half = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': 1000 }).write(pdf)
    setImmediate(() => response.destroy())
  }
  await assertFails(await served(t, half), /not valid HTTP|closed the connection/, 4)
})

test('a response that is not HTTP is retried, and then the pull fails', async (t) => {
  await assertFails(
    await served(t, (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n')),
    /not valid HTTP|closed the connection/,
    4,
  )
})

test('a name can be as long as a URL and is cut to 150 characters', async (t) => {
  const url = await served(t, (response) => response.end(pdf), `x?filename=${'n'.repeat(1900)}.pdf`)
  const { status, file } = await pulls.outcome(url)
  assert.deepEqual([status, file], ['complete', `${'n'.repeat(146)}.pdf`])
})
