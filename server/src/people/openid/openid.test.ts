import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lastEvent } from '../../../test/support/events.ts'
import { startOpenIdProvider } from '../../../test/support/openid-provider.ts'
import { invited, invitedByMail, joined, newBrowser } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { newSurfer, sessionIn } from '../../../test/support/surfer.ts'
import { inPortal } from './actions.ts'

/** Sign-ins through a real provider on loopback, by a browser that follows redirects and keeps cookies. */

const provider = await startOpenIdProvider()
after(() => provider.stop())
const server = await startTestServer({ env: provider.settings })
provider.allow(server.base_url)
const { id: account_id } = server.account

const start = (return_to = '/numbers') =>
  `${server.base_url}/v2/sign_in/openid?return_to=${encodeURIComponent(return_to)}`

test('the sign-in page offers the provider by its name', async () => {
  assert.deepEqual((await server.anonymous.getSignInOptions()).body.data.openid, { name: 'Harbor ID' })
})

test('a known person signs in by a verified address and lands on the requested page', async () => {
  const { session } = await joined(server, 'Mia@People.example', { account_id, role: 'manager' }, invitedByMail)
  provider.who = { email: 'mia@people.example', email_verified: true }
  const browser = newSurfer(server)
  const arrived = await browser.visit(start('/numbers?search=front%20desk'))
  assert.equal(arrived.pathname + arrived.search, '/numbers?search=front%20desk')
  assert.equal((await sessionIn(server, browser.cookies()))?.person.id, session.person.id)
  assert.equal(browser.cookies().has('demarc_openid'), false, 'what was asked for is taken away')
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'person.signed_in'), {
    subject_id: session.person.id,
    data: { method: 'openid' },
  })
  assert.equal((await lastEvent(server.db, 'person.openid_linked'))?.subject_id, session.person.id)
})

test('an invited person joins by a verified address without a password', async () => {
  await invited(server, 'new@people.example', { account_id, role: 'read_only' })
  provider.who = { email: 'new@people.example', email_verified: true }
  const browser = newSurfer(server)
  assert.equal((await browser.visit(start())).pathname, '/numbers')
  const data = await sessionIn(server, browser.cookies())
  assert.partialDeepStrictEqual(data, {
    person: { name: 'From the provider', email: 'new@people.example', has_password: false },
    memberships: [{ account_id, role: 'read_only' }],
  })
})

test('an uninvited person and an unverified address are refused', async () => {
  await joined(server, 'owner@people.example', { account_id, role: 'owner' })
  for (const [email, email_verified, reason] of [
    ['stranger@people.example', true, 'unknown'],
    ['owner@people.example', false, 'unverified'],
  ] as const) {
    provider.who = { email, email_verified }
    const browser = newSurfer(server)
    const arrived = await browser.visit(start())
    assert.equal(arrived.pathname + arrived.search, `/sign-in?openid_error=${reason}&return_to=%2Fnumbers`)
    assert.equal(await sessionIn(server, browser.cookies()), null)
  }
  const strangers = await server.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', 'stranger@people.example')
    .execute()
  assert.deepEqual(strangers, [])
})

test('an identity stays linked to its person when the provider changes the address', async () => {
  provider.who = { email: 'moved@people.example', email_verified: true }
  const { session } = await joined(server, 'moved@people.example', { account_id, role: 'manager' }, invitedByMail)
  await newSurfer(server).visit(start())
  await server.db
    .updateTable('person')
    .set({ email: 'renamed@people.example' })
    .where('id', '=', session.person.id)
    .execute()
  const browser = newSurfer(server)
  await browser.visit(start())
  assert.equal((await sessionIn(server, browser.cookies()))?.person.id, session.person.id)
})

test('a callback with the wrong state, in another browser, or without the expected claims is refused', async () => {
  provider.who = { email: 'mia@people.example', email_verified: true }
  const response = await fetch(start(), { redirect: 'manual' })
  const cookie = (response.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  const state = new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = async (query: Record<string, string>, headers: Record<string, string>) => {
    const url = `${server.base_url}/v2/sign_in/openid/callback?${new URLSearchParams(query).toString()}`
    const refused = await fetch(url, { redirect: 'manual', headers })
    return new URL(refused.headers.get('location') ?? '').searchParams.get('openid_error')
  }
  const iss = provider.issuer
  assert.equal(await back({ code: 'x', state, iss }, {}), 'expired')
  assert.equal(await back({ code: 'x', state, iss }, { cookie: 'demarc_openid=v1.test.forged' }), 'expired')
  assert.equal(await back({ code: 'x', state: 'another', iss }, { cookie }), 'refused')
  assert.equal(await back({ code: 'made-up', state, iss }, { cookie }), 'refused')
  assert.equal(await back({ error: 'access_denied', state, iss }, { cookie }), 'cancelled')
  assert.equal(await back({ error: 'server_error', state, iss }, { cookie }), 'refused')
})

test('an ID token with a wrong signature is refused', async () => {
  await joined(server, 'signed@people.example', { account_id, role: 'manager' }, invitedByMail)
  provider.who = { email: 'signed@people.example', email_verified: true }
  provider.forges = true
  const browser = newSurfer(server)
  const arrived = await browser.visit(start())
  provider.forges = false
  assert.equal(arrived.searchParams.get('openid_error'), 'refused')
  assert.equal(await sessionIn(server, browser.cookies()), null)
  assert.equal((await newSurfer(server).visit(start())).pathname, '/numbers')
})

test('the browser is sent with PKCE, a state and a nonce, none of which it can read back', async () => {
  const response = await fetch(start(), { redirect: 'manual' })
  const asked = new URL(response.headers.get('location') ?? '').searchParams
  assert.equal(asked.get('code_challenge_method'), 'S256')
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 32, name)
  const [cookie = ''] = response.headers.getSetCookie()
  assert.match(cookie, /^demarc_openid=v1\.test\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
})

test('the sign-in page reports a provider that does not respond', async () => {
  const away = await startTestServer({
    env: {
      DEMARC_OPENID_ISSUER: 'http://127.0.0.1:9',
      DEMARC_OPENID_CLIENT_ID: 'demarc',
      DEMARC_OPENID_CLIENT_SECRET: 'secret',
    },
  })
  const response = await fetch(`${away.base_url}/v2/sign_in/openid`, { redirect: 'manual' })
  assert.equal(response.headers.get('location'), `${away.base_url}/sign-in?openid_error=unavailable`)
})

test('without a provider, none is offered', async () => {
  const { base_url } = await startTestServer()
  assert.equal((await newBrowser({ base_url }).client.getSignInOptions()).body.data.openid, null)
  assert.equal((await fetch(`${base_url}/v2/sign_in/openid`)).status, 404)
})

test('only portal paths are accepted as return paths', () => {
  for (const path of ['/', '/numbers', '/numbers?search=a%20b#top']) assert.equal(inPortal(path), path)
  for (const path of [
    '',
    'numbers',
    '//elsewhere.example',
    '/\\elsewhere.example',
    'https://elsewhere.example',
    '/a\nb',
  ])
    assert.equal(inPortal(path), '/', path)
})
