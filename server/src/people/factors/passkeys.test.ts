import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConflictError, InvalidInputError, NotFoundError, UnauthorizedError } from '@demarc/client'
import { Authenticator, type Deviation } from '../../../test/support/authenticator.ts'
import { lastEvent } from '../../../test/support/events.ts'
import { joined, newBrowser, password, sessionOf } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { relyingParty } from './passkeys.ts'

const server = await startTestServer()
const { id: account_id } = server.account
// browsers don't support passkeys for IP addresses
const origin = server.base_url.replace('127.0.0.1', 'localhost')
let made = 0

/** A person with a passkey. */
async function withPasskey() {
  const browser = await joined(server, `passkey-${++made}@people.example`, { account_id, role: 'manager' })
  const authenticator = new Authenticator(origin)
  const { passkey_options } = (await browser.client.beginPasskey()).body.data
  const passkey = authenticator.register(passkey_options)
  const { data: added } = (await browser.client.addPasskey({ body: { name: 'Laptop', passkey } })).body
  return { browser, authenticator, added, passkey, email: browser.session.person.email }
}

async function ticketOf(email: string) {
  const { data } = (await newBrowser(server).client.signIn({ body: { email, password } })).body
  assert.ok(data.status === 'second_factor')
  return { ticket: data.ticket, methods: data.methods, options: data.passkey_options ?? {} }
}

test('a passkey is added, with recovery codes, and is the second factor from then on', async () => {
  const { added, email, authenticator, browser } = await withPasskey()
  assert.equal(added.recovery_codes?.length, 10)
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'person.passkey_added'), {
    actor: `person:${browser.session.person.id}`,
    data: { name: 'Laptop' },
  })
  const { ticket, methods, options } = await ticketOf(email)
  assert.deepEqual(methods, ['passkey', 'recovery_code'])
  const { client } = newBrowser(server)
  await client.confirmSignIn({ body: { ticket, passkey: authenticator.authenticate(options) } })
  const [listed] = (await client.listPasskeys()).body.data
  assert.equal(listed?.name, 'Laptop')
  assert.ok(listed?.last_used_at)
})

test('a passkey alone signs in if its authenticator verified the user', async () => {
  const { authenticator, browser } = await withPasskey()
  const attempt = async (deviation: Deviation) => {
    const other = newBrowser(server)
    const { ticket, passkey_options } = (await other.client.beginPasskeySignIn()).body.data
    const passkey = authenticator.authenticate(passkey_options, deviation)
    return (await other.client.confirmSignIn({ body: { ticket, passkey } })).body.data.session
  }
  const session = await attempt({})
  assert.equal(session.person.id, browser.session.person.id)
  await assert.rejects(attempt({ verifies_user: false }), UnauthorizedError)
})

test('starting a passkey sign-in stores nothing, and its ticket works once', async () => {
  const { authenticator } = await withPasskey()
  const { client } = newBrowser(server)
  const rows = async () => (await server.db.selectFrom('sign_in_ticket').select('token_hash').execute()).length
  const before = await rows()
  for (let i = 0; i < 20; i++) await client.beginPasskeySignIn()
  assert.equal(await rows(), before)
  const { ticket, passkey_options } = (await client.beginPasskeySignIn()).body.data
  // each response has a new signature, for the same challenge
  const confirm = (given: string) =>
    client.confirmSignIn({ body: { ticket: given, passkey: authenticator.authenticate(passkey_options) } })
  await assert.rejects(confirm(`${ticket}x`), UnauthorizedError)
  assert.equal((await confirm(ticket)).status, 200)
  await assert.rejects(confirm(ticket), UnauthorizedError)
})

test('a response from another origin, to another challenge, or from a cloned authenticator is refused', async () => {
  const { authenticator, email } = await withPasskey()
  const { client } = newBrowser(server)
  const attempt = async (deviation: Deviation, challenge?: string) => {
    const { ticket, options } = await ticketOf(email)
    const passkey = authenticator.authenticate({ ...options, ...(challenge && { challenge }) }, deviation)
    return await client.confirmSignIn({ body: { ticket, passkey } })
  }
  assert.equal((await attempt({ counter: 10 })).status, 200)
  await assert.rejects(attempt({ counter: 11, origin: 'http://elsewhere.example' }), UnauthorizedError)
  await assert.rejects(attempt({ counter: 12 }, 'c29tZXRoaW5n'), UnauthorizedError)
  await assert.rejects(attempt({ counter: 10 }), UnauthorizedError, 'the counter did not advance')
  assert.deepEqual((await lastEvent(server.db, 'person.second_factor_refused'))?.data, { method: 'passkey' })
  const stranger = new Authenticator(origin)
  const { ticket, options } = await ticketOf(email)
  await assert.rejects(
    client.confirmSignIn({ body: { ticket, passkey: stranger.authenticate(options) } }),
    UnauthorizedError,
  )
})

test('a signature for one sign-in is refused for another', async () => {
  const { authenticator, email } = await withPasskey()
  const [first, second] = [await ticketOf(email), await ticketOf(email)]
  const passkey = authenticator.authenticate(first.options)
  const { client } = newBrowser(server)
  await client.confirmSignIn({ body: { ticket: first.ticket, passkey } })
  for (const ticket of [first.ticket, second.ticket])
    await assert.rejects(client.confirmSignIn({ body: { ticket, passkey } }), UnauthorizedError)
})

test('a registration response works once, for its own challenge', async () => {
  const { browser, passkey } = await withPasskey()
  const body = { name: 'Again', passkey }
  await assert.rejects(browser.client.addPasskey({ body }), ConflictError, 'nothing was asked for since')
  await browser.client.beginPasskey()
  await assert.rejects(browser.client.addPasskey({ body }), InvalidInputError, 'it was asked for something else')
})

test('a passkey confirms a person’s identity', async () => {
  const { browser, authenticator } = await withPasskey()
  const { passkey_options } = (await browser.client.beginConfirmation()).body.data
  const passkey = authenticator.authenticate(passkey_options ?? {})
  assert.equal((await browser.client.confirmIdentity({ body: { passkey } })).status, 200)
  await assert.rejects(browser.client.confirmIdentity({ body: { passkey } }), InvalidInputError)
})

test('a passkey can be removed unless it is the person’s only way to sign in', async () => {
  const { browser, added } = await withPasskey()
  const { client, session } = browser
  const params = { passkey_id: added.id }
  await server.db.updateTable('person').set({ password_hash: null }).where('id', '=', session.person.id).execute()
  await assert.rejects(client.removePasskey({ params }), ConflictError)
  await client.changePassword({ body: { new_password: 'chosen for the first time' } })
  const stranger = await withPasskey()
  await assert.rejects(stranger.browser.client.removePasskey({ params }), NotFoundError)
  await client.removePasskey({ params })
  assert.deepEqual((await client.listPasskeys()).body.data, [])
  assert.equal((await sessionOf(client)).person.recovery_codes_left, 0)
})

test('passkeys are bound to the host of the public URL, and to localhost for an address', () => {
  const grid: [string, string, string][] = [
    ['https://portal.example', 'portal.example', 'https://portal.example'],
    ['https://portal.example:8443/demarc', 'portal.example', 'https://portal.example:8443'],
    ['http://127.0.0.1:8911', 'localhost', 'http://localhost:8911'],
    ['http://[::1]:8911', 'localhost', 'http://localhost:8911'],
  ]
  for (const [public_url, id, expected] of grid)
    assert.deepEqual(relyingParty({ public_url }), { id, origins: [expected] })
})
