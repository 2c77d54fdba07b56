import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import pg from 'pg'
import { accounts } from '@demarc/client'
import { DependencyUnavailable } from '../../src/platform/unavailable.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { bind } from '../../src/platform/http/binding.ts'
import { problem } from '../../src/platform/problem.ts'
import { startBareServer } from '../support/bare-server.ts'
import { eventually } from '../support/eventually.ts'
import { startSecondApp } from '../support/second-app.ts'
import { startTestServer } from '../support/server.ts'
import { reason, refused, wire } from '../support/wire.ts'

const server = await startTestServer()
const operator = { headers: { authorization: 'operator' } }

/** The response of an operation that throws this. */
async function throwing(error: () => unknown) {
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async () => {
      throw error()
    }),
  ])
  return await wire(url)('GET /operator/accounts', operator)
}

test('an unexpected error is a 500 with the request id and nothing else', async () => {
  const errors = [
    new Error('the secret is 42, see /etc/demarc'),
    new TypeError("Cannot read properties of undefined (reading 'pin')", { cause: new Error('hunter2') }),
    Object.assign(new Error('with a status'), {
      statusCode: 418,
      code: 'FST_ERR_SOMETHING',
      headers: { 'x-leak': 'yes' },
    }),
    'a text',
    undefined,
    null,
    { status: 400, message: 'not an error' },
  ]
  for (const error of errors) {
    const response = await throwing(() => error)
    const { id, ...shown } = refused(response, 500)
    assert.ok(id)
    assert.deepEqual(shown, {
      status: 500,
      title: 'Internal error',
      detail: `Something went wrong on our side. Contact support with this request id: ${response.headers['x-request-id']}`,
    })
    assert.equal(response.headers['x-leak'], undefined)
  }
})

test('a constraint violation is a 500 without its details', async () => {
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async ({ context }) => {
      await context.db
        .insertInto('account')
        .values({ name: 'hunter2' } as never)
        .execute()
      return { body: { data: [], links: { self: '' } } }
    }),
  ])
  const response = await wire(url)('GET /operator/accounts', operator)
  assert.equal(refused(response, 500).title, 'Internal error')
  assert.doesNotMatch(JSON.stringify(response), /hunter2|constraint|signing_secret|null value/)
})

test('an unavailable dependency is a 503 with Retry-After', async () => {
  const response = await throwing(() => new DependencyUnavailable('The call-record store'))
  assert.equal(reason(response, 503), 'The call-record store is not available at the moment.')
  assert.equal(response.headers['retry-after'], '2')
})

test('a lost database connection, whatever the driver’s error, is a 503; conflicting changes are a 409', async () => {
  const database = (code: string) => Object.assign(new pg.DatabaseError('x', 1, 'error'), { code })
  const system = (code: string, message = `connect ${code}`) => Object.assign(new Error(message), { code })
  const unavailable = [
    ...['57P01', '57P03', '57014', '53300', '08006'].map(database),
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'].map((code) => system(code)),
    Object.assign(new AggregateError([system('ECONNREFUSED')]), { code: 'ECONNREFUSED' }),
    Object.assign(system('ENOENT', 'connect ENOENT /run/postgres/.s.PGSQL.5432'), { syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('Query read timeout'),
  ]
  for (const error of unavailable)
    assert.equal(
      reason(await throwing(() => error), 503),
      'The database is not ready. Try again in a moment.',
      String(error),
    )
  for (const code of ['55P03', '40001', '40P01']) refused(await throwing(() => database(code)), 409)
  for (const error of [database('23505'), system('ENOENT', 'no such file'), new Error('other')])
    refused(await throwing(() => error), 500)
})

test('several errors of one type are in one response', async () => {
  const details = [{ detail: { zip: '10001' } }, { detail: 'a sentence', pointer: '/data/attributes/zip' }]
  const response = await throwing(() => problem('address-correction', 'unused', { details }))
  assert.deepEqual(
    response.errors.map(({ detail, source, status, title }) => ({ detail, source, status, title })),
    details.map(({ detail, pointer }) => ({
      detail,
      source: pointer === undefined ? undefined : { pointer },
      status: 422,
      title: 'Address Correction Required',
    })),
  )
})

test('a stream that fails in the middle aborts the transfer, so a partial body never looks complete', async () => {
  async function* half() {
    yield '{"data":['
    throw new Error('the rest is gone')
  }
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async () => ({ stream: Readable.from(half()) })),
  ])
  const fullBody = async () => (await fetch(`${url}/operator/accounts`, operator)).text()
  await assert.rejects(fullBody, { message: 'terminated' })
})

test('until everything has started, the service is not ready and names the missing dependency', async () => {
  const ready = await wire(server.base_url)('GET /health/ready')
  // this server has no call-record engine
  assert.equal(reason(ready, 503), 'call_records is not responding')
  assert.equal(ready.headers['retry-after'], '2')
  server.runtime.phase = 'starting'
  assert.match(
    reason(await wire(server.base_url)('GET /health/ready'), 503),
    /^start is under way; call_records is not responding$/,
  )
  server.runtime.phase = 'serving'
  assert.equal((await wire(server.base_url)('GET /health/live')).status, 200)
})

test('while the database is unavailable, every request is a 503; afterward the service recovers by itself', async () => {
  const proxy = await startTcpProxy(server.runtime.installation.database_url)
  const app = await startSecondApp(server, { database_url: proxy.url })
  const send = wire(app.base_url, server.account.credentials)
  const create = (headers = {}) => send('POST /v2/cnams', { headers, body: '{"value":"MEANWHILE"}' })
  assert.equal((await send('GET /v2/cnams')).status, 200)
  await proxy.disconnect()
  for (const response of [
    await send('GET /v2/cnams'),
    await create(),
    await create({ 'idempotency-key': 'unavailable' }),
  ]) {
    assert.equal(reason(response, 503), 'The database is not ready. Try again in a moment.')
    assert.equal(response.headers['retry-after'], '2')
  }
  // a key that is not cached cannot be looked up, which is not a 401
  refused(await wire(app.base_url, { access_key: 'akNotSeenBefore000', secret_key: 'x' })('GET /v2/cnams'), 503)
  assert.match(reason(await wire(app.base_url)('GET /health/ready'), 503), /database is not responding/)
  assert.equal((await wire(app.base_url)('GET /health/live')).status, 200)
  await proxy.reconnect()
  await eventually(async () => (await send('GET /v2/cnams')).status === 200)
  assert.equal((await create({ 'idempotency-key': 'unavailable' })).status, 201)
})

test('requests whose connections are lost are a 503, and the next request gets a new connection', async () => {
  const proxy = await startTcpProxy(server.runtime.installation.database_url)
  const app = await startSecondApp(server, { database_url: proxy.url })
  const send = wire(app.base_url, server.account.credentials)
  const { pool } = server.runtime.database
  const blocking = await pool.connect()
  await blocking.query('begin; lock table cnam')
  const waiting = Promise.all(Array.from({ length: 5 }, () => send('GET /v2/cnams')))
  const blocked = () =>
    pool.query("select from pg_stat_activity where application_name = 'demarc-second' and wait_event_type = 'Lock'")
  await eventually(async () => (await blocked()).rowCount === 5)
  await proxy.disconnect()
  for (const response of await waiting) refused(response, 503)
  await blocking.query('rollback')
  blocking.release()
  await proxy.reconnect()
  await eventually(async () => (await send('GET /v2/cnams')).status === 200)
})
