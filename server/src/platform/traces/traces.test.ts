import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testEngine } from '../../../test/support/engine.ts'
import { leaksIn } from '../../../test/support/canaries.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { completedExport, march } from '../../../test/support/exports.ts'
import { startReceiver } from '../../../test/support/receiver.ts'
import { refusal } from '../../../test/support/refusals.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { wire } from '../../../test/support/wire.ts'
import { ingestCall } from '../../engines/call-records/testing/records.ts'
import { silentLog } from '../postgres/log.ts'
import { flush_ms, startTraces } from './exporter.ts'
import { currentTraceparent, inJobSpan, inSpan, startRequestSpan, withSpan } from './index.ts'
import type { TraceSettings } from './settings.ts'
import { summaryOf } from './outgoing.ts'

/** A span as the receiver gets it. */
interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
}

interface ReceivedBody {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
}

const collector = await startReceiver()
const customer = await startReceiver()
const settings: TraceSettings = {
  url: collector.url('/v1/traces'),
  headers: { 'x-tenant': 'carrier' },
  timeout_ms: 1_000,
  service_name: 'demarc',
  resource: { 'deployment.environment': 'test' },
  sampler: { name: 'parentbased_always_on', ratio: 1 },
  batch: { delay_ms: 20, timeout_ms: 1_000, queue: 10_000, size: 512 },
}
const { socket } = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: socket })
let tracing = startTraces(settings, 'test', silentLog)
after(() => tracing.stop())

const exported = () => collector.requests.filter(({ path }) => path === '/v1/traces')
const spans = () => exported().flatMap(spansIn)

function spansIn({ body }: { body: string }): ReceivedSpan[] {
  // the exporter writes it
  const { resourceSpans } = JSON.parse(body) as ReceivedBody
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

/** The first span that matches, once it has arrived. */
async function arrived(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
  await eventually(() => spans().some(matches))
  return spans().find(matches) ?? assert.fail()
}

const attribute = ({ attributes }: ReceivedSpan, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]
const isLinkedTo = (from: ReceivedSpan) => (span: ReceivedSpan) =>
  span.links?.some(({ traceId, spanId }) => traceId === from.traceId && spanId === from.spanId) ?? false

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const client_span = '00f067aa0ba902b7'
const traceparent = `00-${trace_id}-${client_span}-01`
const send = wire(server.base_url, server.account.credentials)

test('a request continues the client’s trace, and its SQL statements are spans', async () => {
  await server.operator.addNumbers({
    params: { account_id: server.account.id },
    body: { numbers: [{ value: '12065550177', number_type: 'longcode', state: 'WA' }] },
  })
  const response = await send('GET /v2/numbers/12065550177', { headers: { traceparent } })
  assert.equal(response.status, 200)
  assert.equal(response.headers['x-trace-id'], trace_id)
  const request = await arrived((span) => span.traceId === trace_id && span.kind === 2)
  assert.deepEqual([request.name, request.parentSpanId], ['GET /v2/numbers/{number}', client_span])
  const { id: account_id } = server.account
  for (const [name, value] of Object.entries({
    'http.request.method': 'GET',
    'http.route': '/v2/numbers/{number}',
    'http.response.status_code': 200,
    'demarc.operation': 'getNumber',
    'demarc.account_id': account_id,
    'demarc.request_id': response.headers['x-request-id'],
  }))
    assert.equal(attribute(request, name), value, name)
  const statement = await arrived((span) => span.parentSpanId === request.spanId)
  assert.equal(attribute(statement, 'db.system.name'), 'postgresql')
  assert.match(statement.name, /^select /)
  assert.deepEqual(
    exported().map(({ headers }) => headers['x-tenant']),
    exported().map(() => 'carrier'),
  )
})

test('an error response names its trace', async () => {
  const response = await send('GET /v2/numbers/12065550100')
  assert.equal(response.status, 404)
  const id = response.headers['x-trace-id'] ?? assert.fail()
  const request = await arrived((span) => span.traceId === id && span.kind === 2)
  assert.deepEqual([attribute(request, 'http.response.status_code'), request.status.code ?? 0], [404, 0])
})

test('an invalid traceparent starts a new trace', () => {
  const invalid = [
    '',
    'nonsense',
    `ff-${trace_id}-${client_span}-01`,
    `00-${'0'.repeat(32)}-${client_span}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id}-${client_span}-01-more`,
    traceparent.toUpperCase(),
    `${traceparent}, ${traceparent}`,
  ]
  for (const each of invalid) assert.notEqual(startRequestSpan('x', {}, each)?.trace_id, trace_id, each)
  assert.equal(startRequestSpan('x', {}, `01-${trace_id}-${client_span}-01-more`)?.trace_id, trace_id)
})

test('a health check has no trace', async () => {
  assert.equal((await fetch(`${server.base_url}/health/live`)).headers.get('x-trace-id'), null)
})

test('an export is a chain of linked traces, from its request to the callback', async () => {
  await ingestCall(server.operator, server.account.id)
  const ingest = await arrived(({ name }) => name === 'ingest call records')
  await arrived(({ name, parentSpanId }) => name === 'insert demarc.cdr' && parentSpanId === ingest.spanId)
  const { id } = await completedExport(server.account, march, {
    callback_url: customer.url('/hook?token=CANARY-TOKEN'),
  })
  const [callback] = await customer.waitFor(1, '/hook?token=CANARY-TOKEN')
  const request = await arrived((span) => attribute(span, 'demarc.operation') === 'createCdrExport')
  const build = await arrived(isLinkedTo(request))
  assert.deepEqual([build.name, attribute(build, 'demarc.export_id')], ['job build-cdr-export', id])
  assert.notEqual(build.traceId, request.traceId)
  const ofBuild = () =>
    new Set(
      spans()
        .filter(({ traceId }) => traceId === build.traceId)
        .map(({ name }) => name),
    )
  for (const step of ['read call records', 'write export file', 'compare with ledger', 'complete export'])
    assert.ok(ofBuild().has(step), step)
  const complete = spans().filter(({ traceId, name }) => traceId === build.traceId && name === 'complete export')[0]
  const notify = await arrived((span) => span.name === 'job notify' && isLinkedTo(complete ?? build)(span))
  const deliver = await arrived((span) => span.name === 'job deliver' && isLinkedTo(notify)(span))
  const notification = await arrived((s) => s.traceId === deliver.traceId && s.name === 'send notification')
  assert.equal(attribute(notification, 'demarc.event_type'), 'cdrexport.completed')
  const post = await arrived((span) => span.parentSpanId === notification.spanId)
  assert.equal(callback?.headers['traceparent'], `00-${post.traceId}-${post.spanId}-01`)
  assert.deepEqual(
    [post.name, attribute(post, 'server.address'), attribute(post, 'http.response.status_code')],
    ['POST', '127.0.0.1', 204],
  )
})

/** Without times, and ids that Demarc makes: a house number of four digits is found among them by chance. */
const withoutRandomDigits = (body: string): string =>
  body
    .replaceAll(/"(traceId|spanId|parentSpanId)":"[0-9a-f]+"/g, '"$1":""')
    .replaceAll(/"(\w+UnixNano)":"\d+"/g, '"$1":""')
    .replaceAll(/"(demarc\.request_id|service\.instance\.id)","value":\{"stringValue":"[0-9a-f-]{36}"\}/g, '"$1"')

test('the receiver gets no secret, number, name, address, or query string', async () => {
  const { client, credentials } = server.account
  const address = { street_number: '4711', street_name: 'CANARYSTREET', city: 'CANARYVILLE', state: 'WA', zip: '98101' }
  const attributes = {
    ...address,
    label: 'CANARYLABEL',
    first_name: 'CANARYNAME',
    last_name: 'Diaz',
    country: 'US' as const,
  }
  await refusal(client.createE911({ body: { data: { type: 'e911', attributes: { ...attributes, zip: '' } } } }), 422)
  await client.createE911({ body: { data: { type: 'e911', attributes } } }).catch(() => undefined)
  await client.createCnam({ body: { value: 'CANARY CNAM' } })
  await send('GET /v2/numbers?contains=5550177&alias=CANARYALIAS')
  await send('GET /v2/numbers/CANARYPATH')
  assert.equal(
    (await wire(server.base_url, { ...credentials, secret_key: 'CANARYWRONG' })('GET /v2/cnams')).status,
    401,
  )
  const last = await send('GET /v2/cnams?contains=CANARYQUERY')
  await arrived(({ traceId }) => traceId === last.headers['x-trace-id'])
  const canaries = Object.fromEntries(
    [
      credentials.access_key,
      credentials.secret_key,
      server.operator_credentials.secret_key,
      '2065550177',
      '5550100',
      'CANARY',
      '4711',
      '98101',
      'Harbor Dental',
      'token=',
    ].map((each) => [each, each]),
  )
  const artifacts = exported().map(({ body }) => ({ name: 'traces', bytes: Buffer.from(withoutRandomDigits(body)) }))
  assert.deepEqual(leaksIn(artifacts, { operation: 'createE911' }).length > 0, true, 'the search works')
  assert.deepEqual(leaksIn(artifacts, canaries), [])
})

test('the name of a statement has its tables, and no value', () => {
  const grid: [string, string][] = [
    ['select "id" from "cnam" where "value" = $1', 'select cnam'],
    ['insert into job as j (kind) values ($1) on conflict do update set x = 1', 'insert job'],
    [`select 'it\\'s from Rosa', 'a from b' from number n join voice_route r on true`, 'select number voice_route'],
    ['update job set a = 1 from unnest($1::text[]) as run (kind)', 'update job'],
    ['with a as (select 1) select * from only a', 'with a'],
    ['-- from nobody\nselect extract(year from now()) /* from x */', 'select'],
    ['commit', 'commit'],
    ['', 'statement'],
  ]
  for (const [sql, summary] of grid) assert.equal(summaryOf(sql), summary)
})

/** Whether a request with each traceparent, and a job linked to it, is sampled. */
async function sampled(sampler: TraceSettings['sampler'], from: string | null): Promise<string> {
  await tracing.stop()
  tracing = startTraces({ ...settings, sampler }, 'test', silentLog)
  const request = startRequestSpan('x', {}, from)
  const flag = (text: string | null) => (text?.endsWith('-01') === true ? 'yes' : 'no')
  const inside = withSpan(request, () => inSpan('y', {}, async () => currentTraceparent()))
  const job = inJobSpan('z', from, async () => currentTraceparent())
  return [flag(request?.traceparent ?? null), flag(await inside), flag(await job)].join(' ')
}

test('samplers decide as the specification of OpenTelemetry says, and jobs like what enqueued them', async () => {
  const not = traceparent.replace(/01$/, '00')
  const grid: [TraceSettings['sampler'], string | null, string][] = [
    [{ name: 'always_on', ratio: 0 }, not, 'yes yes yes'],
    [{ name: 'always_off', ratio: 1 }, traceparent, 'no no no'],
    [{ name: 'traceidratio', ratio: 0 }, traceparent, 'no no no'],
    [{ name: 'traceidratio', ratio: 1 }, not, 'yes yes yes'],
    [{ name: 'parentbased_always_on', ratio: 0 }, null, 'yes yes yes'],
    [{ name: 'parentbased_always_on', ratio: 0 }, not, 'no no no'],
    [{ name: 'parentbased_always_off', ratio: 1 }, traceparent, 'yes yes yes'],
    [{ name: 'parentbased_always_off', ratio: 1 }, null, 'no no no'],
    [{ name: 'parentbased_traceidratio', ratio: 0 }, traceparent, 'yes yes yes'],
    [{ name: 'parentbased_traceidratio', ratio: 0 }, null, 'no no no'],
    [{ name: 'parentbased_traceidratio', ratio: 1 }, null, 'yes yes yes'],
  ]
  for (const [sampler, from, expected] of grid)
    assert.equal(await sampled(sampler, from), expected, `${sampler.name} ${from}`)
})

/** The dropped spans by reason, as /metrics has them. */
async function dropped(): Promise<Record<string, number>> {
  const text = await server.runtime.metrics.registry.getSingleMetricAsString('demarc_trace_spans_dropped_total')
  const lines = text.matchAll(/\{reason="(\w+)"\} (\d+)/g)
  return Object.fromEntries([...lines].map(([, reason = '', count]) => [reason, Number(count)]))
}

test('without a receiver requests work, and their spans are counted as dropped', async () => {
  await tracing.stop()
  const before = await dropped()
  assert.deepEqual(Object.keys(before).toSorted(), ['not_exported', 'queue_full'])
  tracing = startTraces({ ...settings, url: 'http://127.0.0.1:9/v1/traces', timeout_ms: 50 }, 'test', silentLog)
  assert.equal((await send('GET /v2/cnams')).status, 200)
  await eventually(async () => ((await dropped())['not_exported'] ?? 0) > (before['not_exported'] ?? 0))
})

test('a receiver that hangs delays neither requests nor the stop, and bounds the spans in memory', async () => {
  await tracing.stop()
  const silent = await startReceiver()
  silent.respond = () => () => undefined
  const { queue_full: before = 0 } = await dropped()
  const batch = { delay_ms: 1, timeout_ms: 2_000, queue: 8, size: 4 }
  tracing = startTraces({ ...settings, url: silent.url('/v1/traces'), timeout_ms: 2_000, batch }, 'test', silentLog)
  for (let i = 0; i < 10; i++) assert.equal((await send('GET /v2/cnams')).status, 200)
  await eventually(async () => ((await dropped())['queue_full'] ?? 0) > before)
  const began = performance.now()
  await tracing.stop()
  const stopped_ms = performance.now() - began
  assert.ok(stopped_ms < flush_ms * 5, `the stop took ${stopped_ms} ms`)
  const sent = silent.requests.flatMap(spansIn).length
  assert.ok(sent > 0 && sent <= batch.queue, `${sent} spans were in memory`)
  tracing = startTraces(settings, 'test', silentLog)
})

test('without a tracer, nothing is recorded', async () => {
  await tracing.stop()
  const response = await send('GET /v2/cnams', { headers: { traceparent } })
  assert.deepEqual([response.status, response.headers['x-trace-id']], [200, undefined])
  assert.equal(await inJobSpan('x', traceparent, async () => currentTraceparent()), null)
})
