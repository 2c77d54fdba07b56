import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WireError } from '@demarc/client'
import { march } from '../../test/support/exports.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer } from '../../test/support/server.ts'
import { createOutbound } from '../platform/outbound/index.ts'

// callbacks go to the public internet only, as in production
const server = await startTestServer({
  overrides: { outbound: createOutbound({ allow_cidrs: [], user_agent: 'Demarc/test' }) },
})
const raw = rawClient(server.base_url, server.account)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The detail of each error by its field's pointer. Every error object matches the contract. */
async function fieldErrors(attributes: unknown, path = '/v2/cdrs/exports'): Promise<Record<string, string>> {
  const response = await raw('POST', path, { data: { type: 'cdrexport', attributes } })
  const text = await response.text()
  assert.equal(response.status, 422, text)
  const { errors } = JSON.parse(text) as { errors: WireError[] }
  assert.equal(new Set(errors.map((e) => e.id)).size, errors.length, 'ids are unique')
  const details: Record<string, string> = {}
  for (const error of errors) {
    assert.deepEqual(Object.keys(error).toSorted(), ['detail', 'id', 'source', 'status'])
    assert.match(error.id ?? '', uuid)
    assert.equal(error.status, 422)
    assert.ok(typeof error.detail === 'string')
    details[error.source?.pointer.replace('/data/attributes/', '').replace('filter_parameters/', '') ?? ''] =
      error.detail
  }
  return details
}

const ofFilter = (filter: Record<string, unknown>) => fieldErrors({ filter_parameters: { ...march, ...filter } })

describe('each invalid filter is rejected', () => {
  const notTimes = [
    '2025-02-30 00:00:00',
    '2025-13-01 00:00:00',
    '2025-03-01 24:00:01',
    '2025-03-01 12:60:00',
    '2025-03-01',
    '2025-3-1 00:00:00',
    '2025-03-01T00:00:00',
    '2025-03-01 00:00:00Z',
    '2025-03-01 00:00:00+02:00',
    '01/03/2025 00:00:00',
    'yesterday',
    '',
    ' 2025-03-01 00:00:00',
    1740787200,
    null,
    ['2025-03-01 00:00:00'],
  ]
  for (const field of ['start_call_start_time', 'start_call_end_time'] as const)
    test(`${field} that is malformed or not an existing time`, async () => {
      for (const value of notTimes)
        assert.match(
          (await ofFilter({ [field]: value }))[field] ?? '',
          new RegExp(`^${field}: must be a UTC time of the form`),
          JSON.stringify(value),
        )
    })

  const wrong: Record<string, unknown[]> = {
    number_aliases: ['Front desk', [''], [1], [null], Array.from({ length: 1001 }, () => 'x'), ['x'.repeat(256)]],
    number_aliases_contains: [{}, ['']],
    destination_numbers: ['12065550100', ['1206-555-0100'], ['++1206'], [12065550100], ['']],
    callerid_numbers: [['anonymous'], ['+']],
    custom_x_tags: ['gold', [1]],
    caller_ip: ['192.0.2.256', '192.0.2.0/33', 'gateway.example', ['192.0.2.1'], '2001:db8::/129', 3221225994],
    duration_greater_than: ['ten', -1, '1e3', ' ', true, '1.0001', '10000000000'],
    duration_less_than: ['-5', Number.MAX_SAFE_INTEGER],
    cost_greater_than: ['0.123456789', '$1', '1,5'],
    cost_less_than: [-0.01, 'x'],
    destination_countries_included: [['USA'], ['U'], 'US', ['1A'], [null], ['UK'], ['ZZ']],
    destination_countries_excluded: [['USA'], ['XK']],
    tollfree_only: ['true', 1],
    direction: ['in', 'INBOUND', ['inbound']],
    exclude_cancelled: ['yes', 0],
    destination_prefix: [['1206*'], [''], '1206'],
    callerid_prefix: [['+'], [425]],
  }
  for (const [field, values] of Object.entries(wrong))
    test(field, async () => {
      for (const value of values) {
        const details = await ofFilter({ [field]: value })
        const [pointer = '', ...more] = Object.keys(details)
        assert.match(pointer, new RegExp(`^${field}(/\\d+)?$`), JSON.stringify(value).slice(0, 80))
        assert.deepEqual(more, [], JSON.stringify(value).slice(0, 80))
        assert.match(details[pointer] ?? '', new RegExp(`^${field}(\\.\\d+)?: `))
      }
    })

  test('an unassigned country code, with a suggestion', async () => {
    const code = 'must be an assigned country code (ISO 3166-1 alpha-2)'
    assert.deepEqual(await ofFilter({ destination_countries_included: ['US', 'uk', 'ZZ'] }), {
      'destination_countries_included/1': `destination_countries_included.1: ${code}; write GB for UK.`,
      'destination_countries_included/2': `destination_countries_included.2: ${code}, not ZZ.`,
    })
  })

  test('an unknown filter, by name', async () => {
    assert.deepEqual(await ofFilter({ destination_number: ['12065550100'], tollfree: true }), {
      destination_number: 'destination_number: is not a known field.',
      tollfree: 'tollfree: is not a known field.',
    })
  })

  test('contradicting filters', async () => {
    assert.deepEqual(await ofFilter({ duration_greater_than: 60, duration_less_than: '60.000' }), {
      duration_less_than: 'duration_less_than: must be more than duration_greater_than.',
    })
    assert.deepEqual(await ofFilter({ cost_greater_than: '0.1', cost_less_than: '0.09999999' }), {
      cost_less_than: 'cost_less_than: must be more than cost_greater_than.',
    })
    assert.deepEqual(
      await ofFilter({ destination_countries_included: ['US', 'ca'], destination_countries_excluded: ['CA', 'MX'] }),
      { destination_countries_excluded: 'destination_countries_excluded: also included: CA.' },
    )
    for (const end of ['2025-03-01 00:00:00', '2025-02-28 23:59:59'])
      assert.deepEqual(await ofFilter({ start_call_end_time: end }), {
        start_call_end_time: 'start_call_end_time: must be after start_call_start_time.',
      })
  })
})

test('all errors are reported together', async () => {
  const details = await fieldErrors({
    callback_url: 'ftp://hooks.example/',
    format: 'xlsx',
    retries: 3,
    filter_parameters: {
      start_call_start_time: '2025-02-30 00:00:00',
      destination_numbers: ['1', 'x', 'y'],
      caller_ip: 'x',
      unheard_of: 1,
    },
  })
  assert.deepEqual(
    Object.keys(details).toSorted(),
    [
      'caller_ip',
      'callback_url',
      'destination_numbers/1',
      'destination_numbers/2',
      'format',
      'retries',
      'start_call_end_time',
      'start_call_start_time',
      'unheard_of',
    ].toSorted(),
  )
  assert.equal(details['start_call_end_time'], 'start_call_end_time: is required.')
})

test('contradictions and a disallowed callback_url are reported together with other invalid fields', async () => {
  const body = {
    data: {
      type: 'export',
      attributes: {
        callback_url: 'http://10.1.2.3/',
        filter_parameters: { ...march, direction: 'in', cost_greater_than: 2, cost_less_than: 1 },
      },
    },
  }
  const { errors } = (await (await raw('POST', '/v2/cdrs/exports', body)).json()) as { errors: WireError[] }
  assert.deepEqual(
    errors.map(({ source }) => source?.pointer).toSorted(),
    [
      '/data/type',
      ...['/filter_parameters/direction', '/filter_parameters/cost_less_than', '/callback_url'].map(
        (field) => `/data/attributes${field}`,
      ),
    ].toSorted(),
  )
})

test('missing required fields are reported', async () => {
  assert.deepEqual(await fieldErrors({}), { filter_parameters: 'filter_parameters: is required.' })
  assert.deepEqual(await fieldErrors({ filter_parameters: {} }), {
    start_call_start_time: 'start_call_start_time: is required.',
    start_call_end_time: 'start_call_end_time: is required.',
  })
  for (const filter_parameters of [null, 'x', 1, []]) {
    const details = await fieldErrors({ filter_parameters })
    assert.deepEqual(
      details,
      { filter_parameters: 'filter_parameters: must be an object.' },
      JSON.stringify(filter_parameters),
    )
  }
})

test('an estimate rejects the same filters with the same messages', async () => {
  const filter_parameters = { ...march, direction: 'in', x: 1 }
  assert.deepEqual(
    await fieldErrors({ filter_parameters }, '/v2/cdrs/exports/estimate'),
    await fieldErrors({ filter_parameters }),
  )
})

describe('a disallowed callback_url is rejected', () => {
  const form = 'callback_url: must be an http:// or https:// URL without a user name or password.'
  const grid: [url: unknown, expected: string | RegExp][] = [
    ['ftp://hooks.example/', form],
    ['javascript:alert(1)', form],
    ['hooks.example/cdr', form],
    ['https://user:secret@hooks.example/', form],
    ['http://', form],
    [42, 'callback_url: must be a URL.'],
    [`https://hooks.example/${'x'.repeat(2000)}`, 'callback_url: at most 2000 characters.'],
    ['http://127.0.0.1:8000/', /not on the public internet/],
    ['http://10.1.2.3/', /not on the public internet/],
    ['http://169.254.169.254/latest/meta-data/', /not on the public internet/],
    ['http://[::1]/', /not on the public internet/],
    ['http://[::ffff:10.0.0.1]/', /not on the public internet/],
    ['http://0x7f000001/', /not on the public internet/],
    ['http://localhost/', /not on the public internet/],
    ['https://hooks.example:22/', /^callback_url: Port 22 is not allowed/],
    ['https://hooks.example:6379/', /^callback_url: Port 6379/],
  ]
  for (const [callback_url, expected] of grid)
    test(String(callback_url).slice(0, 60), async () => {
      const details = await fieldErrors({ callback_url, filter_parameters: march })
      assert.deepEqual(Object.keys(details), ['callback_url'])
      if (typeof expected === 'string') assert.equal(details['callback_url'], expected)
      else assert.match(details['callback_url'] ?? '', expected)
      assert.doesNotMatch(details['callback_url'] ?? '', /secret|meta-data/, 'the URL is not repeated')
    })

  test('a public URL is accepted, and null or an empty string means none', async () => {
    for (const callback_url of ['https://hooks.example/cdr?key=1', 'http://hooks.example:8080/', null, '']) {
      const response = await raw('POST', '/v2/cdrs/exports', {
        data: { type: 'cdrexport', attributes: { callback_url, filter_parameters: march } },
      })
      assert.equal(response.status, 202)
    }
  })
})

test('a body that is not an export is rejected because of its envelope', async () => {
  const send = async (body: unknown) => {
    const response = await raw('POST', '/v2/cdrs/exports', body)
    const { errors } = (await response.json()) as { errors: WireError[] }
    return [response.status, ...errors.map((e) => e.detail)]
  }
  const attributes = { filter_parameters: march }
  assert.deepEqual(await send({ data: { type: 'export', attributes } }), [422, 'type: must be "cdrexport".'])
  assert.deepEqual(await send({ data: { attributes } }), [422, 'type: must be "cdrexport".'])
  assert.deepEqual(await send({}), [422, 'data: is required.'])
  assert.deepEqual(await send({ data: { type: 'cdrexport', attributes }, other: 1 }), [
    422,
    'other: is not a known field.',
  ])
  assert.deepEqual((await send('[')).slice(0, 1), [400])
})
