import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { startPostgres } from '../src/engines/postgres/launcher.ts'
import { silentLog } from '../src/platform/postgres/log.ts'
import { ingestCall } from '../src/engines/call-records/testing/records.ts'
import { databaseDump, filesBelow, leaksIn, unpacked, type Artifact } from './support/canaries.ts'
import { completedExport, download, march } from './support/exports.ts'
import { useSecretsOfPeople } from './support/people-secrets.ts'
import { newOrder, sign } from './support/port-orders.ts'
import { startReceiver } from './support/receiver.ts'
import { refusal } from './support/refusals.ts'
import { hasEnded, newDemoFolder, removeFolder, startService } from './support/service.ts'
import { wire } from './support/wire.ts'

/**
 * Secrets are used as canaries in a real service at log level debug that sends traces; a port order and an export are run to their ends, and
 * then the canaries are searched for in everything that the service wrote or sent.
 */

const folder = await newDemoFolder()
const receiver = await startReceiver()
const env = { DEMARC_LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url('/otlp') }
const service = await startService(folder, { env })
after(async () => {
  if (!hasEnded(service.child)) await service.stop()
  await removeFolder(folder)
})
const { operator, base_url } = service
const data = path.join(folder, 'data')
const adopted = await startPostgres({ data_dir: path.join(data, 'postgres'), log: silentLog })
const { url } = adopted

const account_id = (await operator.createAccount({ body: { name: 'Visible Company' } })).body.data.id
// the response with the secret is stored for replays
const issued = await operator.createKey({ params: { account_id }, body: { name: 'main' } }, { idempotency_key: 'key' })
const credentials = issued.body.data.attributes
const client = createDemarcClient({ retry: false, base_url, credentials })
const holder = { client }
const replaced = (await client.getSigningSecret()).body.data.attributes.secret
const signing = (await client.rotateSigningSecret({}, { idempotency_key: 'secret' })).body.data.attributes.secret
const operatorKey = (await operator.createOperatorKey({ body: { name: 'Visible Operator' } })).body.data.attributes

const canaries = {
  pin: 'CANARY-PIN-77',
  'changed pin': 'CANARY-PIN-78',
  // four digits alone would be found by chance, so they are searched for as JSON has them, and a refused value as it is
  last_4_ssn: '"8642"',
  'refused last_4_ssn': 'CANARY-SSN-8642',
  'secret of an access key': credentials.secret_key,
  'secret of an operator key': operatorKey.secret_key,
  'signing secret': signing,
  'replaced signing secret': replaced,
  ...(await useSecretsOfPeople(base_url, account_id)),
}
const { pin } = canaries
const last_4_ssn = '8642'
const details = { provider: 'Simulated Bell', company: 'Visible Company', usage_type: 'Business' as const }
const status_url = receiver.url('/ports')

const sentAndLogged = (): Artifact[] => [
  { name: 'the log', bytes: Buffer.from(service.output()) },
  ...receiver.requests.map(({ path: to, headers, body }) => ({
    name: `the request to ${to}`,
    bytes: Buffer.from(JSON.stringify(headers) + body),
  })),
]

// a whole port order, with refused requests and failed sign-ins in between, which are likely to be logged
const order = await newOrder(holder, { ...details, pin, last_4_ssn, status_url })
const params = { portorder_id: order.id }
const change = (attributes: { pin: string; zip?: string; last_4_ssn?: string }) => ({
  params,
  body: { data: { type: 'portorder', attributes } },
})
await client.updatePortOrder(change({ pin: canaries['changed pin'] }), { idempotency_key: 'pin' })
await refusal(client.updatePortOrder(change({ pin, zip: '', last_4_ssn: canaries['refused last_4_ssn'] })), 422)
const truncated = await wire(base_url, credentials)(`PATCH /v2/portorders/${order.id}`, { body: `{"pin": "${pin}` })
assert.equal(truncated.status, 400)
assert.equal((await wire(base_url, { ...credentials, access_key: 'ak' })('GET /v2/cnams')).status, 401)
await sign(holder, order.id)
await client.checkPortOrder({ params })
await operator.moveClock({ body: { advance: '1 minute' } })
const in_progress = [...(await databaseDump(url)), ...sentAndLogged()]
await operator.moveClock({ body: { advance: '20 days' } })
assert.equal((await client.getPortOrderStatus({ params })).body.data.attributes.status, 'Completed')
await receiver.waitFor(4, '/ports')

// and a whole export
await ingestCall(operator, account_id)
const done = await completedExport(holder, march, { callback_url: receiver.url('/export') })
await receiver.waitFor(1, '/export')
const exported = unpacked({ name: 'the export', bytes: await download(done) })
const at_end = [...(await databaseDump(url)), ...sentAndLogged()]

// the files are read after the service stops writing; a service that took over its database would write again
await adopted.stop()
assert.equal((await service.stop()).code, 0)
const files = filesBelow(data)
const company = { company: 'Visible Company' }

test('while a port order is in progress, its secrets are stored only sealed', () => {
  assert.ok(leaksIn(in_progress, company).includes('company in table public.port_order'), 'the search works')
  assert.deepEqual(leaksIn(in_progress, canaries), [])
})

test('at the end no secret is in the database, the log, callbacks or the export', () => {
  assert.deepEqual(
    leaksIn(exported, { column: 'number_alias' }),
    ['column in the export (unzipped)'],
    'the search works',
  )
  assert.ok(service.output().includes('"operation":"submitLoa"'), 'requests are logged')
  const traces = receiver.requests.filter(({ path: to }) => to === '/otlp/v1/traces')
  assert.ok(
    traces.some(({ body }) => body.includes('"submitLoa"') && body.includes('"select port_order')),
    'and traced',
  )
  assert.deepEqual(leaksIn([...exported, ...at_end, ...sentAndLogged()], canaries), [])
})

test('no secret is in any file of the data folder: LOAs, logs, the database and its write-ahead log', () => {
  const letters = files.filter(({ name }) => /^files\/.*\(text\)$/.test(name))
  assert.equal(leaksIn(letters, company).length, 1, 'the search covers the LOA')
  const seen = leaksIn(files, company).join('\n')
  for (const folder of ['base', 'pg_wal'])
    assert.ok(seen.includes(`company in postgres/cluster/${folder}/`), `the search covers ${folder}`)
  assert.deepEqual(leaksIn(files, canaries), [])
})
