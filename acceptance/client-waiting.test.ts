import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ExportFailedError,
  NotFoundError,
  PortOrderEndedError,
  WaitTimeoutError,
  createDemarcClient,
  finalStatuses,
  portOrders,
  waitForExport,
  waitForPortOrder,
} from '@demarc/client'
import { startFailingServer } from './support/failing-server.ts'

/** Lists and waits, with scripted responses. */

const server = await startFailingServer()
const client = createDemarcClient({ base_url: server.base_url, retry: false })
const quick = { poll_ms: 1, max_poll_ms: 4 }

const exported = (status: string, failure_reason: string | null = null) => ({
  status: 200,
  body: { data: { id: '2', attributes: { status, failure_reason, progress: 0.5 } } },
})
const order = (status: string) => ({ status: 200, body: { data: { id: '7', attributes: { status } } } })

test('a list follows the query of each page’s link, never its host', async () => {
  const page = (from: number, next?: string) => ({
    status: 200,
    body: { data: [from, from + 1].map((id) => ({ id: String(id) })), links: { self: 'x', ...(next ? { next } : {}) } },
  })
  const next = (offset: number) => `https://public.example/v2/cnams?limit=2&offset=${offset}&value=a%20b`
  const ids: string[] = []
  server.plan(page(1, next(2)), page(3, next(4)), page(5))
  for await (const { id } of client.listCnams.all({ query: { value: 'a b' } })) ids.push(id)
  assert.deepEqual(ids, ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(
    server.arrived.map(({ url }) => url),
    ['/v2/cnams?limit=200&value=a+b', '/v2/cnams?limit=2&offset=2&value=a+b', '/v2/cnams?limit=2&offset=4&value=a+b'],
  )
  server.plan(page(1, next(2)), page(3, next(4)), page(5))
  for await (const { id } of client.listCnams.all({ query: { limit: 2 } })) if (id === '2') break
  assert.deepEqual(
    server.arrived.map(({ url }) => url),
    ['/v2/cnams?limit=2'],
    'no page is requested that nobody reads',
  )
  // an operation without pages
  server.plan(page(1))
  for await (const { id } of client.listEdgeStrategies.all()) ids.push(String(id))
  assert.equal(server.arrived[0]?.url, '/v2/routes/edge_strategies')
})

test('waiting for an export ends when it is completed, and throws the reason if it failed', async () => {
  const seen: number[] = []
  server.plan(exported('processing'), exported('processing'), exported('completed'))
  const on_poll = () => seen.push(server.arrived.length)
  const done = await waitForExport(client, '2', { ...quick, on_poll })
  assert.deepEqual([done.attributes.status, seen], ['completed', [1, 2, 3]])
  server.plan(exported('processing'), exported('failed', 'Ask for a shorter period.'))
  await assert.rejects(waitForExport(client, '2', quick), (error) => {
    assert.ok(error instanceof ExportFailedError)
    assert.equal(error.message, 'Export 2 failed: Ask for a shorter period.')
    return error.export.attributes.status === 'failed'
  })
})

test('a wait survives a temporarily unavailable service, but not one that was never reached', async () => {
  server.plan(exported('processing'), 'reset', { status: 503 }, { status: 429 }, exported('completed'))
  assert.equal((await waitForExport(client, '2', quick)).attributes.status, 'completed')
  server.plan({ status: 503 }, exported('completed'))
  await assert.rejects(waitForExport(client, '2', quick), /503/)
  server.plan(exported('processing'), { status: 404 })
  await assert.rejects(waitForExport(client, '2', quick), NotFoundError)
})

test('a wait ends at its timeout with the last status, or when its signal aborts', async () => {
  server.plan(exported('processing'))
  await assert.rejects(waitForExport(client, '2', { ...quick, timeout_ms: 30 }), (error) => {
    assert.ok(error instanceof WaitTimeoutError)
    assert.match(error.message, /^Export 2 was not over after 0\.03 s\.$/)
    return (error.last as { id: string }).id === '2'
  })
  const reason = new Error('Ctrl-C')
  const controller = new AbortController()
  const waiting = { poll_ms: 600_000, signal: controller.signal, on_poll: () => controller.abort(reason) }
  await assert.rejects(waitForExport(client, '2', waiting), reason)
})

test('waiting for a port order ends when the order is final or needs the customer', async () => {
  for (const status of [...finalStatuses, 'Rejected']) {
    server.plan(order('Submitted'), order(status))
    assert.equal((await waitForPortOrder(client, '7', quick)).attributes.status, status)
  }
  server.plan(order('Rejected'), order('Review'), order('Accepted'))
  const accepted = await waitForPortOrder(client, '7', { ...quick, until: ['Accepted'] })
  assert.equal(accepted.attributes.status, 'Accepted')
  server.plan(order('Submitted'), order('Canceled'))
  await assert.rejects(waitForPortOrder(client, '7', { ...quick, until: ['Accepted', 'Completed'] }), (error) => {
    assert.ok(error instanceof PortOrderEndedError)
    assert.equal(error.message, 'Port order 7 is Canceled, so it will never be Accepted or Completed.')
    return true
  })
})

test('the final statuses are those without transitions', () => {
  assert.deepEqual([...finalStatuses], portOrders.portOrderStatuses.filter(portOrders.terminal))
})
