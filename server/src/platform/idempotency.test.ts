import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { accounts, operation } from '@demarc/client'
import { startBareServer } from '../../test/support/bare-server.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startTestServer } from '../../test/support/server.ts'
import { checkedResponse, reason, refused, wire, type WireResponse } from '../../test/support/wire.ts'
import { exchange, requestBytes } from '../../test/support/socket.ts'
import { systemActor } from './actor.ts'
import { bind } from './http/binding.ts'
import { lease_s, requestDigest, retention_h } from './idempotency.ts'
import { problem } from './problem.ts'

const server = await startTestServer()
const send = wire(server.base_url, server.account.credentials)
const other = wire(server.base_url, server.other.credentials)
const operator = wire(server.base_url, server.operator_credentials)

let keys = 0
const newKey = () => `key-${++keys}`
let names = 0
const newName = () => JSON.stringify({ value: `Name ${++names}` })
const create = (key: string, body: string, by = send) =>
  by('POST /v2/cnams', { headers: { 'idempotency-key': key }, body })
const isReplay = (response: WireResponse) => response.headers['idempotency-replayed'] === 'true'
const countCnams = async () =>
  Number(
    (
      await server.db
        .selectFrom('cnam')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

test('the same request with the same key has one effect and one response', async () => {
  const [key, body] = [newKey(), newName()]
  const first = await create(key, body)
  assert.deepEqual([first.status, isReplay(first)], [201, false])
  const before = await countCnams()
  for (let i = 0; i < 3; i++) {
    const again = await create(key, body)
    assert.deepEqual([again.status, isReplay(again), again.body], [201, true, first.body])
    assert.equal(again.headers['content-type'], first.headers['content-type'])
  }
  assert.equal(await countCnams(), before)
})

test('the same key with another request is a 422', async () => {
  const [key, body] = [newKey(), newName()]
  await create(key, body)
  assert.equal(refused(await create(key, newName()), 422).title, 'Idempotency key reused')
  refused(await create(key, `${body} `), 422)
  refused(await send('POST /v2/routes', { headers: { 'idempotency-key': key }, body }), 422)
  const response = await send('POST /v2/routes', {
    headers: { 'idempotency-key': key },
    body: '{"route_type":"host","value":"pbx.example","alias":"PBX"}',
  })
  assert.match(reason(response, 422), /Use a new key/)
})

test('a key is scoped to its actor', async () => {
  const [key, body] = [newKey(), newName()]
  const [mine, theirs] = [await create(key, body), await create(key, body, other)]
  assert.deepEqual([mine.status, theirs.status, isReplay(theirs)], [201, 201, false])
  assert.notEqual(JSON.stringify(mine.json), JSON.stringify(theirs.json))
})

test('a key used for one account cannot be reused for another', async () => {
  const [key, body] = [newKey(), newName()]
  const actFor = (account: string) =>
    operator('POST /v2/cnams', { headers: { 'idempotency-key': key, 'demarc-account': account }, body })
  assert.equal((await actFor(server.account.id)).status, 201)
  refused(await actFor(server.other.id), 422)
  assert.equal(isReplay(await actFor(server.account.id)), true)
})

test('PATCH and POST without a body are replayed too', async () => {
  const { data } = (await server.account.client.createCnam({ body: { value: 'To be patched' } })).body
  const headers = { 'idempotency-key': newKey() }
  const patch = (value: string) => send(`PATCH /v2/cnams/${data.id}`, { headers, body: JSON.stringify({ value }) })
  const first = await patch('Patched')
  await server.account.client.updateCnam({ params: { cnam_id: data.id }, body: { value: 'Changed since' } })
  assert.deepEqual([(await patch('Patched')).body, isReplay(await patch('Patched'))], [first.body, true])
  const rotate = { headers: { 'idempotency-key': newKey() } }
  const secrets = [
    await send('POST /v2/notifications/signing_secret/rotate', rotate),
    await send('POST /v2/notifications/signing_secret/rotate', rotate),
  ]
  assert.equal(secrets[0]?.body, secrets[1]?.body)
})

test('of a hundred concurrent requests, one has the effect and the others get its response or a 409', async () => {
  const body = '{"name":"Once only"}'
  const headers = { 'idempotency-key': newKey() }
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => operator('POST /operator/accounts', { headers, body })),
  )
  const first = responses.filter((a) => a.status === 201 && !isReplay(a))
  assert.equal(first.length, 1)
  for (const response of responses)
    if (response.status === 409) assert.match(reason(response, 409), /still in progress/)
    else assert.deepEqual([response.status, response.body], [201, first[0]?.body])
  const made = (await server.operator.listAccounts({ query: { name: 'Once only' } })).body.data
  assert.equal(made.length, 1)
})

test('a refusal is not stored: the corrected request may reuse its key', async () => {
  const key = newKey()
  refused(await create(key, '{"value":""}'), 422)
  refused(await create(key, '{'), 400)
  const response = await create(key, newName())
  assert.deepEqual([response.status, isReplay(response)], [201, false])
})

test('a request that fails does not use up its key', async () => {
  let times = 0
  const url = await startBareServer(server.runtime, [
    bind(accounts.createAccount, async ({ context }) => {
      await sql`create table if not exists left_behind (n int)`.execute(context.tx)
      if (++times === 1) throw new Error('broken')
      return { body: { data: {} as never, links: { self: '' } } }
    }),
  ])
  const headers = { authorization: 'operator', 'idempotency-key': newKey() }
  const ask = () => wire(url)('POST /operator/accounts', { headers, body: '{"name":"x"}' })
  refused(await ask(), 500)
  const { rows } = await sql<{ there: string | null }>`select to_regclass('left_behind')::text as there`.execute(
    server.db,
  )
  assert.equal(rows[0]?.there, null)
  assert.deepEqual([(await ask()).status, times], [201, 2])
  assert.deepEqual([isReplay(await ask()), times], [true, 2])
})

test('a key can be reused after a day', async () => {
  const [key, body] = [newKey(), newName()]
  await create(key, body)
  const made_at = server.clock.now()
  await server.clock.advanceTo(new Date(made_at.getTime() + retention_h * 3_600_000 - 60_000))
  assert.equal(isReplay(await create(key, body)), true)
  refused(await create(key, newName()), 422)
  await server.clock.advanceTo(new Date(made_at.getTime() + retention_h * 3_600_000 + 60_000))
  const response = await create(key, newName())
  assert.deepEqual([response.status, isReplay(response)], [201, false])
})

test('a response with a secret is stored sealed', async () => {
  const headers = { 'idempotency-key': newKey() }
  const line = `POST /operator/accounts/${server.account.id}/keys`
  const issue = () => operator(line, { headers, body: '{"name":"canary"}' })
  const first = await issue()
  const { secret_key } = (first.json as { data: { attributes: { secret_key: string } } }).data.attributes
  assert.equal(secret_key.length, 32)
  assert.equal((await issue()).body, first.body)
  const { rows } = await sql<{ line: string }>`select k::text as line from idempotency_key k`.execute(server.db)
  assert.ok(rows.length > 0)
  for (const { line } of rows) {
    assert.ok(!line.includes(secret_key))
    assert.ok(!line.includes(Buffer.from(secret_key).toString('hex')), 'not as bytea either')
  }
})

test('the digest of a body with a PIN is stored only as a keyed hash', async () => {
  const keys = [newKey(), newKey()] as const
  const body = '{"name":"PIN 1234"}'
  const send = (key: string, sent: string) =>
    operator('POST /operator/accounts', { headers: { 'idempotency-key': key }, body: sent })
  for (const key of keys) assert.equal((await send(key, body)).status, 201)
  const stored = await server.db.selectFrom('idempotency_key').select('fingerprint').where('key', 'in', keys).execute()
  const prints = stored.map((row) => row.fingerprint?.toString('hex'))
  assert.equal(new Set(prints).size, 2, 'not even equal requests are seen to be equal')
  const digest = requestDigest(systemActor('test', null), 'POST', '/operator/accounts', Buffer.from(body))
  assert.ok(!prints.includes(digest.toString('hex')))
  assert.equal(isReplay(await send(keys[0], body)), true)
  refused(await send(keys[0], '{"name":"PIN 1235"}'), 422)
})

test('a key is 1 to 255 visible ASCII characters, once', async () => {
  const field_errors = { 'Idempotency-Key': ['Must be 1 to 255 visible ASCII characters, once.'] }
  for (const key of ['', 'two words', 'a'.repeat(256), 'tab\there', 'schl\u00fcssel', ['one', 'two']]) {
    const response = await send('POST /v2/cnams', { headers: { 'idempotency-key': key }, body: newName() })
    assert.deepEqual(refused(response, 422).detail, field_errors, String(key))
  }
  for (const key of ['a', 'a'.repeat(255), `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`])
    assert.equal((await create(key, newName())).status, 201, key)
})

test('on other methods the header is ignored', async () => {
  const headers = { 'idempotency-key': 'not a key' }
  assert.equal((await send('GET /v2/cnams', { headers })).status, 200)
  refused(await send('DELETE /v2/cnams/999', { headers }), 404)
})

/** An operation that manages its own transactions and reads a stream, like bulk ingest. */
async function streaming(work: (bytes: number) => Promise<void>) {
  const upload = operation({ ...accounts.createAccount, body: { bytes: ['text/plain'] }, effect: 'own' })
  let runs = 0
  const url = await startBareServer(server.runtime, [
    bind(upload, async ({ stream }) => {
      const run = ++runs
      let bytes = 0
      for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length
      await work(run)
      return { body: { data: { run, bytes } as never, links: { self: '' } } }
    }),
  ])
  const headers = { authorization: 'operator', 'content-type': 'text/plain' }
  const ask = (key: string, body: string) =>
    wire(url)('POST /operator/accounts', { headers: { ...headers, 'idempotency-key': key }, body })
  return { url, headers, ask, runs: () => runs }
}

test('streamed requests are distinguished by their bytes', async () => {
  const { ask, runs } = await streaming(async () => undefined)
  const [key, body] = [newKey(), 'line\n'.repeat(100_000)]
  const first = await ask(key, body)
  assert.equal(first.status, 201)
  assert.deepEqual([(await ask(key, body)).body, runs()], [first.body, 1])
  refused(await ask(key, `${body.slice(0, -1)}x`), 422)
  assert.equal(runs(), 1)
})

test('while a streamed request is in progress a duplicate is a 409, and no connection is occupied', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { ask, runs } = await streaming(async () => {
    begun.resolve()
    await gate.promise
  })
  const key = newKey()
  const first = ask(key, 'x')
  await begun.promise
  refused(await ask(key, 'x'), 409)
  refused(await ask(key, 'another'), 409)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
    server.db,
  )
  assert.equal(rows[0]?.n, 0)
  gate.resolve()
  assert.equal((await first).status, 201)
  assert.deepEqual([isReplay(await ask(key, 'x')), runs()], [true, 1])
})

test('more concurrent streamed requests than connections do not wait for each other', async () => {
  const { ask } = await streaming(async () => {
    await sql`select pg_sleep(0.02)`.execute(server.db)
  })
  const many = server.runtime.config.database_connections * 3
  const responses = await Promise.all(Array.from({ length: many }, () => ask(newKey(), 'x')))
  assert.deepEqual(new Set(responses.map((a) => a.status)), new Set([201]))
})

test('a streamed request that fails releases its key', async () => {
  const { ask } = await streaming(async (run) => {
    if (run === 1) throw problem('conflict', 'Not now.')
  })
  const key = newKey()
  refused(await ask(key, 'x'), 409)
  assert.equal((await ask(key, 'x')).status, 201)
})

test('a key that could not be released with its failed request is released soon after', async () => {
  const { ask } = await streaming(async (run) => {
    if (run > 1) return
    await sql`alter table idempotency_key rename to out_of_reach`.execute(server.db)
    throw problem('conflict', 'Not now.')
  })
  const key = newKey()
  refused(await ask(key, 'x'), 409)
  await sql`alter table out_of_reach rename to idempotency_key`.execute(server.db)
  const claims = server.db.selectFrom('idempotency_key').select('held_until').where('key', '=', key)
  await eventually(async () => (await claims.execute()).length === 0)
  assert.equal((await ask(key, 'x')).status, 201)
})

test('a key whose process died can be used again after its lease', async () => {
  const { ask } = await streaming(async () => undefined)
  const key = newKey()
  // the claim left by a killed process
  const claim = (held_until: string) =>
    sql`
    insert into idempotency_key (actor, key, created_at, held_until)
    values ('operator:oktest', ${key}, ${server.clock.now()}, now() + ${held_until}::interval)
    on conflict (actor, key) do update set held_until = excluded.held_until`.execute(server.db)
  const retryAfter = async () => {
    const response = await ask(key, 'x')
    refused(response, 409)
    return response.headers['retry-after'] ?? ''
  }
  await claim(`${lease_s} seconds`)
  assert.equal(await retryAfter(), '10', 'it may still be renewed')
  await claim('7 seconds')
  assert.match(await retryAfter(), /^[1-7]$/, 'it was not renewed: when it expires')
  await claim('-1 second')
  assert.equal((await ask(key, 'x')).status, 201)
})

test('a stream that is refused before its end leaves the connection usable', async () => {
  const upload = operation({ ...accounts.createAccount, body: { bytes: ['text/plain'] }, effect: 'own' })
  const url = await startBareServer(server.runtime, [
    bind(upload, async () => {
      throw problem('invalid-input', { mapping: ['Is not known.'] })
    }),
  ])
  const headers = { authorization: 'operator', 'content-type': 'text/plain' }
  const body = Buffer.alloc(2_000_000, 32)
  const requests = [
    requestBytes('POST /operator/accounts', { ...headers, 'idempotency-key': newKey() }, body),
    requestBytes('POST /operator/accounts', headers, body),
    requestBytes('GET /nope', { connection: 'close' }),
  ]
  const responses = await exchange(url, Buffer.concat(requests))
  assert.deepEqual(
    responses.map((a) => checkedResponse(a).status),
    [422, 422, 404],
  )
})
