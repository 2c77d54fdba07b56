import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import net from 'node:net'
import { after, test } from 'node:test'
import { accounts, health } from '@demarc/client'
import { bind } from '../../src/platform/http/binding.ts'
import { createArrivalLimit } from '../../src/platform/http/arrivals.ts'
import type { ClosingReason } from '../../src/platform/http/connections.ts'
import type { HttpOptions } from '../../src/platform/http/server.ts'
import { startBareServer } from '../support/bare-server.ts'
import { eventually } from '../support/eventually.ts'
import { startTestServer } from '../support/server.ts'
import { exchange, requestBytes } from '../support/socket.ts'

const server = await startTestServer()

/** A server that holds requests until the test releases them, and the reasons for which it closed connections. */
async function limited(options: Partial<HttpOptions>) {
  const closings: ClosingReason[] = []
  const let_go = Promise.withResolvers<void>()
  let holding = 0
  const base_url = await startBareServer(
    server.runtime,
    [
      bind(health.live, async () => ({ body: { status: 'live' as const, version: '', commit: null } })),
      bind(accounts.listAccounts, async () => {
        holding += 1
        await let_go.promise
        return { body: { data: [], links: { self: '' } } }
      }),
    ],
    { observeClosing: (reason) => closings.push(reason), ...options },
  )
  after(() => let_go.resolve())
  return { base_url, closings, let_go: () => let_go.resolve(), holding: () => holding }
}

/** A client connection from this address, and a promise that resolves when it ends. */
async function connected(base_url: string, localAddress = '127.0.0.1') {
  const { hostname, port } = new URL(base_url)
  const socket = net.connect({ host: hostname, port: Number(port), localAddress })
  // a connection that the server closes may be reset
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.resume()
  after(() => socket.destroy())
  await once(socket, 'connect')
  return { socket, closed }
}

const last = requestBytes('GET /health/live', { connection: 'close' })
const hold = requestBytes('GET /operator/accounts', { authorization: 'operator' })

/** A good client: a new connection, a request, and a 200. */
async function served(base_url: string): Promise<void> {
  assert.deepEqual(
    (await exchange(base_url, last)).map(({ status }) => status),
    [200],
  )
}

test('an address’s silent connections make room for new ones, longest idle first', async () => {
  const { base_url, closings } = await limited({ limits: { connections_per_address: 5 } })
  const silent = []
  for (let i = 0; i < 30; i++) silent.push(await connected(base_url))
  await served(base_url)
  // 25 silent ones too many, and one more for the good client
  await Promise.all(silent.slice(0, 26).map(({ closed }) => closed))
  assert.deepEqual(
    silent.slice(26).map(({ socket }) => socket.destroyed),
    [false, false, false, false],
  )
  assert.deepEqual(
    closings,
    Array.from({ length: 26 }, () => 'address'),
  )
})

test('a connection counts as used until its last response, so a kept-alive one outlives older silent ones', async () => {
  const { base_url } = await limited({ limits: { connections_per_address: 3 } })
  const [kept, silent, young] = [await connected(base_url), await connected(base_url), await connected(base_url)]
  kept.socket.write(requestBytes('GET /health/live'))
  await once(kept.socket, 'data')
  await served(base_url)
  await silent.closed
  assert.deepEqual([kept.socket.destroyed, young.socket.destroyed], [false, false])
})

test('a connection with a request is not closed for another; if all have one, the new connection is closed', async () => {
  const { base_url, closings, holding, let_go } = await limited({ limits: { connections_per_address: 3 } })
  const busy = [await connected(base_url), await connected(base_url), await connected(base_url)]
  for (const { socket } of busy) socket.write(hold)
  await eventually(async () => holding() === 3)
  await (
    await connected(base_url)
  ).closed
  assert.deepEqual(closings, ['address'])
  const responses = busy.map(({ socket }) => once(socket, 'data'))
  let_go()
  assert.ok((await Promise.all(responses)).every(([bytes]) => String(bytes).startsWith('HTTP/1.1 200')))
  await served(base_url)
})

test('one address cannot keep another out', async () => {
  const { base_url, holding } = await limited({ limits: { connections_per_address: 3, connections: 100 } })
  for (let i = 0; i < 3; i++) (await connected(base_url, '127.0.0.7')).socket.write(hold)
  await eventually(async () => holding() === 3)
  await (
    await connected(base_url, '127.0.0.7')
  ).closed
  await served(base_url)
})

test('at the limit of all connections, the one that has been idle longest is closed, regardless of its client', async () => {
  const { base_url, closings } = await limited({ limits: { connections: 6, connections_per_address: 4 } })
  const silent = []
  for (let i = 0; i < 12; i++) silent.push(await connected(base_url, `127.0.1.${i + 1}`))
  await served(base_url)
  await Promise.all(silent.slice(0, 7).map(({ closed }) => closed))
  assert.deepEqual(new Set(closings), new Set(['total']))
  assert.ok(silent.slice(7).every(({ socket }) => !socket.destroyed))
})

/** Whether the server serves this new connection, or closes it at once. */
async function isServed(base_url: string, localAddress?: string): Promise<boolean> {
  const { socket, closed } = await connected(base_url, localAddress)
  const received = new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)))
  socket.write(last)
  return await Promise.race([received, closed.then(() => false)])
}

test('an address that opens too many connections in a second is refused until the next, and others are served', async () => {
  const { base_url, closings } = await limited({ limits: { arrivals_per_address: 3 } })
  const first = performance.now()
  const served_of: boolean[] = []
  // as many as it takes on a busy machine: a second has at most three
  while (served_of.length < 12) served_of.push(await isServed(base_url, '127.0.0.8'))
  const seconds = Math.ceil((performance.now() - first) / 1000)
  const count = served_of.filter(Boolean).length
  assert.ok(count >= 3 && count <= 3 * (seconds + 1), `${count} of 12 served in ${seconds} s`)
  assert.deepEqual(served_of.slice(0, 3), [true, true, true])
  assert.deepEqual(
    closings,
    Array.from({ length: 12 - count }, () => 'arrivals'),
  )
  await served(base_url)
  await eventually(() => isServed(base_url, '127.0.0.8'))
})

test('a connection that was charged keeps its address from opening others for a while, and no other address', async (t) => {
  let now_ms = 1_000
  t.mock.method(performance, 'now', () => now_ms)
  const http = createServer((_request, response) => response.end('done'))
  const closed: string[] = []
  const arrivals = createArrivalLimit(
    64,
    () => false,
    () => closed.push('arrivals'),
  )
  arrivals.watch(http)
  http.once('connection', arrivals.charge)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  after(() => http.close())
  const { port } = http.address() as net.AddressInfo // it listens on TCP
  const base_url = `http://127.0.0.1:${port}`
  await connected(base_url, '127.0.0.8')
  // 64 of the 129 must pass first, which takes a second
  assert.equal(await isServed(base_url, '127.0.0.8'), false)
  assert.deepEqual(closed, ['arrivals'])
  assert.equal(await isServed(base_url, '127.0.0.9'), true)
  now_ms += 1_000
  assert.equal(await isServed(base_url, '127.0.0.8'), false)
  now_ms += 100
  assert.equal(await isServed(base_url, '127.0.0.8'), true)
})

test(
  'hundreds of clients that connect while the server is busy wait in the queue instead of connecting again',
  {
    skip: !existsSync('/proc/net/tcp') || Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) < 1_024,
  },
  async () => {
    const { base_url } = await limited({})
    const { hostname, port } = new URL(base_url)
    const sockets = Array.from({ length: 800 }, () =>
      net.connect({ host: hostname, port: Number(port) }).on('error', () => undefined),
    )
    // they connect in the next tick, and the server accepts none of them before the next turn of the event loop
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const to = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`
    const listed = () =>
      readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, , remote = '', state = ''] = line.trim().split(/\s+/)
          return remote.endsWith(to) ? [state] : []
        })
    // 02 is SYN_SENT: the queue was full, or a busy kernel is a moment behind
    const waiting = (states: string[]) => states.filter((state) => state === '02').length
    let states = listed()
    for (let n = 0; n < 50 && (states.length < sockets.length || waiting(states) > 0); n++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      states = listed()
    }
    for (const socket of sockets) socket.destroy()
    // a connection elsewhere on the machine may have this port, too
    assert.ok(states.length >= sockets.length, `${states.length} connections are listed`)
    assert.equal(waiting(states), 0)
  },
)

test('a trusted proxy may have any number of connections', async () => {
  const { base_url, closings } = await limited({
    limits: { connections_per_address: 2, arrivals_per_address: 2 },
    trust_proxy: ['127.0.0.0/24'],
  })
  const many = []
  for (let i = 0; i < 10; i++) many.push(await connected(base_url))
  await served(base_url)
  assert.deepEqual(closings, [])
  assert.ok(many.every(({ socket }) => !socket.destroyed))
})

test('a client that stops reading a response loses its connection, and one that only waits does not', async () => {
  const { base_url, closings, holding, let_go } = await limited({ limits: { stall_ms: 200 } })
  const large = await startBareServer(
    server.runtime,
    [bind(accounts.listAccounts, async () => ({ body: { data: [], links: { self: 'x'.repeat(30_000_000) } } }))],
    { limits: { stall_ms: 200 }, observeClosing: (reason) => closings.push(reason) },
  )
  const waiting = await connected(base_url)
  waiting.socket.write(hold)
  await eventually(async () => holding() === 1)
  const stalled = await connected(large)
  stalled.socket.pause()
  stalled.socket.write(hold)
  await eventually(async () => closings.length === 1)
  stalled.socket.resume()
  await stalled.closed
  assert.deepEqual(closings, ['stalled'])
  assert.equal(waiting.socket.destroyed, false)
  const response = once(waiting.socket, 'data')
  let_go()
  assert.match(String((await response)[0]), /^HTTP\/1\.1 200/)
})
