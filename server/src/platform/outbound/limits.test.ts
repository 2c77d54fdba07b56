import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer as createTcpServer } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { OutboundError, type Failed, type GetResponse } from './index.ts'
import { listen, listenHttp, outboundTo127_0_0_1 } from './testing/loopback.ts'

const MIB = 1024 * 1024
const SOON = { timeout_ms: 300, max_bytes: 1000 }
const LATER = { timeout_ms: 30_000, max_bytes: 1000 }
const outbound = outboundTo127_0_0_1()

function codeOf(outcome: { ok: boolean; failure?: { code: string } }): string {
  return outcome.failure?.code ?? 'ok'
}

/** The failure while reading the body of a document after its headers arrived. */
async function failureOfBody(response: GetResponse | Failed): Promise<string> {
  assert.ok(response.ok)
  try {
    await buffer(response.body)
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error))
    return error.failure.code
  }
  return 'ok'
}

const bodyFailure = async (url: string, request: typeof LATER) => await failureOfBody(await outbound.get(url, request))

/** A raw TCP server that sends the text and then does nothing. */
async function sending(t: TestContext, response: string, then: 'wait' | 'end' | 'reset' = 'wait'): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(response)
      if (then === 'end') socket.end()
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
  return `http://raw.example:${await listen(t, server)}/`
}

describe('time', () => {
  test('a server that accepts and sends nothing', async (t) => {
    const url = await sending(t, '')
    assert.equal(codeOf(await outbound.get(url, SOON)), 'timeout')
    assert.equal(codeOf(await outbound.post(url, { timeout_ms: 300, max_response_bytes: 10, body: 'x' })), 'timeout')
  })

  test('headers that never end', async (t) => {
    const url = await sending(t, 'HTTP/1.1 200 OK\r\nX-Slow: ')
    assert.equal(codeOf(await outbound.get(url, SOON)), 'timeout')
  })

  test('a body that trickles forever, byte by byte', async (t) => {
    const peer = await listenHttp(t, (_, response) => {
      const drip = setInterval(() => response.write('.'), 20)
      response.once('close', () => clearInterval(drip))
    })
    // the deadline passes before the third byte, regardless of the machine's load
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const got = await outbound.get(`http://drip.example:${peer.port}/`, LATER)
    assert.ok(got.ok)
    let bytes = 0
    const reading = async () => {
      for await (const _ of got.body) if (++bytes === 3) t.mock.timers.tick(LATER.timeout_ms)
    }
    await assert.rejects(reading, (error) => error instanceof OutboundError && error.failure.code === 'timeout')
    t.mock.timers.reset()
    const posted = await outbound.post(`http://drip.example:${peer.port}/`, {
      timeout_ms: 300,
      max_response_bytes: 1000,
      body: 'x',
    })
    assert.equal(codeOf(posted), 'timeout')
  })

  test('a TLS handshake without a response', async (t) => {
    const url = (await sending(t, '')).replace('http:', 'https:')
    assert.equal(codeOf(await outbound.get(url, SOON)), 'timeout')
  })

  test('a name server that never responds', async () => {
    const silent = outboundTo127_0_0_1({ resolve: async () => new Promise(() => undefined) })
    assert.equal(codeOf(await silent.get('http://silent.example/', SOON)), 'timeout')
    assert.equal((await silent.checkHost('http://silent.example/', { timeout_ms: 50 }))?.code, 'timeout')
  })

  test('a host that does not accept the connection', async (t) => {
    // A suspended process that was listening: once its backlog is full, the kernel accepts no more connections.
    const script = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, server.address().port + '\\n')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
    const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    const [line] = await once(child.stdout, 'data')
    const port = Number(String(line))
    const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    t.after(() => fillers.forEach((filler) => filler.destroy()))
    assert.equal(codeOf(await outbound.get(`http://full.example:${port}/`, SOON)), 'timeout')
  })

  test('an unread body is destroyed at the deadline', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.end('unread'))
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const response = await outbound.get(`http://any.example:${peer.port}/`, LATER)
    assert.ok(response.ok)
    const closed = new Promise<void>((resolve) => response.body.once('close', () => resolve()))
    t.mock.timers.tick(LATER.timeout_ms)
    await closed
    await assert.rejects(buffer(response.body))
  })

  test("the caller's signal aborts a request at any stage", async (t) => {
    const url = await sending(t, '')
    const gone = { ...LATER, signal: AbortSignal.abort() }
    assert.equal(codeOf(await outbound.get(url, gone)), 'aborted')
    assert.equal(codeOf(await outbound.get(url, { ...LATER, signal: AbortSignal.timeout(50) })), 'aborted')
    const started = await sending(t, 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
    const caller = new AbortController()
    const response = await outbound.get(started, { ...LATER, signal: caller.signal })
    caller.abort()
    assert.equal(await failureOfBody(response), 'aborted')
  })
})

describe('size', () => {
  test('a body with too large a Content-Length is refused before it is read', async (t) => {
    const peer = await listenHttp(t, (_, response) => response.writeHead(200, { 'content-length': 1001 }).write('x'))
    assert.equal(codeOf(await outbound.get(`http://any.example:${peer.port}/`, LATER)), 'response_too_large')
  })

  test('a body of exactly the limit is accepted, one byte more is not', async (t) => {
    const peer = await listenHttp(t, (request, response) => {
      // Two chunks, which omits the Content-Length.
      response.write('x')
      response.end('x'.repeat(Number(request.url?.slice(1)) - 1))
    })
    assert.equal(await bodyFailure(`http://any.example:${peer.port}/1000`, LATER), 'ok')
    assert.equal(await bodyFailure(`http://any.example:${peer.port}/1001`, LATER), 'response_too_large')
  })

  test('a gibibyte passes through in constant memory', async (t) => {
    const chunk = Buffer.alloc(MIB)
    const peer = await listenHttp(t, (_, response) => {
      let left = 1024
      const more = (): void => {
        while (left > 0) {
          left -= 1
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const response = await outbound.get(`http://big.example:${peer.port}/`, {
      timeout_ms: 120_000,
      max_bytes: 2048 * MIB,
    })
    assert.ok(response.ok)
    const before = process.memoryUsage.rss()
    let [bytes, peak] = [0, before]
    for await (const piece of response.body) {
      bytes += piece.length
      if (bytes % (16 * MIB) < piece.length) peak = Math.max(peak, process.memoryUsage.rss())
    }
    assert.equal(bytes, 1024 * MIB)
    assert.ok(peak - before < 200 * MIB, `grew by ${Math.round((peak - before) / MIB)} MiB`)
  })

  test('an endless body ends at the limit, and the connection with it', async (t) => {
    const closed = Promise.withResolvers<void>()
    const peer = await listenHttp(t, (_, response) => {
      const chunk = Buffer.alloc(64 * 1024)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more)
      }
      response.once('close', closed.resolve)
      more()
    })
    assert.equal(
      await bodyFailure(`http://endless.example:${peer.port}/`, { ...LATER, max_bytes: 5 * MIB }),
      'response_too_large',
    )
    await closed.promise
  })

  test('a long response to a callback is truncated and its status counts', async (t) => {
    const peer = await listenHttp(t, (_, response) => {
      response.write('first ')
      response.write('x'.repeat(MIB))
    })
    const response = await outbound.post(`http://any.example:${peer.port}/`, {
      ...LATER,
      max_response_bytes: 5,
      body: 'x',
    })
    assert.ok(response.ok)
    assert.deepEqual([response.status, response.body.toString(), response.truncated], [200, 'first', true])
  })

  test('a compressed document is refused, and a compressed response to a callback is not decompressed', async (t) => {
    const bomb = gzipSync(Buffer.alloc(50 * MIB))
    const peer = await listenHttp(t, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const url = `http://bomb.example:${peer.port}/`
    assert.equal(codeOf(await outbound.get(url, { ...LATER, max_bytes: 100 * MIB })), 'response_encoded')
    const response = await outbound.post(url, { ...LATER, max_response_bytes: MIB, body: 'x' })
    assert.ok(response.ok)
    assert.deepEqual(response.body, bomb)
  })

  test('headers beyond 16 KiB are refused', async (t) => {
    const url = await sending(t, `HTTP/1.1 200 OK\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`)
    assert.equal(codeOf(await outbound.get(url, LATER)), 'bad_response')
  })
})

describe('invalid responses', () => {
  test('a response that is not HTTP is a bad response', async (t) => {
    for (const nonsense of [
      '220 mail.example ESMTP\r\n',
      'HTTP/1.1 abc\r\n\r\n',
      'HTTP/1.1 000 Nothing\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    ]) {
      assert.equal(codeOf(await outbound.get(await sending(t, nonsense), LATER)), 'bad_response', nonsense)
    }
  })

  test('a connection that ends early is lost, before the headers and within the body', async (t) => {
    assert.equal(codeOf(await outbound.get(await sending(t, '', 'end'), LATER)), 'connection_lost')
    assert.equal(codeOf(await outbound.get(await sending(t, 'HTTP/1.1 200', 'reset'), LATER)), 'connection_lost')
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'
    assert.equal(await bodyFailure(await sending(t, half, 'end'), LATER), 'connection_lost')
    assert.equal(await bodyFailure(await sending(t, half, 'reset'), LATER), 'connection_lost')
    const posted = await outbound.post(await sending(t, half, 'end'), { ...LATER, max_response_bytes: 100, body: 'x' })
    assert.equal(codeOf(posted), 'connection_lost')
  })

  test('an unrequested upgrade is refused', async (t) => {
    const url = await sending(t, 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n')
    const outcome = await outbound.get(url, LATER)
    assert.match(codeOf(outcome), /^(bad_response|connection_lost)$/)
  })

  test('a body that ends with the connection is complete', async (t) => {
    const response = await outbound.get(await sending(t, 'HTTP/1.1 200 OK\r\n\r\nall of it', 'end'), LATER)
    assert.ok(response.ok)
    assert.equal(await text(response.body), 'all of it')
  })
})
