import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { DemarcError, portOrders } from '@demarc/client'
import { portOrder, run } from './support/cast.ts'
import { openService } from './support/service.ts'
import { until } from './support/until.ts'

/** From a list of numbers to numbers in service, over HTTP alone. */

/** Only a hang takes this long: a busy machine must not fail a test. */
const hang_ms = 120_000

const service = await openService()
after(() => service.stop())
const { account, operator } = service

const bill = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n')
const document_server = createServer((_request, response) =>
  response.setHeader('content-type', 'application/pdf').end(bill),
)
await new Promise<void>((resolve) => document_server.listen(0, '127.0.0.1', resolve))
after(() => document_server.close())
const bill_url = `http://127.0.0.1:${(document_server.address() as AddressInfo).port}/documents/77?filename=bill.pdf`

const at = (portorder_id: string) => ({ params: { portorder_id } })
const statusOf = async (id: string) => (await account.getPortOrderStatus(at(id))).body.data.attributes.status
const advance = (interval: string) => operator.moveClock({ body: { advance: interval } })

/** Numbers that no earlier run against the same service has used. */
const locals = [`+12064${run}01`, `+12064${run}02`]
const tollfree = `+18334${run}03`

test('three numbers become two orders in one group, completed with routes, name, and address', async () => {
  const route = (
    await account.createRoute({ body: { alias: `PBX ${run}`, route_type: 'host', value: 'pbx.example.com' } })
  ).body.data
  const cnam = (await account.createCnam({ body: { value: `PORTED ${run}` } })).body.data
  await operator.decideCnam({ params: { cnam_id: cnam.id }, body: { is_approved: true } })
  const e911 = (
    await account.createE911({
      body: {
        data: {
          type: 'e911',
          attributes: {
            label: `Office ${run}`,
            first_name: 'Anna',
            last_name: 'Berg',
            street_number: '100',
            street_name: 'N Main St',
            address_type: 'Suite',
            address_type_number: run,
            city: 'Friendship',
            state: 'WI',
            country: 'US',
            zip: '53934',
          },
        },
      },
    })
  ).body.data

  const attributes = portOrder([...locals, tollfree], { provider: 'Simulated Telephone', pin: '7401' })
  const { body: created } = await account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
  assert.ok('included' in created)
  const [order, second] = [created.data, ...created.included]
  assert.ok(second)
  assert.equal(order.attributes.group_id, second.attributes.group_id)
  assert.deepEqual([order.attributes.numbers, second.attributes.numbers], [locals, [tollfree]])
  assert.equal(created.meta.dispositions.length, 3)
  const { id } = order

  const presets = {
    primary_route_id: route.id,
    failover_route_id: 0,
    cnam_id: cnam.id,
    e911_id: e911.id,
    alias: 'Ported',
  }
  await account.updatePortOrder({ ...at(id), body: { presets } })

  const { body: pull } = await account.requestPortOrderFile({ ...at(id), body: { url: bill_url } })
  assert.equal(pull.data.attributes.file, 'bill.pdf')
  await until('the file to be complete', hang_ms, async () => {
    const file = (await account.getPortOrderFile({ params: { portorder_id: id, file: pull.data.id } })).body.data
    assert.notEqual(file.attributes.status, 'error')
    return file.attributes.status === 'complete'
  })

  const { body: form } = await account.getLoa(at(id))
  const signature = { signature_name: 'Anna Berg', signature_title: 'Owner' }
  const signed = { data: { ...form.data, attributes: { ...form.data.attributes, ...signature } } }
  const processing = await account.submitLoa({ ...at(id), body: signed })
  assert.equal(processing.status, 201)
  assert.equal(processing.body.data.attributes.status, 'Processing')
  assert.deepEqual(
    processing.body.data.attributes.business_documents.map((d) => d.status),
    ['uploaded', 'uploaded'],
  )

  await until('the order to be Submitted', hang_ms, async () => (await statusOf(id)) === 'Submitted')
  await advance('2 hours')
  const rejected = (await account.getPortOrder(at(id))).body.data.attributes
  assert.equal(rejected.status, 'Rejected')
  assert.equal(rejected.rejection?.code, portOrders.classify('7401').code)
  assert.ok((rejected.rejection?.fix ?? '') !== '')
  await account.updatePortOrder({
    ...at(id),
    body: { data: { type: 'portorder', attributes: { provider_account: 'AC-77' } } },
  })
  assert.equal((await account.resubmitPortOrder(at(id))).body.data.attributes.status, 'Review')
  await until('the order to be Submitted', hang_ms, async () => (await statusOf(id)) === 'Submitted')
  await advance('2 hours')
  assert.equal(await statusOf(id), 'Accepted')
  const preview = (await account.previewCompletion(at(id))).body.data.attributes
  assert.deepEqual(
    preview.presets.map((p) => [p.preset, p.applied_count, p.failures]),
    ['primary_route_id', 'failover_route_id', 'alias', 'cnam_id', 'e911_id'].map((p) => [p, 2, []]),
  )
  await advance('7 days')
  assert.equal(await statusOf(id), 'Completed')

  for (const number of locals) {
    const { data, included } = (await account.getNumber({ params: { number } })).body
    assert.equal(data.attributes.alias, 'Ported')
    assert.deepEqual(
      [data.relationships.primary_route.data?.id, data.relationships.failover_route.data?.id],
      [Number(route.id), 0],
    )
    assert.deepEqual(
      [data.relationships.cnam_preset.data?.id, data.relationships.e911_address.data?.id],
      [Number(cnam.id), Number(e911.id)],
    )
    const types = new Set(included.map((i) => i.type))
    for (const type of ['route', 'cnam', 'e911'] as const) assert.ok(types.has(type), type)
  }
  const events = (await account.getPortOrderTimeline({ ...at(id), query: { limit: 200 } })).body.data
  assert.deepEqual(
    events
      .filter(
        (e) => 'to' in e.attributes.data && 'from' in e.attributes.data && typeof e.attributes.data['to'] === 'string',
      )
      .map((e) => e.attributes.data['to']),
    ['Processing', 'Submitted', 'Rejected', 'Review', 'Submitted', 'Accepted', 'Completed'],
  )
  assert.equal(await statusOf(second.id), 'Pending')
})

test('an order without updates for 45 days is closed', async () => {
  const attributes = portOrder([`+12064${run}09`])
  const { body } = await account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
  assert.ok('included' in body)
  await advance('44 days')
  assert.equal(await statusOf(body.data.id), 'Pending')
  await advance('1 day 1 minute')
  assert.equal(await statusOf(body.data.id), 'Canceled')
  await assert.rejects(
    service.other.getPortOrder(at(body.data.id)),
    (e) => e instanceof DemarcError && e.status === 404,
  )
})
