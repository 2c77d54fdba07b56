import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimitedError, UnauthorizedError } from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { invited, joined, newBrowser, password, signedInAs, type Browser } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { wire } from '../../../test/support/wire.ts'
import { createVault } from '../../platform/secrets.ts'
import { createPasswords } from './passwords.ts'
import { attemptLimits } from './throttle.ts'

const server = await startTestServer()
const { id: account_id } = server.account
const send = wire(server.base_url)
const behindProxy = await startTestServer({ env: { DEMARC_TRUST_PROXY: '127.0.0.1/32' } })
const proxied = wire(behindProxy.base_url)
const email = 'Pat@People.example'
const person = (await joined(server, email, { account_id, role: 'owner' })).session.person

/** The status and message of a rejected sign-in from its own address. */
const signIn = (body: object) => send('POST /v2/sign_in', { body: JSON.stringify(body) })

/** The Set-Cookie headers of a sign-in. */
async function cookiesOf(body: object): Promise<string[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.base_url}/v2/sign_in`, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.headers.getSetCookie()
}

test('the address is matched ignoring case, and the cookie is HttpOnly and for this host', async () => {
  const response = await signIn({ email: 'pat@people.EXAMPLE', password })
  assert.equal(response.status, 200, response.body)
  const [session = '', device = ''] = await cookiesOf({ email, password })
  assert.match(session, /^demarc_session=[A-Za-z0-9]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  assert.match(device, /^demarc_device=[A-Za-z0-9]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/)
  const { data } = response.json as { data: { status: string; session: { person: object } } }
  assert.equal(data.status, 'signed_in')
  assert.partialDeepStrictEqual(data.session.person, { id: person.id, email, has_password: true, has_totp: false })
})

test('with TLS, the cookies are Secure and bound to the host, and no other names are read', async () => {
  const { deps } = server.runtime
  const plain = deps.public_url
  deps.public_url = 'https://portal.example'
  try {
    const set = await cookiesOf({ email, password })
    for (const [i, name] of ['session', 'device'].entries())
      assert.match(set[i] ?? '', new RegExp(`^__Host-demarc_${name}=\\w{32}; Path=/; HttpOnly; .*; Secure$`))
    const cookie = set[0]?.split(';', 1)[0] ?? ''
    const status = async (given: string) => (await send('GET /v2/sessions', { headers: { cookie: given } })).status
    assert.equal(await status(cookie), 200)
    assert.equal(await status(cookie.replace('__Host-', '')), 401)
  } finally {
    deps.public_url = plain
  }
})

test('responses about people are not stored', async () => {
  const signed_in = await signIn({ email, password })
  const cookie = (await cookiesOf({ email, password }))[0]?.split(';', 1)[0] ?? ''
  const responses = [
    signed_in,
    await signIn({ email, password: 'not the password' }),
    await send('GET /v2/session', { headers: { cookie } }),
    await send('GET /v2/session'),
    await send('GET /v2/people', { headers: { cookie } }),
  ]
  for (const { headers } of responses) assert.equal(headers['cache-control'], 'no-store')
})

test('without a session, the session is null and not an error', async () => {
  for (const cookie of ['', `demarc_session=${'x'.repeat(32)}`]) {
    const { status, json } = await send('GET /v2/session', { headers: { cookie } })
    assert.deepEqual([status, json], [200, { data: null }])
  }
})

test('an unknown person, a wrong password, and a person without memberships get the same refusal', async () => {
  const nowhere = (await joined(server, 'gone@people.example', { account_id, role: 'manager' })).session.person
  await server.db.deleteFrom('membership').where('person_id', '=', nowhere.id).execute()
  const refusals = [
    await signIn({ email, password: 'not the password' }),
    await signIn({ email: 'nobody@people.example', password }),
    await signIn({ email: 'gone@people.example', password }),
  ]
  for (const { status, headers, errors } of refusals) {
    assert.equal(status, 401)
    assert.equal(errors[0]?.detail, 'The email address or the password is wrong.')
    // a browser would open its own dialog for a scheme that it knows
    assert.equal(headers['www-authenticate'], 'Session realm="Demarc"')
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('a sign-in hashes once, however many people use the address', async () => {
  const hashed: string[] = []
  const { vault } = server.runtime.deps
  const counting = createPasswords({ keys: vault.keys, mac: countingMac })
  function countingMac(text: string): Buffer
  function countingMac(text: string, pepper_id: string): Buffer | null
  function countingMac(text: string, pepper_id?: string): Buffer | null {
    if (text.startsWith('password:')) hashed.push(text)
    return pepper_id === undefined ? vault.mac(text) : vault.mac(text, pepper_id)
  }
  const passwords = createPasswords(vault)
  const others = [await passwords.hash({ email, password: 'one of them' }), await passwords.hash({ email, password })]
  assert.equal(await counting.verify({ email, password: 'a guess' }, []), null)
  assert.equal(await counting.verify({ email, password: 'a guess' }, [null]), null)
  assert.equal(await counting.verify({ email, password: 'a guess' }, others), null)
  assert.equal(hashed.length, 3)
  assert.deepEqual(await counting.verify({ email: email.toUpperCase(), password }, [null, ...others]), {
    index: 2,
    outdated: false,
  })
})

test('a hash has a salt for its address and its parameters, and one with another cost is marked outdated', async () => {
  const passwords = createPasswords(server.runtime.deps.vault)
  const [one, two] = [
    await passwords.hash({ email, password }),
    await passwords.hash({ email: 'other@people.example', password }),
  ]
  const saltOf = (hash: string) => hash.split('$')[4]
  assert.notEqual(saltOf(one), saltOf(two))
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1,keyid=[0-9a-f]{8}\$/)
  assert.deepEqual(await passwords.verify({ email, password }, [one]), { index: 0, outdated: false })
  // composed and decomposed letters are the same letter
  const accent = await passwords.hash({ email, password: 'cafe\u0301 at the corner' })
  assert.ok(await passwords.verify({ email, password: 'caf\u00e9 at the corner' }, [accent]))
  const key = 'another pepper, or seal key, of 32 characters'
  const elsewhere = createPasswords(createVault({ pepper: key, seal_keys: [{ id: 'k1', key }] }))
  assert.equal(await elsewhere.verify({ email, password }, [one]), null, 'of no use without the pepper')
})

test('at most two passwords are hashed at a time, and a full queue refuses more', async () => {
  const passwords = createPasswords(server.runtime.deps.vault)
  const guess = { email, password: 'guess' }
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.verify(guess, [])))
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 60 - 52)
})

test('guesses from one address lock no one out at another', async () => {
  const from = (address: string, given: string) =>
    proxied('POST /v2/sign_in', {
      headers: { 'x-forwarded-for': address },
      body: JSON.stringify({ email: 'target@people.example', password: given }),
    })
  await joined(behindProxy, 'target@people.example', { account_id: behindProxy.account.id, role: 'manager' })
  const statuses = new Set<number>()
  for (let i = 0; i < 215; i++) statuses.add((await from('203.0.113.7', 'a wrong password')).status)
  assert.deepEqual([...statuses], [401, 429])
  assert.equal((await from('203.0.113.7', password)).status, 429)
  assert.equal((await from('198.51.100.2', password)).status, 200)
})

test('a browser that the person signed in with is not held up by guesses from elsewhere at its address', async () => {
  const known = await joined(server, 'known@people.example', { account_id, role: 'manager' })
  const stranger = newBrowser(server)
  const attempt = (browser: typeof stranger, given: string) =>
    browser.client.signIn({ body: { email: 'known@people.example', password: given } })
  for (let i = 0; i < attemptLimits.account_at_address.points; i++)
    await assert.rejects(attempt(stranger, 'a wrong password'), UnauthorizedError)
  await assert.rejects(attempt(stranger, password), RateLimitedError)
  await known.client.signOut()
  assert.equal((await attempt(known, password)).status, 200)
})

test('a browser known to someone else under the address is like any other', async () => {
  const shared = 'namesakes@people.example'
  const insider = await joined(server, shared, { account_id: server.other.id, role: 'owner' })
  const own = 'the password of the other one'
  const token = await invited(server, shared, { account_id, role: 'manager' })
  await newBrowser(server).client.acceptInvitation({ body: { token, name: 'Other', password: own } })
  const attempt = (browser: Browser, given: string) =>
    browser.client.signIn({ body: { email: shared, password: given } })
  assert.equal((await attempt(insider, own)).status, 200, 'someone with two sign-ins can use both')
  await server.db.deleteFrom('known_device').where('person_id', '<>', insider.session.person.id).execute()
  const stranger = newBrowser(server)
  for (let i = 0; i < attemptLimits.account_at_address.points; i++)
    await assert.rejects(attempt(stranger, 'a wrong password'), UnauthorizedError)
  await assert.rejects(attempt(insider, own), RateLimitedError)
  assert.equal((await attempt(insider, password)).status, 200)
})

test('after ten wrong passwords further attempts are throttled, for unknown people too', async () => {
  const { points } = attemptLimits.account_at_address
  for (const who of ['throttled@people.example', 'nobody-else@people.example']) {
    if (who.startsWith('throttled')) await joined(server, who, { account_id, role: 'manager' })
    const { client } = newBrowser(server)
    const attempt = (value: string) => client.signIn({ body: { email: who, password: value } })
    for (let i = 0; i < points; i++) await assert.rejects(attempt('a wrong password'), UnauthorizedError)
    await assert.rejects(
      attempt(password),
      (error) => error instanceof RateLimitedError && Number(error.retry_after_s) > 0,
    )
  }
})

test('each sign-in is in the audit log, without the email address', async () => {
  await signIn({ email, password })
  const event = await lastEvent(server.db, 'person.signed_in')
  assert.partialDeepStrictEqual(event, {
    chain_id: '0',
    actor: `person:${person.id}`,
    subject_id: person.id,
    data: { method: 'password', remote_ip: '127.0.0.1' },
  })
  assert.doesNotMatch(JSON.stringify(event), /people\.example/i)
})

test('only the demo cast signs in with one click', async () => {
  const { session } = await signedInAs(server, [{ account_id, role: 'read_only' }])
  const { data } = (await server.anonymous.getSignInOptions()).body
  assert.equal(data.mode, 'demo')
  const offered = data.demo_people.find(({ id }) => id === session.person.id)
  assert.partialDeepStrictEqual(offered, {
    account_name: 'Harbor Dental',
    role: 'read_only',
    story: 'Is there for a test.',
  })
  for (const person_id of [person.id, '999999999'])
    assert.equal((await send('POST /v2/sign_in/demo', { body: JSON.stringify({ person_id }) })).status, 404)
})
