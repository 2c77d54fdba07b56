import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'

/** A location validation function (RFC 5222) that responds when the test calls `respond`, and accepts everything. */
const waiting: http.ServerResponse[] = []
const arrivals = new EventTarget()
const validator = http.createServer((_, response) => {
  waiting.push(response)
  arrivals.dispatchEvent(new Event('request'))
})
validator.listen(0, '127.0.0.1')
await once(validator, 'listening')
const { port } = validator.address() as AddressInfo
after(() => validator.close())

const asked = async (count: number) => {
  while (waiting.length < count) await once(arrivals, 'request')
}
const accepted = `<?xml version="1.0"?>
<findServiceResponse xmlns="urn:ietf:params:xml:ns:lost1" xmlns:ca="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr">
<mapping expires="NO-CACHE" lastUpdated="2026-01-01T00:00:00Z" source="lvf.example" sourceId="1">
<displayName xml:lang="en">City Dispatch</displayName><service>urn:service:sos</service></mapping>
<locationValidation><valid>ca:country ca:A1 ca:A3 ca:PC ca:RD ca:STS ca:HNO</valid></locationValidation>
<path><via source="lvf.example"/></path></findServiceResponse>`
const respond = () => {
  for (const response of waiting.splice(0))
    response.writeHead(200, { 'content-type': 'application/lost+xml' }).end(accepted)
}

const connections = 3
const server = await startTestServer({
  env: { DEMARC_LOST_URL: `http://127.0.0.1:${port}/lost`, DEMARC_DATABASE_CONNECTIONS: String(connections) },
})
const { client } = server.account

const address = (n: number) =>
  ({
    data: {
      type: 'e911',
      attributes: {
        label: `Office ${n}`,
        first_name: 'Rosa',
        last_name: 'Diaz',
        street_number: n,
        street_name: 'Main St',
        city: 'Hertford',
        state: 'NC',
        country: 'US',
        zip: '27944',
      },
    },
  }) as const

test('more slow validations than database connections do not block other requests, and are saved when they finish', async () => {
  const slow = Array.from({ length: 10 }, (_, i) => client.createE911({ body: address(i + 1) }))
  await asked(slow.length)
  const { rows } = await server.runtime.database.pool.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  )
  assert.equal(rows[0]?.open, 0, 'no transaction is open while a remote validator is queried')
  assert.equal((await client.createCnam({ body: { value: 'HARBOR DENTAL' } })).status, 201)
  respond()
  const kept = await Promise.all(slow)
  assert.deepEqual(
    kept.map(({ body }) => body.data.attributes.validation.level),
    Array.from({ length: 10 }, () => 'address'),
  )
})

test('a change is refused with 409 if the address changed while it was validated', async () => {
  const validating = client.createE911({ body: address(77) })
  await asked(1)
  respond()
  const { id } = (await validating).body.data
  const params = { e911_id: id }
  const changes = ['771', '772'].map((street_number) =>
    client.updateE911({ params, body: { street_number } }).then(
      ({ status }) => status,
      (error: { status: number }) => error.status,
    ),
  )
  await asked(2)
  respond()
  assert.deepEqual((await Promise.all(changes)).toSorted(), [200, 409])
})

test('a request repeated with its idempotency key during validation takes effect once', async () => {
  const twins = [1, 2].map(() => client.createE911({ body: address(88) }, { idempotency_key: 'slow-once' }))
  await asked(2)
  respond()
  const [first, second] = await Promise.all(twins)
  assert.equal(first?.body.data.id, second?.body.data.id)
  const { body } = await client.listE911s({ query: { label: 'Office 88' } })
  assert.equal(body.data.length, 1)
})

test('a duplicate is refused before a remote validator is queried', async () => {
  await assert.rejects(client.createE911({ body: address(88) }), { status: 422 })
  assert.equal(waiting.length, 0)
})
