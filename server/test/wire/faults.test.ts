import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import pg from 'pg'
import { accounts } from '@demarc/client'
import { PartUnavailable } from '../../src/platform/unavailable.ts'
import { layCable } from '../support/cable.ts'
import { bind } from '../../src/platform/http/binding.ts'
import { problem } from '../../src/platform/problem.ts'
import { startBareServer } from '../support/bare-server.ts'
import { eventually } from '../support/eventually.ts'
import { startSecondApp } from '../support/second-app.ts'
import { startTestServer } from '../support/server.ts'
import { reason, refused, wire } from '../support/wire.ts'

const server = await startTestServer()
const operator = { headers: { authorization: 'operator' } }

/** Answers of an operation that throws this. */
async function throwing(fault: () => unknown) {
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async () => {
      throw fault()
    }),
  ])
  return await wire(url)('GET /operator/accounts', operator)
}

test('a fault of ours is a 500 with the request id and nothing else', async () => {
  const faults = [
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
  for (const fault of faults) {
    const answer = await throwing(() => fault)
    const { id, ...shown } = refused(answer, 500)
    assert.ok(id)
    assert.deepEqual(shown, {
      status: 500,
      title: 'Internal error',
      detail: `Something went wrong on our side. Tell us this request id: ${answer.headers['x-request-id']}`,
    })
    assert.equal(answer.headers['x-leak'], undefined)
  }
})

test('a fault of the database’s own checking is a 500 that shows nothing of it', async () => {
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async ({ context }) => {
      await context.db
        .insertInto('account')
        .values({ name: 'hunter2' } as never)
        .execute()
      return { body: { data: [], links: { self: '' } } }
    }),
  ])
  const answer = await wire(url)('GET /operator/accounts', operator)
  assert.equal(refused(answer, 500).title, 'Internal error')
  assert.doesNotMatch(JSON.stringify(answer), /hunter2|constraint|signing_secret|null value/)
})

test('a part that is away is a 503 that says when to come back', async () => {
  const answer = await throwing(() => new PartUnavailable('The call-record store'))
  assert.equal(reason(answer, 503), 'The call-record store is not available at the moment.')
  assert.equal(answer.headers['retry-after'], '2')
})

test('a lost database connection, however the driver says it, is a 503; two who change the same thing is a 409', async () => {
  const database = (code: string) => Object.assign(new pg.DatabaseError('x', 1, 'error'), { code })
  const system = (code: string, message = `connect ${code}`) => Object.assign(new Error(message), { code })
  const away = [
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
  for (const fault of away)
    assert.equal(
      reason(await throwing(() => fault), 503),
      'The database is not ready. Try again in a moment.',
      String(fault),
    )
  for (const code of ['55P03', '40001', '40P01']) refused(await throwing(() => database(code)), 409)
  for (const fault of [database('23505'), system('ENOENT', 'no such file'), new Error('other')])
    refused(await throwing(() => fault), 500)
})

test('several errors of one kind come in one answer', async () => {
  const details = [{ detail: { zip: '10001' } }, { detail: 'a sentence', pointer: '/data/attributes/zip' }]
  const answer = await throwing(() => problem('address-correction', 'unused', { details }))
  assert.deepEqual(
    answer.errors.map(({ detail, source, status, title }) => ({ detail, source, status, title })),
    details.map(({ detail, pointer }) => ({
      detail,
      source: pointer === undefined ? undefined : { pointer },
      status: 422,
      title: 'Address Correction Required',
    })),
  )
})

test('a stream that breaks in the middle breaks the transfer off, so that nobody takes a part for the whole', async () => {
  async function* half() {
    yield '{"data":['
    throw new Error('the rest is gone')
  }
  const url = await startBareServer(server.runtime, [
    bind(accounts.listAccounts, async () => ({ stream: Readable.from(half()) })),
  ])
  const whole = async () => (await fetch(`${url}/operator/accounts`, operator)).text()
  await assert.rejects(whole, { message: 'terminated' })
})

test('before everything stands the service is not ready, and says which part is missing', async () => {
  const ready = await wire(server.base_url)('GET /health/ready')
  // this server has no call-record engine
  assert.equal(reason(ready, 503), 'call_records does not answer')
  assert.equal(ready.headers['retry-after'], '2')
  server.runtime.started = false
  assert.match(
    reason(await wire(server.base_url)('GET /health/ready'), 503),
    /^start is under way; call_records does not answer$/,
  )
  server.runtime.started = true
  assert.equal((await wire(server.base_url)('GET /health/live')).status, 200)
})

test('while the database is away everything is a 503, and it goes on by itself when it is back', async () => {
  const cable = await layCable(server.runtime.installation.database_url)
  const app = await startSecondApp(server, { database_url: cable.url })
  const send = wire(app.base_url, server.account.credentials)
  const create = (headers = {}) => send('POST /v2/cnams', { headers, body: '{"value":"WHILE AWAY"}' })
  assert.equal((await send('GET /v2/cnams')).status, 200)
  await cable.cut()
  for (const answer of [await send('GET /v2/cnams'), await create(), await create({ 'idempotency-key': 'away' })]) {
    assert.equal(reason(answer, 503), 'The database is not ready. Try again in a moment.')
    assert.equal(answer.headers['retry-after'], '2')
  }
  // a key that was not seen before cannot be looked up, which is not the same as being wrong
  refused(await wire(app.base_url, { access_key: 'akNotSeenBefore000', secret_key: 'x' })('GET /v2/cnams'), 503)
  assert.match(reason(await wire(app.base_url)('GET /health/ready'), 503), /database does not answer/)
  assert.equal((await wire(app.base_url)('GET /health/live')).status, 200)
  await cable.mend()
  await eventually(async () => (await send('GET /v2/cnams')).status === 200)
  assert.equal((await create({ 'idempotency-key': 'away' })).status, 201)
})

test('connections that break under way are a 503 once, and the next request finds new ones', async () => {
  const cable = await layCable(server.runtime.installation.database_url)
  const app = await startSecondApp(server, { database_url: cable.url })
  const send = wire(app.base_url, server.account.credentials)
  const { pool } = server.runtime.database
  const hanging = await pool.connect()
  await hanging.query('begin; lock table cnam')
  const waiting = Promise.all(Array.from({ length: 5 }, () => send('GET /v2/cnams')))
  const blocked = () =>
    pool.query("select from pg_stat_activity where application_name = 'demarc-second' and wait_event_type = 'Lock'")
  await eventually(async () => (await blocked()).rowCount === 5)
  await cable.cut()
  for (const answer of await waiting) refused(answer, 503)
  await hanging.query('rollback')
  hanging.release()
  await cable.mend()
  await eventually(async () => (await send('GET /v2/cnams')).status === 200)
})
