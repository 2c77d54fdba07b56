import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  CsrfTokenRequiredError,
  InvalidInputError,
  NotAuthorizedError,
  NotFoundError,
  UnauthorizedError,
} from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { newBrowser, sessionOf, signedInAs } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { wire } from '../../../test/support/wire.ts'

const server = await startTestServer()
const { account, other } = server
const owner = { account_id: account.id, role: 'owner' } as const

/** Makes a session older. */
const age = (id: string, column: 'last_used_at' | 'started_at', interval: string) =>
  sql`update person_session set ${sql.ref(column)} = now() - ${interval}::interval where id = ${id}`.execute(server.db)

test('a session works wherever an account key does, and identifies the person', async () => {
  const { client, session } = await signedInAs(server, [owner])
  const data = await sessionOf(client)
  assert.deepEqual(data.memberships, [{ account_id: account.id, account_name: 'Harbor Dental', role: 'owner' }])
  assert.equal(data.csrf_token, session.csrf_token)
  const cnam = (await client.createCnam({ body: { value: 'BY A PERSON' } })).body.data
  assert.equal((await account.client.getCnam({ params: { cnam_id: cnam.id } })).status, 200)
  const event = await lastEvent(server.db, 'cnam.created')
  assert.partialDeepStrictEqual(event, { chain_id: account.id, actor: `person:${session.person.id}` })
})

test('a change by cookie requires the session’s CSRF token; a read does not', async () => {
  const browser = await signedInAs(server, [owner])
  const stranger = await signedInAs(server, [owner])
  const send = wire(server.base_url)
  const { cookie = '' } = browser.headers()
  assert.equal((await send('GET /v2/cnams', { headers: { cookie } })).status, 200)
  const body = JSON.stringify({ value: 'FORGED' })
  for (const token of [undefined, '', 'x'.repeat(43), stranger.session.csrf_token]) {
    const headers = { cookie, ...(token === undefined ? {} : { 'demarc-csrf': token }) }
    const response = await send('POST /v2/cnams', { headers, body })
    assert.equal(response.status, 403)
    assert.equal(response.errors[0]?.title, 'CSRF token required')
  }
  browser.session = { ...browser.session, csrf_token: 'another' }
  await assert.rejects(browser.client.createCnam({ body: { value: 'FORGED' } }), CsrfTokenRequiredError)
})

test('a session ends after 12 hours without use, and after 30 days in any case', async () => {
  for (const [column, lives, ended] of [
    ['last_used_at', '11 hours 59 minutes', '12 hours 1 second'],
    ['started_at', '29 days 23 hours', '30 days 1 second'],
  ] as const) {
    const { client, session } = await signedInAs(server, [owner])
    await age(session.id, column, lives)
    assert.ok(await sessionOf(client))
    await age(session.id, column, ended)
    assert.equal((await client.getSession()).body.data, null)
    await assert.rejects(client.listSessions(), (error) => {
      assert.ok(error instanceof UnauthorizedError)
      assert.match(error.message, /Sign in again/)
      return error.headers.get('www-authenticate') === 'Session realm="Demarc"'
    })
  }
})

test('using a session keeps it alive, and moving the demo clock does not end it', async () => {
  const { client, session } = await signedInAs(server, [owner])
  await age(session.id, 'last_used_at', '11 hours')
  const before = await sessionOf(client)
  assert.ok(Date.parse(before.idle_expires_at) > Date.now() + 11 * 3_600_000)
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + 45 * 86_400_000))
  assert.ok(await sessionOf(client))
})

test('a person sees their sessions, ends one, and signs out everywhere else', async () => {
  const first = await signedInAs(server, [owner])
  const person_id = first.session.person.id
  const [second, third] = [newBrowser(server), newBrowser(server)]
  for (const browser of [second, third]) await browser.client.signInAsDemoPerson({ body: { person_id } })
  const listed = (await first.client.listSessions()).body.data
  assert.equal(listed.length, 3)
  assert.deepEqual(
    listed.filter(({ is_current }) => is_current).map(({ id }) => id),
    [first.session.id],
  )
  const newest = listed.find(({ is_current }) => !is_current) ?? assert.fail()
  await first.client.endSession({ params: { session_id: newest.id } })
  assert.equal((await first.client.listSessions()).body.data.length, 2)
  await first.client.endOtherSessions()
  for (const { client } of [second, third]) assert.equal((await client.getSession()).body.data, null)
  await first.client.signOut()
  assert.equal((await first.client.getSession()).body.data, null)
  assert.equal((await lastEvent(server.db, 'person.signed_out'))?.subject_id, person_id)
})

test('another person’s session looks like a missing one', async () => {
  const [mine, theirs] = [await signedInAs(server, [owner]), await signedInAs(server, [owner])]
  for (const session_id of [theirs.session.id, '999999999'])
    await assert.rejects(mine.client.endSession({ params: { session_id } }), NotFoundError)
  assert.ok(await sessionOf(theirs.client))
})

test('a person with two accounts names one; other accounts look missing', async () => {
  const browser = await signedInAs(server, [owner, { account_id: other.id, role: 'read_only' }])
  const { client } = browser
  await assert.rejects(client.listCnams(), (error) => {
    assert.ok(error instanceof InvalidInputError)
    return 'Demarc-Account' in error.fields
  })
  browser.account_id = account.id
  await client.createCnam({ body: { value: 'ONE OF TWO' } })
  browser.account_id = other.id
  assert.deepEqual((await client.listCnams()).body.data, [])
  await assert.rejects(client.createCnam({ body: { value: 'READ ONLY' } }), NotAuthorizedError)
  const third = await server.newAccount('None of theirs')
  const refusals = []
  for (const id of [third.id, '999999999', 'nobody']) {
    browser.account_id = id
    const refusal = await client.listCnams().catch((error: InvalidInputError) => error)
    refusals.push(refusal instanceof InvalidInputError ? refusal.fields : refusal)
    assert.ok(await sessionOf(client), 'what is their own needs no account')
  }
  assert.deepEqual(refusals[1], refusals[0])
  assert.deepEqual(refusals[2], refusals[0])
})

test('operator staff act for all accounts, or for the one they name', async () => {
  const browser = await signedInAs(server, [{ account_id: null, role: 'operator' }])
  const { client } = browser
  const cnam = (await other.client.createCnam({ body: { value: 'OF THE OTHER' } })).body.data
  const params = { cnam_id: cnam.id }
  assert.equal((await client.getCnam({ params })).status, 200)
  browser.account_id = account.id
  await assert.rejects(client.getCnam({ params }), NotFoundError)
  browser.account_id = '999999999'
  await assert.rejects(client.listCnams(), InvalidInputError)
})

test('changed rights apply from the next request on', async () => {
  const { client, session } = await signedInAs(server, [owner])
  await client.createCnam({ body: { value: 'AS AN OWNER' } })
  await server.db
    .updateTable('membership')
    .set({ role: 'read_only' })
    .where('person_id', '=', session.person.id)
    .execute()
  await assert.rejects(client.createCnam({ body: { value: 'NO MORE' } }), NotAuthorizedError)
  assert.equal((await client.listCnams()).status, 200)
})

test('a page without a session gets a 401 that opens no browser dialog', async () => {
  for (const ask of [newBrowser(server).client.listSessions, newBrowser(server).client.listNumbers])
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof UnauthorizedError)
      assert.match(error.message, /You are not signed in\./)
      return error.headers.get('www-authenticate') === 'Session realm="Demarc"'
    })
})

test('a key takes precedence over a cookie and needs no CSRF token', async () => {
  const { headers } = await signedInAs(server, [{ account_id: other.id, role: 'read_only' }])
  const send = wire(server.base_url, account.credentials)
  const { cookie = '' } = headers()
  const response = await send('POST /v2/cnams', { headers: { cookie }, body: JSON.stringify({ value: 'BY KEY' }) })
  assert.equal(response.status, 201, response.body)
})
