import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDemarcClient } from '@demarc/client'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { batchRows } from '../platform/http/streamed-list.ts'

const server = await startTestServer()
const { account } = server

const approve = async (id: string) =>
  server.operator.decideCnam({ params: { cnam_id: id }, body: { is_approved: true } })

/** An account with this many records, inserted without the API. */
async function accountWith(count: number) {
  const account = await server.newAccount(`With ${count} names`)
  await sql`
    insert into cnam (account_id, value, created_at, is_approved, approved_at)
    select ${account.id}::bigint, 'NAME ' || i, now(), i % 3 = 0, case when i % 3 = 0 then now() end from generate_series(1, ${count}::int) i`.execute(
    server.db,
  )
  return account
}

test('without parameters every record is returned, however many', async () => {
  const count = 5 * batchRows + 1
  const account = await accountWith(count)
  const response = await rawClient(server.base_url, account)('GET', '/v2/cnams')
  assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
  assert.equal(response.headers.get('content-length'), null, 'streamed')
  const body = (await response.json()) as { data: { id: string; attributes: { value: string } }[]; links: unknown }
  assert.deepEqual(
    body.data.map((c) => c.attributes.value),
    Array.from({ length: count }, (_, i) => `NAME ${i + 1}`),
  )
  assert.deepEqual(body.links, { self: `${server.base_url}/v2/cnams` })
  const page = await rawClient(server.base_url, account)('GET', '/v2/cnams?limit=100')
  assert.equal(page.headers.get('content-type'), 'application/vnd.api+json')
  assert.equal(page.headers.get('content-length'), String((await page.arrayBuffer()).byteLength), 'sent whole')
  const all = await account.client.listCnams({ query: { limit: 10_000_000 } })
  assert.equal(all.body.data.length, count, 'limit has no maximum')
  assert.equal(all.body.links.next, undefined)
})

test('an error in the middle of a list aborts the transfer, so a partial list never looks complete', async () => {
  const account = await accountWith(60_000)
  const response = await rawClient(server.base_url, account)('GET', '/v2/cnams')
  assert.equal(response.status, 200)
  // nothing is read while the table is renamed, and the socket buffers hold only a part of the list
  await sql`alter table cnam rename to cnam_away`.execute(server.db)
  try {
    await assert.rejects(response.text(), TypeError)
  } finally {
    await sql`alter table cnam_away rename to cnam`.execute(server.db)
  }
})

test('next links lead through all records, and the last page has none', async () => {
  const account = await accountWith(25)
  const raw = rawClient(server.base_url, account)
  const seen: string[] = []
  let next: string | undefined = `${server.base_url}/v2/cnams?limit=10`
  const pages: string[] = []
  while (next) {
    const response = await raw('GET', next.slice(server.base_url.length))
    const body = (await response.json()) as { data: { id: string }[]; links: { self: string; next?: string } }
    seen.push(...body.data.map((c) => c.id))
    pages.push(body.links.self)
    next = body.links.next
  }
  assert.equal(new Set(seen).size, 25)
  assert.deepEqual(
    pages,
    [0, 10, 20].map((offset) => `${server.base_url}/v2/cnams?limit=10&offset=${offset}`),
  )
  const exactly = await account.client.listCnams({ query: { limit: 5, offset: 20 } })
  assert.equal(exactly.body.links.next, undefined)
  const beyond = await account.client.listCnams({ query: { limit: 5, offset: 100 } })
  assert.deepEqual(beyond.body.data, [])
  const rest = await account.client.listCnams({ query: { offset: 20 } })
  assert.equal(rest.body.data.length, 5)
  assert.deepEqual(rest.body.links, { self: `${server.base_url}/v2/cnams?offset=20` })
})

test('records are filtered by approval, by rejection and by part of the name, in any case and without wildcards', async () => {
  const account = await server.newAccount('Filters')
  for (const value of ['Harbor Dental', 'Harbor_East', 'Old Harbor', 'Acme'])
    await account.client.createCnam({ body: { value } })
  const acme = (await account.client.listCnams({ query: { value: 'acme' } })).body.data[0]
  await approve(acme?.id ?? '')
  const east = (await account.client.listCnams({ query: { value: '_east' } })).body.data[0]
  const rejection = { is_approved: false, rejection_reason: 'Not your name.' }
  await server.operator.decideCnam({ params: { cnam_id: east?.id ?? '' }, body: rejection })
  const raw = rawClient(server.base_url, account)
  const values = async (query: string) => {
    const response = await raw('GET', `/v2/cnams?${query}`)
    assert.equal(response.status, 200, query)
    const body = (await response.json()) as { data: { attributes: { value: string } }[] }
    return body.data.map((c) => c.attributes.value)
  }
  assert.deepEqual(await values('value=harbor'), ['HARBOR DENTAL', 'HARBOR_EAST', 'OLD HARBOR'])
  assert.deepEqual(await values('value=OR%20d'), ['HARBOR DENTAL'])
  assert.deepEqual(await values('value=_'), ['HARBOR_EAST'])
  assert.deepEqual(await values('value=%25'), [])
  assert.deepEqual(await values('value=%5C'), [])
  assert.deepEqual(await values('is_approved=True'), ['ACME'])
  assert.deepEqual(await values('is_approved=false&value=old'), ['OLD HARBOR'])
  assert.deepEqual(await values('is_rejected=true'), ['HARBOR_EAST'])
  assert.deepEqual(await values('is_approved=false&is_rejected=false'), ['HARBOR DENTAL', 'OLD HARBOR'])
  assert.equal((await values('value=')).length, 4)
  assert.equal((await values('&null')).length, 4)
  assert.equal((await values('color=red')).length, 4)
  const { body } = await account.client.listCnams({ query: { value: 'harbor', limit: 2 } })
  assert.deepEqual(body.links, {
    self: `${server.base_url}/v2/cnams?value=harbor&limit=2&offset=0`,
    next: `${server.base_url}/v2/cnams?value=harbor&limit=2&offset=2`,
  })
})

test('invalid parameters are all reported together, and nothing is streamed', async () => {
  const raw = rawClient(server.base_url, server.account)
  const grid: [string, Record<string, string[]>][] = [
    ['limit=abc', { limit: ['Not a valid integer.'] }],
    ['limit=0', { limit: ['Must be at least 1.'] }],
    ['limit=-1', { limit: ['Must be at least 1.'] }],
    ['limit=1.5', { limit: ['Not a valid integer.'] }],
    ['offset=-1', { offset: ['Must be at least 0.'] }],
    [
      'limit=x&offset=y&is_approved=maybe',
      { limit: ['Not a valid integer.'], offset: ['Not a valid integer.'], is_approved: ['Not a valid boolean.'] },
    ],
    ['value=%00', { value: ['Must not contain a null character.'] }],
  ]
  for (const [query, detail] of grid) {
    const response = await raw('GET', `/v2/cnams?${query}`)
    assert.equal(response.status, 422, query)
    assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
    const { errors } = (await response.json()) as { errors: Record<string, unknown>[] }
    assert.deepEqual(errors, [{ id: errors[0]?.['id'], status: 422, detail }])
  }
})

test('an account sees only its own records; the operator sees all, or those of one account', async () => {
  const account = await accountWith(3)
  assert.equal((await account.client.listCnams()).body.data.length, 3)
  const acting = createDemarcClient({
    retry: false,
    base_url: server.base_url,
    fetch: checkingFetch,
    credentials: server.operator_credentials,
    account_id: account.id,
  })
  assert.equal((await acting.listCnams()).body.data.length, 3)
  assert.equal((await acting.createCnam({ body: { value: 'By the operator' } })).status, 201)
  const { body } = await server.operator.listCnams({ query: { value: 'by the operator' } })
  assert.equal(body.data.length, 1)
  assert.deepEqual(Object.keys(await fieldErrors(server.operator.createCnam({ body: { value: 'Whose' } }))), [
    'Demarc-Account',
  ])
})

test('the operator sees each record’s account in lists and decisions; customers do not', async () => {
  const owner = await server.newAccount('Whose Name Is It')
  const { data: made } = (await owner.client.createCnam({ body: { value: 'Whose 1' } })).body
  await account.client.createCnam({ body: { value: 'Whose 2' } })
  const whose = ({ attributes }: Pick<typeof made, 'attributes'>) => [attributes.account_id, attributes.account_name]
  const { body } = await server.operator.listCnams({ query: { value: 'whose' } })
  assert.deepEqual(body.data.map(whose), [
    [owner.id, 'Whose Name Is It'],
    [account.id, 'Harbor Dental'],
  ])
  const params = { cnam_id: made.id }
  assert.deepEqual(whose((await server.operator.getCnam({ params })).body.data), [owner.id, 'Whose Name Is It'])
  const decided = await server.operator.decideCnam({ params, body: { is_approved: true } })
  assert.deepEqual(whose(decided.body.data), [owner.id, 'Whose Name Is It'])
  for (const { attributes } of [made, ...(await owner.client.listCnams()).body.data])
    assert.ok(!('account_id' in attributes) && !('account_name' in attributes))
})
