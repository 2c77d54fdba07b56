import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { before, test } from 'node:test'
import { DemarcError } from '@demarc/client'
import { startTestServer } from '../../test/support/server.ts'
import { followUps } from './datasets/follow-ups.ts'
import { DEMO_DATASET, demoTownCsv } from '../../seed/town.ts'
import { DEMO_EXAMPLES } from '../../test/support/town.ts'
import { importDataset } from '../engines/street-data/index.ts'

const server = await startTestServer({ worker: true })
const { client } = server.account

const wrap = (attributes: object) => ({ data: { type: 'e911', attributes: attributes as never } })

async function refusal(work: Promise<unknown>): Promise<DemarcError> {
  try {
    await work
  } catch (error) {
    if (error instanceof DemarcError) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'a refusal was expected' })
}

before(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-town-'))
  const file = path.join(folder, 'town.csv')
  await writeFile(file, demoTownCsv())
  await importDataset(server.runtime.database.pool, {
    ...DEMO_DATASET,
    follow_ups: followUps,
    file,
    activate: true,
    now: server.clock.now(),
  })
  await rm(folder, { recursive: true })
})

test('a valid address gets 204 without a body', async () => {
  const response = await client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.accepted }) })
  assert.equal(response.status, 204)
})

test('a header says how far a valid address was checked', async () => {
  const levelAt = async (change: object) => {
    const { headers } = await client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.accepted, ...change }) })
    return headers.get('demarc-validation-level')
  }
  assert.equal(await levelAt({}), 'address')
  assert.equal(await levelAt({ city: 'Seattle', state: 'WA', zip: '98101' }), 'postal')
})

test('a nearly right address gets a correction, which is accepted if resubmitted', async () => {
  const error = await refusal(client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.corrected }) }))
  assert.equal(error.status, 422)
  assert.deepEqual([error.errors[0]?.title, error.errors[0]?.status], ['Address Correction Required', 422])
  const corrected = error.errors[0]?.detail as Record<string, string>
  assert.deepEqual(Object.keys(corrected).toSorted(), [
    'city',
    'country',
    'first_name',
    'label',
    'last_name',
    'state',
    'street_name',
    'street_number',
    'zip',
  ])
  assert.equal((await client.validateE911({ body: wrap(corrected) })).status, 204)
})

test('an ambiguous address gets every alternative', async () => {
  const error = await refusal(client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.ambiguous }) }))
  assert.equal(error.errors.length, 2)
})

test('a number past the end of its street gets the nearest numbers and the end of the street', async () => {
  const beyond = { ...DEMO_EXAMPLES.accepted, street_number: '695' }
  const error = await refusal(client.validateE911({ body: wrap(beyond) }))
  assert.deepEqual([error.status, error.errors[0]?.title], [422, 'Address Correction Required'])
  const [nearest] = error.errors.map(({ detail }) => detail as Record<string, string>)
  assert.deepEqual([nearest?.['street_number'], nearest?.['street_name']], ['689', 'N MAIN ST'])
  assert.match(error.errors[0]?.meta?.reason ?? '', /N MAIN ST.*695 was not found: the street ends at 689\./)
})

test('a unit in the street is a field error that names the right fields', async () => {
  const hidden = { ...DEMO_EXAMPLES.accepted, street_name: 'N Main St 4B' }
  const error = await refusal(client.validateE911({ body: wrap(hidden) }))
  assert.deepEqual(error.errors[0]?.detail, {
    street_name: ['Put "Unit" in address_type and "4B" in address_type_number, and only "N MAIN ST" here.'],
  })
})

test('an address that cannot be located gets 400', async () => {
  const error = await refusal(client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.no_such_number }) }))
  assert.deepEqual([error.status, error.errors[0]?.title, error.errors[0]?.status], [400, 'Client Error', 400])
  assert.equal(typeof error.errors[0]?.detail, 'string')
})

test('the metrics count verdicts and levels', async () => {
  const counts = async () =>
    new Map(
      (await (await fetch(`${server.base_url}/metrics`)).text())
        .split('\n')
        .filter((line) => line.startsWith('demarc_e911_verdicts_total{'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  const good = 'demarc_e911_verdicts_total{verdict="ok",level="address"}'
  const nowhere = 'demarc_e911_verdicts_total{verdict="not_geocodable",level="none"}'
  const before = await counts()
  await client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.accepted }) })
  await refusal(client.validateE911({ body: wrap({ ...DEMO_EXAMPLES.no_such_number }) }))
  const after = await counts()
  for (const name of [good, nowhere]) assert.equal((after.get(name) ?? 0) - (before.get(name) ?? 0), 1, name)
})

test('every failing field is named at once', async () => {
  const error = await refusal(client.createE911({ body: wrap({ street_number: 'x', country: 'FR', planet: 'Mars' }) }))
  assert.equal(error.status, 422)
  assert.equal(error.errors[0]?.title, undefined)
  const fields = Object.keys(error.errors[0]?.detail ?? {})
  for (const field of ['label', 'first_name', 'last_name', 'street_name', 'city', 'state', 'country', 'zip', 'planet'])
    assert.ok(fields.includes(field), field)
})

test('the life cycle of an address: create, find, change, assign to a number, refuse deletion while used, delete', async () => {
  const { body } = await client.createE911({ body: wrap({ ...DEMO_EXAMPLES.accepted }) })
  const { id, attributes } = body.data
  assert.equal(typeof attributes.street_number, 'string')
  assert.deepEqual([attributes.address_type, attributes.address_type_number], [null, null])
  const { level, community, esn, psap } = attributes.validation
  assert.deepEqual([level, community, esn, psap], ['address', null, '401', 'Demo County Dispatch'])

  const twice = await refusal(client.createE911({ body: wrap({ ...DEMO_EXAMPLES.accepted, label: 'Other' }) }))
  assert.deepEqual([twice.status, twice.errors[0]?.status, twice.errors[0]?.title], [422, 400, 'Client Error'])

  assert.equal((await client.listE911s({ query: { label: 'hOm' } })).body.data.length, 1)
  assert.equal((await client.listE911s({ query: { label: 'ho%' } })).body.data.length, 0)
  const changed = await client.updateE911({ params: { e911_id: id }, body: wrap({ last_name: 'Żółć' }) })
  assert.equal(changed.body.data.attributes.last_name, 'Żółć')

  await server.operator.addNumbers({
    params: { account_id: server.account.id },
    body: {
      numbers: [
        { value: '12065550177', number_type: 'longcode' },
        { value: '18005550177', number_type: 'toll-free' },
      ],
    },
  })
  assert.equal((await client.assignE911({ params: { number: '12065550177', e911_id: id } })).status, 204)
  assert.equal((await refusal(client.assignE911({ params: { number: '18005550177', e911_id: id } }))).status, 422)
  const shown = (await client.getNumber({ params: { number: '12065550177' } })).body
  assert.deepEqual(shown.data.relationships.e911_address, { data: { type: 'e911', id: Number(id) } })
  const included = shown.included.find((i) => i.type === 'e911')
  assert.deepEqual(included?.attributes, changed.body.data.attributes)
  assert.deepEqual((await client.listE911Numbers({ params: { e911_id: id } })).body.data, [
    {
      type: 'number',
      id: '12065550177',
      attributes: { alias: null, value: '12065550177' },
      links: { self: `${server.base_url}/v2/numbers/12065550177` },
    },
  ])
  const limit = await refusal(client.listE911Numbers({ params: { e911_id: id }, query: { limit: 'ten' } }))
  assert.deepEqual(limit.errors[0]?.detail, { limit: ['Not a valid integer.'] })

  const used = await refusal(client.deleteE911({ params: { e911_id: id } }))
  assert.deepEqual(used.errors, [{ status: 403, title: 'ActionNotAuthorizedError', detail: '' }])
  const foreign = await refusal(server.other.client.getE911({ params: { e911_id: id } }))
  const unknown = await refusal(server.other.client.getE911({ params: { e911_id: '999999' } }))
  assert.equal(
    String(foreign.errors[0]?.detail).replace(id, '?'),
    String(unknown.errors[0]?.detail).replace('999999', '?'),
  )
  assert.equal((await client.unassignE911({ params: { number: '12065550177' } })).status, 204)
  assert.equal((await client.deleteE911({ params: { e911_id: id } })).status, 204)
  assert.equal((await refusal(client.deleteE911({ params: { e911_id: id } }))).status, 404)
})

test('an address is returned as PIDF-LO on request', async () => {
  const { body } = await client.createE911({ body: wrap({ ...DEMO_EXAMPLES.accepted, label: 'Lo' }) })
  const response = await fetch(`${server.base_url}/v2/e911s/${body.data.id}`, {
    headers: {
      accept: 'application/pidf+xml',
      authorization: `Basic ${btoa(`${server.account.credentials.access_key}:${server.account.credentials.secret_key}`)}`,
    },
  })
  assert.equal(response.headers.get('content-type'), 'application/pidf+xml')
  assert.match(await response.text(), /<presence .*<ca:A1>|civicAddress/s)
})

test('street data is uploaded over HTTP and loaded by a job, and deleting it changes the verdicts of its addresses', async () => {
  const csv = demoTownCsv()
  const { status, body } = await server.operator.importE911Dataset({
    query: { name: 'Second town', vintage: '1', format: 'nena-ssap-csv', activate: 'true' },
    body: csv,
    content_type: 'text/csv',
  })
  assert.equal(status, 202)
  assert.equal(body.data.attributes.status, 'loading')
  await server.operator.moveClock({ body: { advance: '1 second' } })
  const loaded = (await server.operator.getE911Dataset({ params: { dataset_id: body.data.id } })).body.data.attributes
  assert.equal(loaded.status, 'active')
  assert.equal(loaded.rows_read, csv.trimEnd().split('\n').length - 1)
  const again = await server.operator.importE911Dataset({
    query: { name: 'Second town', vintage: '1', format: 'nena-ssap-csv', activate: 'true' },
    body: csv,
    content_type: 'text/csv',
  })
  assert.equal(again.body.data.id, body.data.id)
  await assert.rejects(
    server.operator.deleteE911Dataset({ params: { dataset_id: body.data.id } }),
    /is active, and \d+ stored address(es were| was) checked against it/,
  )
  for (const { id } of (await server.operator.listE911Datasets()).body.data)
    await server.operator.deleteE911Dataset({ params: { dataset_id: id }, query: { force: 'true' } })
  await server.operator.moveClock({ body: { advance: '1 second' } })
  const events = (
    await server.operator.listEvents({ query: { account_id: server.account.id, event_type: 'e911.verdict_worsened' } })
  ).body.data
  assert.ok(events.length >= 1)
})
