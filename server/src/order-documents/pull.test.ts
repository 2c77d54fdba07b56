import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { newOrder, setStatus } from './testing/orders.ts'
import { pullsOf } from './testing/pulls.ts'
import { csv, docx, pdf, xls } from './testing/samples.ts'

const outbound = outboundTo127_0_0_1()
const server = await startTestServer({ parts: { outbound } })
const { account } = server
const pulls = pullsOf(server, outbound)

const eventsOf = async (order: string, type: string) =>
  await listEvents(server.db, { subject_type: 'portorder', subject_id: order, type, limit: 50, offset: 0 })
const documentsOf = async (portorder_id: string) =>
  (await account.client.getPortOrder({ params: { portorder_id } })).body.data.attributes.business_documents

test('a pull is answered as the contract says, and its status is where the link points', async () => {
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
  assert.equal((await pulls.look({ portorder_id, id: data.id })).links.self, data.links.self)
  assert.deepEqual(await documentsOf(portorder_id), [])
})

test('a document that was pulled is complete, on the order and on its timeline, and can be fetched by its link', async (t) => {
  const { port, arrived } = await listenHttp(t, (_, response) => response.end(pdf))
  const asked = await pulls.ask(`http://docs.example:${port}/get?sign=a%2fb&filename=../../etc/July%20bill&x=1`)
  await pulls.finish(asked.id)
  // the parameter is ours, the rest arrives as it was written
  assert.deepEqual(
    arrived.map((a) => a.path),
    ['/get?sign=a%2fb&x=1'],
  )
  const { attributes } = await pulls.look(asked)
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
  assert.deepEqual(await documentsOf(asked.portorder_id), [{ filename: 'July bill', status: 'uploaded' }])
  const [event] = await eventsOf(asked.portorder_id, 'portorder.file_complete')
  assert.deepEqual(event?.data, {
    file_id: asked.id,
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

test('neither the address of a document nor what is in its query stands in events', async (t) => {
  const { port } = await listenHttp(t, (_, response) => response.writeHead(403).end())
  const asked = await pulls.ask(`http://docs.example:${port}/secret-path/a.pdf?token=secret-token`)
  await pulls.finish(asked.id)
  const events = await listEvents(server.db, { subject_id: asked.portorder_id, limit: 50, offset: 0 })
  assert.ok(events.length >= 3)
  assert.doesNotMatch(JSON.stringify(events), /secret-/)
})

test('every type is taken under its own name and without one', async (t) => {
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

test('a server that fails is asked again, and every attempt can be seen', async (t) => {
  let come = 0
  const { port } = await listenHttp(t, (_, response) =>
    ++come === 1 ? response.writeHead(500).end('no') : come === 2 ? response.destroy() : response.end(pdf),
  )
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`)
  const next = await pulls.attempt(asked.id)
  const waiting = (await pulls.look(asked)).attributes
  assert.equal(waiting.status, 'processing')
  assert.equal(waiting.next_attempt_at, next?.toISOString())
  assert.equal((await pulls.attempt(asked.id))?.toISOString(), next?.toISOString())
  assert.equal(come, 1, 'was asked before its time')
  await server.clock.moveTo(next ?? new Date())
  await pulls.finish(asked.id)
  const { status, attempts } = (await pulls.look(asked)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => [a.outcome, a.response_status, a.failure_reason]),
    [
      ['retry', 500, 'The server answered with status 500.'],
      ['retry', null, 'The server closed the connection before its answer was complete.'],
      ['complete', 200, null],
    ],
  )
})

test('a server that keeps failing is given up after four attempts', async (t) => {
  const { port, arrived } = await listenHttp(t, (_, response) => response.writeHead(503).end())
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`)
  await pulls.finish(asked.id)
  const { status, failure_reason, attempts } = (await pulls.look(asked)).attributes
  assert.deepEqual([status, failure_reason], ['error', 'The server answered with status 503.'])
  assert.deepEqual(
    attempts.map((a) => a.outcome),
    ['retry', 'retry', 'retry', 'error'],
  )
  assert.equal(arrived.length, 4)
  assert.deepEqual(await documentsOf(asked.portorder_id), [{ filename: 'a.pdf', status: 'failed' }])
  const [event] = await eventsOf(asked.portorder_id, 'portorder.file_failed')
  assert.deepEqual(event?.data, { file_id: asked.id, file: 'a.pdf', reason: 'The server answered with status 503.' })
  assert.equal(await pulls.attempt(asked.id), null)
  assert.equal(arrived.length, 4)
})

test('a refusal of the server is its last word', async (t) => {
  for (const status of [400, 401, 403, 404, 410, 429, 204, 206, 304]) {
    const { port, arrived } = await listenHttp(t, (_, response) => response.writeHead(status).end())
    const { status: state, failure_reason } = await pulls.outcome(`http://docs.example:${port}/a.pdf`)
    assert.equal(state, 'error', String(status))
    assert.match(failure_reason ?? '', new RegExp(`answered with status ${status}`))
    assert.equal(arrived.length, 1)
  }
})

test('a pull under way when the order moves on finishes', async (t) => {
  const portorder_id = await newOrder(account)
  const { port } = await listenHttp(t, (_, response) => {
    void setStatus(server, portorder_id, 'Processing').then(() => response.end(pdf))
  })
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`, portorder_id)
  await pulls.finish(asked.id)
  assert.equal((await pulls.look(asked)).attributes.status, 'complete')
})
