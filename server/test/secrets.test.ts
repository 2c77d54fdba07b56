import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { startPostgres } from '../src/engines/postgres/launcher.ts'
import { silentLog } from '../src/platform/postgres/log.ts'
import { bringInCall } from './support/call-records.ts'
import { databaseDump, filesBelow, foundIn, unpacked, type Place } from './support/canaries.ts'
import { completedExport, download, march } from './support/exports.ts'
import { newOrder, sign } from './support/port-orders.ts'
import { startReceiver } from './support/receiver.ts'
import { refusal } from './support/refusals.ts'
import { hasEnded, newFolder, removeFolder, startService } from './support/service.ts'
import { wire } from './support/wire.ts'

/**
 * Secrets are set out as canaries in a real service with its log at its most talkative, a port order and an export are
 * played to their ends, and then they are looked for in everything that the service wrote or sent.
 */

const folder = await newFolder()
const receiver = await startReceiver()
const service = await startService(folder, { env: { DEMARC_LOG_LEVEL: 'debug' } })
after(async () => {
  if (!hasEnded(service.child)) await service.stop()
  await removeFolder(folder)
})
const { operator, base_url } = service
const data = path.join(folder, 'data')
const { url } = await startPostgres({ data_dir: path.join(data, 'postgres'), log: silentLog })

const account_id = (await operator.createAccount({ body: { name: 'Visible Company' } })).body.data.id
// answered with the secret, and kept to be answered again
const issued = await operator.createKey({ params: { account_id }, body: { name: 'main' } }, { idempotency_key: 'key' })
const credentials = issued.body.data.attributes
const client = createDemarcClient({ base_url, credentials })
const holder = { client }
const replaced = (await client.getSigningSecret()).body.data.attributes.secret
const signing = (await client.rotateSigningSecret({}, { idempotency_key: 'secret' })).body.data.attributes.secret
const operatorKey = (await operator.createOperatorKey({ body: { name: 'Visible Operator' } })).body.data.attributes

const canaries = {
  pin: 'CANARY-PIN-77',
  'changed pin': 'CANARY-PIN-78',
  last_4_ssn: 'CANARY-SSN-8642',
  'secret of an access key': credentials.secret_key,
  'secret of an operator key': operatorKey.secret_key,
  'signing secret': signing,
  'replaced signing secret': replaced,
}
const { pin, last_4_ssn } = canaries
const details = { provider: 'Simulated Bell', company: 'Visible Company', usage_type: 'Business' as const }
const status_url = receiver.url('/ports')

const told = (): Place[] => [
  { place: 'the log', bytes: Buffer.from(service.output()) },
  ...receiver.arrivals.map(({ path: to, headers, body }) => ({
    place: `what came to ${to}`,
    bytes: Buffer.from(JSON.stringify(headers) + body),
  })),
]

// a whole port order; refused requests and failed sign-ins in between are what logs like to tell about
const order = await newOrder(holder, { ...details, pin, last_4_ssn, status_url })
const params = { portorder_id: order.id }
const change = (attributes: { pin: string; zip?: string }) => ({
  params,
  body: { data: { type: 'portorder', attributes } },
})
await client.updatePortOrder(change({ pin: canaries['changed pin'] }), { idempotency_key: 'pin' })
await refusal(client.updatePortOrder(change({ pin, zip: '' })), 422)
const cut = await wire(base_url, credentials)(`PATCH /v2/portorders/${order.id}`, { body: `{"pin": "${pin}` })
assert.equal(cut.status, 400)
assert.equal((await wire(base_url, { ...credentials, access_key: 'ak' })('GET /v2/cnams')).status, 401)
await sign(holder, order.id)
await client.checkPortOrder({ params })
await operator.moveClock({ body: { advance: '1 minute' } })
const underWay = [...(await databaseDump(url)), ...told()]
await operator.moveClock({ body: { advance: '20 days' } })
assert.equal((await client.getPortOrderStatus({ params })).body.data.attributes.status, 'Completed')
await receiver.come(4, '/ports')

// and a whole export
await bringInCall(operator, account_id)
const done = await completedExport(holder, march, { callback_url: receiver.url('/export') })
await receiver.come(1, '/export')
const exported = unpacked({ place: 'the export', bytes: await download(done) })
const atTheEnd = [...(await databaseDump(url)), ...told()]

// the files are looked at when nothing writes them any more
assert.equal((await service.stop()).code, 0)
const files = filesBelow(data)
const company = { company: 'Visible Company' }

test('while a port order is under way, its secrets stand nowhere but sealed', () => {
  assert.ok(foundIn(underWay, company).includes('company in table public.port_order'), 'it looks')
  assert.deepEqual(foundIn(underWay, canaries), [])
})

test('when all is done no secret stands in the database, the log, callbacks or the export', () => {
  assert.deepEqual(foundIn(exported, { column: 'number_alias' }), ['column in the export (unzipped)'], 'it looks')
  assert.ok(service.output().includes('"operation":"submitLoa"'), 'the log tells of requests')
  assert.deepEqual(foundIn([...exported, ...atTheEnd, ...told()], canaries), [])
})

test('no secret stands in any file of the data folder: letters, logs, the database and its journal', () => {
  const letters = files.filter(({ place }) => /^files\/.*\(text\)$/.test(place))
  assert.deepEqual([letters.length, foundIn(letters, company).length], [1, 1], 'it looks into the letter')
  const seen = foundIn(files, company).join('\n')
  for (const folder of ['base', 'pg_wal'])
    assert.ok(seen.includes(`company in postgres/cluster/${folder}/`), `it looks into ${folder}`)
  assert.deepEqual(foundIn(files, canaries), [])
})
