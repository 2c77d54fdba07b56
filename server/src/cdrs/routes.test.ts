import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askExport, march } from '../../test/support/exports.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'

// without a worker: every export stays `processing`
const server = await startTestServer({ overrides: { warehouse: { wait_ms: 100 } } })
const raw = rawClient(server.base_url, server.account)

const every = {
  ...march,
  number_aliases: ['Front desk', 'Lager Süd'],
  number_aliases_contains: ['desk'],
  destination_numbers: ['+12065550100', '12065550101'],
  callerid_numbers: ['14255550111'],
  custom_x_tags: ['gold'],
  caller_ip: '192.0.2.0/24',
  duration_greater_than: 1.5,
  duration_less_than: '600',
  cost_greater_than: 0.00000001,
  cost_less_than: '1.25',
  destination_countries_included: ['us', 'CA'],
  destination_countries_excluded: ['MX'],
  tollfree_only: false,
  direction: 'outbound' as const,
  exclude_cancelled: true,
  destination_prefix: ['+1206'],
  callerid_prefix: ['1425'],
}

const processing = {
  callback_url: null,
  status: 'processing',
  failure_reason: null,
  download_url: null,
  expires_at: null,
  total_cost: null,
  call_subtotal: null,
  connect_fees: null,
  cnamlookup_fees: null,
  usf_fees: null,
  ccrf: null,
  billed_minutes: null,
  num_calls: null,
  format: 'csv',
  sha256: null,
  bytes: null,
  progress: 0,
}

test('a new export is returned with 202 and every attribute: processing, costs and file null', async () => {
  const body = { data: { type: 'cdrexport', attributes: { filter_parameters: march } } }
  const response = await raw('POST', '/v2/cdrs/exports', body, { 'content-type': 'application/vnd.api+json' })
  assert.equal(response.status, 202)
  assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
  const document = (await response.json()) as { data: { id: string; attributes: Record<string, string> } }
  const { id, attributes } = document.data
  assert.match(id, /^\d+$/)
  const { requested_at, created_at } = attributes
  assert.match(requested_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const self = `${server.base_url}/v2/cdrs/exports/${id}`
  assert.deepEqual(document, {
    data: {
      type: 'cdrexport',
      id,
      attributes: { ...march, ...processing, requested_at, created_at: requested_at, filter_parameters: march },
      links: { self },
    },
    links: { self },
  })
  assert.equal(created_at, requested_at)
})

test('only the given filters are echoed as written, in filter_parameters and among the attributes', async () => {
  const { id, attributes } = await askExport(server.account, every)
  assert.deepEqual(attributes.filter_parameters, every)
  for (const [name, value] of Object.entries(every)) assert.deepEqual(attributes[name], value, name)
  const read = await server.account.client.getCdrExport({ params: { export_id: id } })
  assert.deepEqual(read.body.data.attributes, attributes)
  const plain = await askExport(server.account)
  assert.deepEqual(
    Object.keys(plain.attributes).filter((name) => name in every),
    Object.keys(march),
  )
})

test('times may also be ISO 8601 with an offset, and are echoed as written', async () => {
  for (const start_call_start_time of [
    '2025-03-01T00:00:00+02:00',
    '2025-03-01T00:00:00.123456Z',
    '2025-03-01T00:00:00.000000+0000',
    '2025-03-01T00:00Z',
  ]) {
    const times = { start_call_start_time, start_call_end_time: '2025-03-01T00:00:00.124Z' }
    assert.deepEqual((await askExport(server.account, times)).attributes.filter_parameters, times)
  }
})

test('null, an empty string, or an empty list disables an optional filter, and is echoed as written', async () => {
  const empty = Object.fromEntries(
    Object.entries(every)
      .filter(([name]) => !(name in march))
      .flatMap(([name, value]) =>
        [null, '', ...(Array.isArray(value) ? [[]] : [])].map((none) => [name, none] as const),
      )
      .map(([name, none], i) => [`${i} ${name}`, { ...march, [name]: none }]),
  )
  for (const [which, filter_parameters] of Object.entries(empty)) {
    const attributes = { callback_url: '', format: null, filter_parameters }
    const response = await raw('POST', '/v2/cdrs/exports', { data: { type: 'cdrexport', attributes } })
    assert.equal(response.status, 202, which)
    const { data } = (await response.json()) as { data: { id: string; attributes: Record<string, unknown> } }
    assert.deepEqual(data.attributes['filter_parameters'], filter_parameters, which)
    assert.deepEqual([data.attributes['callback_url'], data.attributes['format']], [null, 'csv'])
    const { filter } = await server.db
      .selectFrom('cdr_export')
      .select('filter')
      .where('id', '=', data.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(Object.keys(filter), ['start_call_start_time', 'start_call_end_time'], which)
  }
})

test('an export records an event of the account with the key that requested it', async () => {
  const { id } = await askExport(server.account)
  const [event] = await listEvents(server.db, { subject_type: 'cdrexport', subject_id: id, limit: 10, offset: 0 })
  assert.equal(event?.type, 'cdrexport.requested')
  assert.equal(event?.chain_id, server.account.id)
  assert.equal(event?.actor, `key:${server.account.credentials.access_key}`)
})

test('the same request with the same Idempotency-Key creates one export', async () => {
  const body = { data: { type: 'cdrexport', attributes: { filter_parameters: march } } }
  const once = () => server.account.client.createCdrExport({ body }, { idempotency_key: 'export-once' })
  const [first, second] = [await once(), await once()]
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
})

test('exports are listed newest first, in pages, by status', async () => {
  const account = await server.newAccount('Lister')
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.unshift((await askExport(account)).id)
  const page = async (query: { limit?: number; offset?: number; status?: 'processing' | 'completed' | 'failed' }) =>
    (await account.client.listCdrExports({ query })).body
  const idsOf = async (query: Parameters<typeof page>[0]) => (await page(query)).data.map((d) => d.id)
  assert.deepEqual(await idsOf({}), ids)
  assert.deepEqual(await idsOf({ status: 'processing', limit: 2, offset: 1 }), ids.slice(1, 3))
  assert.deepEqual(await idsOf({ status: 'completed' }), [])
  const list = `${server.base_url}/v2/cdrs/exports`
  assert.deepEqual((await page({})).links, { self: `${list}?limit=10&offset=0` })
  assert.deepEqual((await page({ limit: 2, status: 'processing' })).links, {
    self: `${list}?limit=2&status=processing&offset=0`,
    next: `${list}?limit=2&status=processing&offset=2`,
  })
  assert.deepEqual((await page({ limit: 2, offset: 3 })).links, { self: `${list}?limit=2&offset=3` })
  const wrong = await raw('GET', '/v2/cdrs/exports?limit=x&status=done&stray')
  assert.equal(wrong.status, 422)
  const { errors } = (await wrong.json()) as { errors: { detail: Record<string, string[]> }[] }
  assert.deepEqual(Object.keys(errors[0]?.detail ?? {}), ['limit', 'status'])
  assert.deepEqual(Object.keys(await fieldErrors(account.client.listCdrExports({ query: { limit: 201 } }))), ['limit'])
})

test("another account's export is indistinguishable from a nonexistent one", async () => {
  const { id } = await askExport(server.account)
  const { client } = server.other
  const detailOf = async (export_id: string) => {
    const detail = await sentence(client.getCdrExport({ params: { export_id } }), 404)
    return detail.replace(export_id, 'N')
  }
  assert.equal(await detailOf(id), await detailOf('999999999'))
  assert.deepEqual((await client.listCdrExports()).body.data, [])
  const file = await sentence(client.getCdrExportFile({ params: { export_id: id } }), 404)
  assert.equal(file.replace(id, 'N'), await detailOf('999999999'))
  for (const export_id of ['abc', '1.5', '-1', '1e3', '99999999999999999999'])
    await refusal(client.getCdrExport({ params: { export_id } }), 404)
})

test('the operator sees the exports of all accounts, and requests one on behalf of an account', async () => {
  const { id } = await askExport(server.account)
  assert.equal((await server.operator.getCdrExport({ params: { export_id: id } })).body.data.id, id)
  const body = { data: { type: 'cdrexport', attributes: { filter_parameters: march } } }
  assert.ok('Demarc-Account' in (await fieldErrors(server.operator.createCdrExport({ body }))))
  const made = await server.operator.createCdrExport({ body }, { headers: { 'demarc-account': server.other.id } })
  const seen = await server.other.client.getCdrExport({ params: { export_id: made.body.data.id } })
  assert.equal(seen.body.data.id, made.body.data.id)
})

test('a read-only key can list exports but not request one', async () => {
  const reader = await server.newAccount('Reader', ['read'])
  assert.deepEqual((await reader.client.listCdrExports()).body.data, [])
  await refusal(askExport(reader), 403)
})

test('a file that does not exist yet is a 404 with the reason', async () => {
  const { id } = await askExport(server.account)
  const error = await refusal(server.account.client.getCdrExportFile({ params: { export_id: id } }), 404)
  assert.equal(error.detail, `Export ${id} is processing and has no file.`)
})

test('an account with a hundred waiting exports cannot request another until one completes', async () => {
  const account = await server.newAccount('Hoarder')
  for (let i = 0; i < 100; i++) await askExport(account)
  assert.match(await sentence(askExport(account), 409), /^100 exports are already being built/)
})

test('without the call-record store an estimate is a 503 with Retry-After', async () => {
  const body = { data: { type: 'cdrexport', attributes: { filter_parameters: march } } }
  const response = await raw('POST', '/v2/cdrs/exports/estimate', body)
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('retry-after'), '2')
})
