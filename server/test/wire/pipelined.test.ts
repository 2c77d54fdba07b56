import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import net, { type Socket } from 'node:net'
import { after, test } from 'node:test'
import { accounts, health } from '@demarc/client'
import { bind } from '../../src/platform/http/binding.ts'
import { oneAtATime } from '../../src/platform/http/pipeline.ts'
import { startBareServer } from '../support/bare-server.ts'
import { eventually } from '../support/eventually.ts'
import { startTestServer } from '../support/server.ts'
import { exchange, requestBytes } from '../support/socket.ts'

const server = await startTestServer()

/** A connection whose client has not started to read, and the server's end of it. */
async function silentReader(base_url: string): Promise<{ client: net.Socket; served: net.Socket }> {
  const { hostname, port } = new URL(base_url)
  const accepted = Promise.withResolvers<net.Socket>()
  const client = new net.Socket()
  const onServed = (message: unknown) => {
    const { socket } = message as { socket: net.Socket } // what the channel is documented to publish
    if (socket.remotePort === client.localPort) accepted.resolve(socket)
  }
  diagnostics.subscribe('net.server.socket', onServed)
  client.connect(Number(port), hostname)
  after(() => client.destroy())
  await once(client, 'connect')
  const served = await accepted.promise
  diagnostics.unsubscribe('net.server.socket', onServed)
  return { client, served }
}

/** Waits until the server has bytes that the client doesn't read, and has stopped reading requests. */
const blocked = (served: net.Socket) => eventually(async () => served.writableLength > 0 && served.isPaused())

test('1,400 pipelined requests for the largest document, never read, are answered one response at a time', async () => {
  const { headers } = await fetch(`${server.base_url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } })
  const document_bytes = Number(headers.get('content-length'))
  assert.ok(document_bytes > 300_000)
  const { client, served } = await silentReader(server.base_url)
  client.write(Buffer.concat(Array.from({ length: 1400 }, () => requestBytes('GET /openapi.json'))))
  await blocked(served)
  assert.ok(served.writableLength <= document_bytes + 2000, `${served.writableLength} unsent bytes`)
  assert.ok(served.bytesWritten < 20 * document_bytes, `${served.bytesWritten} bytes written`)
})

/** A server whose operation responds with this many bytes, and the most that it was seen to hold. */
async function countingServer(response_bytes: number) {
  const seen = {
    handled: 0,
    unanswered: 0,
    at_once: 0,
    unsent: 0,
    unhandled_bytes: 0,
    served: null as net.Socket | null,
  }
  const body = { data: [], links: { self: 'x'.repeat(response_bytes) } }
  const base_url = await startBareServer(
    server.runtime,
    [
      bind(accounts.listAccounts, async () => {
        seen.handled += 1
        seen.unanswered += 1
        seen.at_once = Math.max(seen.at_once, seen.unanswered)
        seen.unsent = Math.max(seen.unsent, seen.served?.writableLength ?? 0)
        seen.unhandled_bytes = Math.max(
          seen.unhandled_bytes,
          (seen.served?.bytesRead ?? 0) - seen.handled * request.length,
        )
        return { body }
      }),
    ],
    { observe: () => void (seen.unanswered -= 1) },
  )
  return { base_url, seen }
}
const request = requestBytes('GET /operator/accounts', { authorization: 'operator' })
/** The most that node:http reads from a socket in one call. */
const chunk_bytes = 65_536

test('the server stops reading from a client that does not read, regardless of the response size', async () => {
  for (const [response_bytes, count] of [
    [100_000, 1400],
    [10, 60_000],
  ] as const) {
    const { base_url, seen } = await countingServer(response_bytes)
    const { client, served } = await silentReader(base_url)
    seen.served = served
    client.write(Buffer.concat(Array.from({ length: count }, () => request)))
    await blocked(served)
    assert.ok(seen.handled < count, 'not all of them were begun')
    assert.equal(seen.at_once, 1)
    assert.ok(seen.unsent <= response_bytes + 2000, `${seen.unsent} unsent bytes`)
    assert.ok(seen.unhandled_bytes <= 3 * chunk_bytes, `${seen.unhandled_bytes} bytes of requests read and not handled`)
  }
})

test('a client that reads gets all responses in order', async () => {
  const { base_url, seen } = await countingServer(2000)
  const last = requestBytes('GET /operator/accounts', { authorization: 'operator', connection: 'close' })
  const responses = await exchange(base_url, Buffer.concat([...Array.from({ length: 1399 }, () => request), last]))
  assert.equal(responses.filter(({ status }) => status === 200).length, 1400)
  assert.deepEqual([seen.handled, seen.at_once], [1400, 1])
})

test('many pipelined requests of one connection do not make another wait for all of them', async () => {
  const served: string[] = []
  const other = new net.Socket()
  after(() => other.destroy())
  const base_url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async () => {
      if (served.push('pipelined') === 1) other.write(requestBytes('GET /health/live'))
      return { body: { data: [], links: { self: '' } } }
    }),
    bind(health.live, async () => {
      served.push('other')
      return { body: { status: 'live' as const, version: '', commit: null } }
    }),
  ])
  const { hostname, port } = new URL(base_url)
  await once(other.connect(Number(port), hostname), 'connect')
  const last = requestBytes('GET /operator/accounts', { authorization: 'operator', connection: 'close' })
  await exchange(base_url, Buffer.concat([...Array.from({ length: 499 }, () => request), last]))
  assert.equal(served.length, 501)
  assert.ok(served.indexOf('other') < 50, `the other was served after ${served.indexOf('other')} of 500`)
})

test('bodies of pipelined requests are read while the requests behind them wait', async () => {
  const links = { self: '' }
  const rest = { created_at: '', closed_at: null, held_at: null, hold_reason: null, held_by: null }
  const create = bind(accounts.createAccount, async ({ body: { name } }) => ({
    body: { data: { type: 'account' as const, id: '1', attributes: { name, ...rest }, links }, links },
  }))
  const base_url = await startBareServer(server.runtime, [create], { body_limit_bytes: 200_000 })
  const name = 'n'.repeat(100)
  const body = JSON.stringify({ name }).padEnd(100_000)
  const post = (headers = {}) =>
    requestBytes('POST /operator/accounts', { authorization: 'operator', ...headers }, body)
  const posts = Array.from({ length: 40 }, () => post())
  const responses = await exchange(base_url, Buffer.concat([...posts, post({ connection: 'close' })]))
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]))
  assert.equal(responses.length, 41)
})

test('after a client disconnects, none of its waiting requests start', async () => {
  const held = Promise.withResolvers<void>()
  let begun = 0
  const base_url = await startBareServer(server.runtime, [
    bind(health.live, async () => {
      begun += 1
      await held.promise
      return { body: { status: 'live' as const, version: '', commit: null } }
    }),
  ])
  const { client, served } = await silentReader(base_url)
  client.write(Buffer.concat(Array.from({ length: 30 }, () => requestBytes('GET /health/live'))))
  await eventually(async () => begun === 1 && served.isPaused())
  client.destroy()
  // a paused socket is not read, so the server notices when it writes
  const closed = new Promise<void>((resolve) => served.once('close', () => resolve()))
  held.resolve()
  await closed
  assert.ok(begun <= 2, `${begun} were begun`)
})

/** A server that holds at most 100 waiting requests and responds to those in `answer` when told to. */
async function limitedServer(arrived = () => 0) {
  const limits = { waiting: 2, waiting_in_all: 100, started_per_turn: 4, turns_for_arrivals: 10 }
  const answer: (() => void)[] = []
  const full: Socket[] = []
  const listener: RequestListener = (_request, response) => void answer.push(() => response.end('done'))
  const http = createServer(oneAtATime(listener, { onFull: (socket) => full.push(socket), arrived }, limits))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  after(() => http.close())
  const { port } = http.address() as net.AddressInfo // it listens on TCP
  return { base_url: `http://127.0.0.1:${port}`, answer, full }
}
const many = (count: number) => Buffer.concat(Array.from({ length: count }, () => requestBytes('GET /')))

test('beyond the total limit of waiting requests, the connection that exceeds it is closed, and the others stay', async () => {
  const { base_url, answer, full } = await limitedServer()
  const patient = await silentReader(base_url)
  patient.client.write(many(50))
  await once(patient.served, 'pause')
  const greedy = await silentReader(base_url)
  greedy.client.resume().on('error', () => undefined)
  greedy.client.write(many(200))
  await once(greedy.served, 'close')
  assert.deepEqual(full, [greedy.served])
  assert.equal(patient.served.destroyed, false)
  // requests that waited on the closed connection no longer count
  const next = await silentReader(base_url)
  next.client.write(many(40))
  await once(next.served, 'pause')
  assert.equal(next.served.destroyed, false)
  assert.equal(answer.length, 3)
  patient.client.destroy()
  next.client.destroy()
  for (const each of answer) each()
})

test('a connection that is closed for its waiting requests makes room at once for one that is read in the same turn', async () => {
  const { base_url, answer } = await limitedServer()
  const [patient, greedy, other] = [
    await silentReader(base_url),
    await silentReader(base_url),
    await silentReader(base_url),
  ]
  patient.client.write(many(46))
  await once(patient.served, 'pause')
  greedy.client.resume().on('error', () => undefined)
  // 45 + 59 exceed the limit; 45 + 49 do not
  greedy.client.write(many(60))
  other.client.write(many(50))
  await Promise.all([
    once(greedy.served, 'close'),
    Promise.race([once(other.served, 'pause'), once(other.served, 'close')]),
  ])
  assert.equal(other.served.destroyed, false)
  assert.equal(patient.served.destroyed, false)
  for (const { client } of [patient, other]) client.destroy()
  for (const each of answer) each()
})

test('while connections arrive, a waiting request starts after the turns that are left to them, and else at once', async () => {
  for (const [is_arriving, turns] of [
    [true, 10],
    [false, 1],
  ] as const) {
    let asked = 0
    const { base_url, answer } = await limitedServer(() => {
      asked += 1
      return is_arriving ? asked : 0
    })
    const { client, served } = await silentReader(base_url)
    client.resume().write(many(2))
    await eventually(() => answer.length === 1)
    const asked_before = asked
    answer[0]?.()
    await eventually(() => answer.length === 2)
    assert.equal(asked - asked_before, turns)
    client.destroy()
    await once(served, 'close')
  }
})
