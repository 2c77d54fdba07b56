import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { newOrder, setStatus } from './testing/orders.ts'
import { pullTester } from './testing/pulls.ts'
import { csv, docx, pdf, xls } from './testing/samples.ts'

const outbound = outboundTo127_0_0_1()
const server = await startTestServer({ overrides: { outbound } })
const { account } = server
const pulls = pullTester(server, outbound)

const eventsOf = async (order: string, type: string) =>
  await listEvents(server.db, { subject_type: 'portorder', subject_id: order, type, limit: 50, offset: 0 })
const documentsOf = async (portorder_id: string) =>
  (await account.client.getPortOrder({ params: { portorder_id } })).body.data.attributes.business_documents

test('the response to a pull request matches the contract, and its self link shows the status', async () => {
  const portorder_id = await newOrder(account)
  const url = 'https://docs.example/get?id=7&filename=July%20bill.pdf'
  const { status, body, headers } = await account.client.requestPortOrderFile({
    params: { portorder_id },
    body: { url },
  })
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json')
  const { data } = body
  assert.equal(data.type, 'portorder-file')
  assert.equal(data.links.self, `${server.base_url}/v2/portorders/${portorder_id}/files/${data.id}`)
  const { filename, file, original_url, status: state } = data.attributes
  assert.deepEqual(
    { filename, file, original_url, state },
    { filename: 'https://docs.example/get?id=7', file: 'July bill.pdf', original_url: url, state: 'pending' },
  )
  assert.equal((await pulls.get({ portorder_id, id: data.id })).links.self, data.links.self)
  assert.deepEqual(await documentsOf(portorder_id), [])
})

test('a pulled document is complete, is on the order and its timeline, and can be downloaded by its link', async (t) => {
  const { port, requests } = await listenHttp(t, (_, response) => response.end(pdf))
  const pulled = await pulls.request(`http://docs.example:${port}/get?sign=a%2fb&filename=../../etc/July%20bill&x=1`)
  await pulls.finish(pulled.id)
  // the parameter is removed, the rest is unchanged
  assert.deepEqual(
    requests.map((a) => a.path),
    ['/get?sign=a%2fb&x=1'],
  )
  const { attributes } = await pulls.get(pulled)
  assert.deepEqual(
    { ...attributes, download_url: null, created_at: null, finished_at: null, attempts: null },
    {
      filename: `http://docs.example:${port}/get?sign=a%2fb&x=1`,
      file: 'July bill',
      original_url: `http://docs.example:${port}/get?sign=a%2fb&filename=../../etc/July%20bill&x=1`,
      status: 'complete',
      source: 'pull',
      failure_reason: null,
      bytes: pdf.length,
      sha256: createHash('sha256').update(pdf).digest('hex'),
      media_type: 'application/pdf',
      download_url: null,
      created_at: null,
      finished_at: null,
      next_attempt_at: null,
      attempts: null,
    },
  )
  assert.deepEqual(
    attributes.attempts.map((a) => [a.number, a.outcome, a.response_status, a.failure_reason]),
    [[1, 'complete', 200, null]],
  )
  assert.deepEqual(await documentsOf(pulled.portorder_id), [{ filename: 'July bill', status: 'uploaded' }])
  const [event] = await eventsOf(pulled.portorder_id, 'portorder.file_complete')
  assert.deepEqual(event?.data, {
    file_id: pulled.id,
    file: 'July bill',
    bytes: pdf.length,
    sha256: attributes.sha256,
  })
  const response = await fetch(attributes.download_url ?? '')
  assert.equal(response.status, 200)
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), pdf)
  assert.equal(response.headers.get('content-type'), 'application/pdf')
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="July bill\.pdf"/)
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
})

test('events contain neither the URL of a document nor its query', async (t) => {
  const { port } = await listenHttp(t, (_, response) => response.writeHead(403).end())
  const pulled = await pulls.request(`http://docs.example:${port}/secret-path/a.pdf?token=secret-token`)
  await pulls.finish(pulled.id)
  const events = await listEvents(server.db, { subject_id: pulled.portorder_id, limit: 50, offset: 0 })
  assert.ok(events.length >= 3)
  assert.doesNotMatch(JSON.stringify(events), /secret-/)
})

test('every type is accepted with and without its extension', async (t) => {
  const bodies: Record<string, Buffer> = { '/a.csv': csv, '/a.docx': docx, '/a.xls': xls, '/plain': csv }
  const { port } = await listenHttp(t, ({ url = '' }, response) => response.end(bodies[url]))
  const found = []
  for (const path of Object.keys(bodies)) found.push(await pulls.outcome(`http://docs.example:${port}${path}`))
  assert.deepEqual(
    found.map((a) => a.media_type),
    [
      'text/csv',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.ms-excel',
      'text/plain',
    ],
  )
})

test('a failing server is retried, and every attempt is listed', async (t) => {
  let requests = 0
  const { port } = await listenHttp(t, (_, response) =>
    ++requests === 1 ? response.writeHead(500).end('no') : requests === 2 ? response.destroy() : response.end(pdf),
  )
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`)
  const next = await pulls.attempt(pulled.id)
  const waiting = (await pulls.get(pulled)).attributes
  assert.equal(waiting.status, 'processing')
  assert.equal(waiting.next_attempt_at, next?.toISOString())
  assert.equal((await pulls.attempt(pulled.id))?.toISOString(), next?.toISOString())
  assert.equal(requests, 1, 'retried too early')
  await server.clock.advanceTo(next ?? new Date())
  await pulls.finish(pulled.id)
  const { status, attempts } = (await pulls.get(pulled)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => [a.outcome, a.response_status, a.failure_reason]),
    [
      ['retry', 500, 'The server responded with status 500.'],
      ['retry', null, 'The server closed the connection before its response was complete.'],
      ['complete', 200, null],
    ],
  )
})

test('a pull fails after four attempts if the server keeps failing', async (t) => {
  const { port, requests } = await listenHttp(t, (_, response) => response.writeHead(503).end())
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`)
  await pulls.finish(pulled.id)
  const { status, failure_reason, attempts } = (await pulls.get(pulled)).attributes
  assert.deepEqual([status, failure_reason], ['error', 'The server responded with status 503.'])
  assert.deepEqual(
    attempts.map((a) => a.outcome),
    ['retry', 'retry', 'retry', 'error'],
  )
  assert.equal(requests.length, 4)
  assert.deepEqual(await documentsOf(pulled.portorder_id), [{ filename: 'a.pdf', status: 'failed' }])
  const [event] = await eventsOf(pulled.portorder_id, 'portorder.file_failed')
  assert.deepEqual(event?.data, { file_id: pulled.id, file: 'a.pdf', reason: 'The server responded with status 503.' })
  assert.equal(await pulls.attempt(pulled.id), null)
  assert.equal(requests.length, 4)
})

test('a 4xx status is final', async (t) => {
  for (const status of [400, 401, 403, 404, 410, 429, 204, 206, 304]) {
    const { port, requests } = await listenHttp(t, (_, response) => response.writeHead(status).end())
    const { status: state, failure_reason } = await pulls.outcome(`http://docs.example:${port}/a.pdf`)
    assert.equal(state, 'error', String(status))
    assert.match(failure_reason ?? '', new RegExp(`responded with status ${status}`))
    assert.equal(requests.length, 1)
  }
})

test('a running pull finishes when the status of the order changes', async (t) => {
  const portorder_id = await newOrder(account)
  const { port } = await listenHttp(t, (_, response) => {
    void setStatus(server, portorder_id, 'Processing').then(() => response.end(pdf))
  })
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`, portorder_id)
  await pulls.finish(pulled.id)
  assert.equal((await pulls.get(pulled)).attributes.status, 'complete')
})
