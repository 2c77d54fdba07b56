import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { orderIn } from '../../test/support/port-orders.ts'
import { signedInAs } from '../../test/support/people.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'

const server = await startTestServer()
const { account, other, operator } = server
const send = wire(server.base_url, server.operator_credentials)

const audit = async (query: Parameters<typeof operator.listEvents>[0] = {}) =>
  (await operator.listEvents(query)).body.data.map(({ attributes }) => attributes)

const cnam = (await account.client.createCnam({ body: { value: 'Harbor' } })).body.data
await operator.decideCnam({ params: { cnam_id: cnam.id }, body: { is_approved: true } })
await other.client.createCnam({ body: { value: 'Elsewhere' } })

test('the log has actor, event type, subject and time, newest first', async () => {
  const events = await audit({ query: { subject_type: 'cnam', subject_id: cnam.id } })
  assert.deepEqual(
    events.map((e) => [e.account_id, e.event_type, e.actor]),
    [
      [account.id, 'cnam.approved', `operator:${server.operator_credentials.access_key}`],
      [account.id, 'cnam.created', `key:${account.credentials.access_key}`],
    ],
  )
  for (const event of events) {
    assert.match(event.hash, /^[0-9a-f]{64}$/)
    assert.ok(Math.abs(new Date(event.occurred_at).getTime() - server.clock.now().getTime()) < 60_000)
  }
})

test('the log is filtered by account, event type and subject', async () => {
  const types = async (query: object) => (await audit({ query: { limit: 50, ...query } })).map((e) => e.event_type)
  assert.deepEqual(await types({ account_id: other.id }), ['cnam.created', 'access_key.created', 'account.created'])
  assert.deepEqual(new Set(await types({ event_type: 'account.created' })), new Set(['account.created']))
  assert.deepEqual(await types({ event_type: 'cnam.created', account_id: account.id }), ['cnam.created'])
  assert.deepEqual(await types({ event_type: 'cnam.created', account_id: '999999' }), [])
  assert.deepEqual(await types({ account_id: '0' }), ['operator_key.created'])
  assert.deepEqual(refused(await send('GET /operator/audit?account_id=abc&limit=0&offset=x'), 422).detail, {
    limit: ['Must be at least 1.'],
    offset: ['Not a valid integer.'],
    account_id: ['Must be an ID: digits only.'],
  })
})

test('the log is filtered by actor and by a time range that includes its start and excludes its end', async () => {
  const types = async (query: object) => (await audit({ query: { limit: 50, ...query } })).map((e) => e.event_type)
  const [created] = await audit({ query: { event_type: 'cnam.created', account_id: other.id } })
  assert.deepEqual(await types({ actor: `key:${other.credentials.access_key}` }), ['cnam.created'])
  assert.deepEqual(await types({ actor: 'person:999' }), [])
  const at = created?.occurred_at ?? ''
  const later = (ms: number) => new Date(Date.parse(at) + ms).toISOString()
  assert.deepEqual(await types({ account_id: other.id, from: at }), ['cnam.created'])
  assert.ok(!(await types({ account_id: other.id, before: at })).includes('cnam.created'))
  assert.deepEqual(await types({ account_id: other.id, from: at, before: later(1) }), ['cnam.created'])
  assert.deepEqual(await types({ from: later(3_600_000) }), [])
  assert.deepEqual(await types({ before: later(-3_600_000) }), [])
  assert.deepEqual(refused(await send('GET /operator/audit?from=yesterday'), 422).detail, {
    from: ['Must be an ISO 8601 time with an offset, such as 2027-01-31T00:00:00Z.'],
  })
})

test('the log shows people’s current names on every chain; customers see none', async () => {
  const { id } = await server.newAccount('Quay Optics')
  const holder = await signedInAs(server, [{ account_id: id, role: 'owner' }])
  const clerk = await signedInAs(server, [{ account_id: null, role: 'operator' }])
  const theirs = (await holder.client.createCnam({ body: { value: 'Quay' } })).body.data
  await clerk.client.decideCnam({ params: { cnam_id: theirs.id }, body: { is_approved: true } })
  await holder.client.updatePerson({ body: { name: 'Ada Quay' } })
  const clerks = await audit({ query: { actor: `person:${clerk.session.person.id}` } })
  assert.ok(
    clerks.some(({ event_type }) => event_type === 'cnam.approved'),
    'also what they did as an operator',
  )
  const known = {
    name: 'Ada Quay',
    email: holder.session.person.email,
    is_operator: false,
    accounts: [{ id, name: 'Quay Optics' }],
  }
  const { name, email } = clerk.session.person
  assert.deepEqual(
    (await audit({ query: { account_id: id, subject_type: 'cnam' } })).map(({ person }) => person),
    [{ name, email, is_operator: true, accounts: [] }, known],
  )
  const actor = `person:${holder.session.person.id}`
  const own = await audit({ query: { account_id: '0', event_type: 'person.signed_in', actor } })
  assert.deepEqual(
    own.map(({ person }) => person),
    [known],
  )
  assert.ok((await audit({ query: { actor: `key:${other.credentials.access_key}` } })).every((e) => e.person === null))
  const seen = JSON.stringify((await holder.client.listActivity({ query: { limit: 50 } })).body)
  assert.ok(!seen.includes(name) && !seen.includes(email))
})

test('accounts are listed with their summaries, and found by name and id', async () => {
  const summaries = async (query: object) =>
    (await operator.listAccountSummaries({ query })).body.data.map(({ id, attributes }) => ({ id, ...attributes }))
  await orderIn(server, 'Pending')
  const [own] = await summaries({ account_id: account.id })
  assert.partialDeepStrictEqual(own, {
    id: account.id,
    numbers_count: 0,
    open_port_orders_count: 1,
    waiting_port_orders_count: 0,
    people_count: 0,
    last_signed_in_at: null,
    keys_count: 1,
  })
  await orderIn(server, 'Processing')
  assert.partialDeepStrictEqual((await summaries({ account_id: account.id }))[0], {
    open_port_orders_count: 2,
    waiting_port_orders_count: 1,
  })
  assert.deepEqual(
    (await summaries({ search: own?.name.slice(1).toUpperCase() })).map(({ id }) => id),
    (await operator.listAccounts({ query: { search: own?.name.slice(1) ?? '' } })).body.data.map(({ id }) => id),
  )
  assert.deepEqual(
    (await summaries({ search: other.id })).map(({ id }) => id),
    [other.id],
  )
})

test('the log is paged', async () => {
  const all = await audit({ query: { limit: 200 } })
  const paged = []
  for (let offset = 0; offset < all.length; offset += 3) {
    const { body } = await operator.listEvents({ query: { limit: 3, offset } })
    paged.push(...body.data.map(({ attributes }) => attributes))
    assert.equal(body.links.next !== undefined, offset + 3 < all.length)
  }
  assert.deepEqual(paged, all)
})

test('an action that is refused or rolled back leaves no event', async () => {
  const before = await audit({ query: { limit: 200 } })
  const numbers = (...values: string[]) =>
    send(`POST /operator/accounts/${account.id}/numbers`, {
      body: JSON.stringify({ numbers: values.map((value) => ({ value, number_type: 'longcode' })) }),
    })
  assert.equal((await numbers('12065550100')).status, 201)
  const after = await audit({ query: { limit: 200 } })
  assert.equal(after.length, before.length + 1)
  // all or none: the first is free, the second is taken
  assert.ok((await numbers('12065550101', '12065550100')).status >= 400)
  refused(await send(`DELETE /operator/accounts/${account.id}/keys/999`), 404)
  refused(await send(`POST /operator/accounts/${account.id}/keys`, { body: '{"name":""}' }), 422)
  assert.deepEqual(await audit({ query: { limit: 200 } }), after)
})

test('no event contains a secret', async () => {
  const params = { account_id: account.id }
  const { attributes } = (await operator.createKey({ params, body: { name: 'canary' } })).body.data
  await account.client.rotateSigningSecret()
  const signing = (await account.client.getSigningSecret()).body.data.attributes.secret
  const { rows } = await sql<{ line: string }>`select e::text as line from event e`.execute(server.db)
  for (const { line } of rows) for (const secret of [attributes.secret_key, signing]) assert.ok(!line.includes(secret))
})

test('each account’s chain and the operator’s own can be verified', async () => {
  for (const query of [{ account_id: account.id }, { account_id: other.id }, {}]) {
    const { data } = (await operator.verifyEvents({ query })).body
    assert.deepEqual([data.intact, data.broken_at], [true, null])
    assert.ok(data.events > 0)
    const [last] = await audit({ query: { account_id: query.account_id ?? '0', limit: 1 } })
    assert.equal(data.last_at, last?.occurred_at)
    assert.ok((data.first_at ?? '') <= (data.last_at ?? ''))
    assert.match(data.head, /^[0-9a-f]{64}$/)
  }
  refused(await send('GET /operator/audit/verify?account_id=999999'), 404)
  refused(await send('GET /operator/audit/verify?account_id=x'), 422)
})

test('verification finds a changed event, in its chain only', async () => {
  await sql`update event set data = '{"value":"FORGED"}' where chain_id = ${other.id} and type = 'cnam.created'`.execute(
    server.db,
  )
  const { data } = (await operator.verifyEvents({ query: { account_id: other.id } })).body
  assert.deepEqual([data.intact, data.broken_at], [false, 3])
  assert.equal((await operator.verifyEvents({ query: { account_id: account.id } })).body.data.intact, true)
})
