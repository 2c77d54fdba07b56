import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimitedError, UnauthorizedError } from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { joined, newBrowser, password, signedInAs } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { wire } from '../../../test/support/wire.ts'
import { createPasswords } from './passwords.ts'
import { attemptLimits } from './throttle.ts'

const server = await startTestServer()
const { id: account_id } = server.account
const send = wire(server.base_url)
const email = 'Pat@People.example'
const person = (await joined(server, email, { account_id, role: 'owner' })).session.person

/** The status, and the words of a refusal, of a sign-in from an address of its own. */
const signIn = (body: object) => send('POST /v2/sign_in', { body: JSON.stringify(body) })

test('the address is matched ignoring case, and the cookie is HttpOnly and for this host', async () => {
  const response = await signIn({ email: 'pat@people.EXAMPLE', password })
  assert.equal(response.status, 200, response.body)
  const cookie = String(response.headers['set-cookie'])
  assert.match(cookie, /^demarc_session=[A-Za-z0-9]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  const { data } = response.json as { data: { status: string; session: { person: object } } }
  assert.equal(data.status, 'signed_in')
  assert.partialDeepStrictEqual(data.session.person, { id: person.id, email, has_password: true, has_totp: false })
})

test('with TLS, the cookie is Secure', async () => {
  const { deps } = server.runtime
  const plain = deps.public_url
  deps.public_url = 'https://portal.example'
  const response = await signIn({ email, password })
  deps.public_url = plain
  assert.match(String(response.headers['set-cookie']), /; Secure$/)
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
    assert.equal(errors[0]?.detail, 'The e-mail address or the password is wrong.')
    // a browser would open a dialog for a scheme that it knows
    assert.equal(headers['www-authenticate'], 'Session realm="Demarc"')
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('without a stored password, a comparison still runs', async () => {
  const hashed: string[] = []
  const passwords = createPasswords({
    hashSecret: (secret) => {
      hashed.push(secret)
      return Buffer.from(secret)
    },
  })
  assert.deepEqual(await passwords.verify('guess', null), { matches: false, outdated: false })
  assert.equal(hashed.length, 1)
})

test('a hash has its own salt and parameters, and one with another cost is marked outdated', async () => {
  const passwords = createPasswords(server.runtime.deps.vault)
  const [one, two] = [await passwords.hash(password), await passwords.hash(password)]
  assert.notEqual(one, two)
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.deepEqual(await passwords.verify(password, two), { matches: true, outdated: false })
  // composed and decomposed letters are the same letter
  const accent = await passwords.hash('cafe\u0301 at the corner')
  assert.equal((await passwords.verify('caf\u00e9 at the corner', accent)).matches, true)
  const elsewhere = createPasswords({ hashSecret: () => Buffer.from('another pepper') })
  assert.equal((await elsewhere.verify(password, one)).matches, false, 'of no use without the pepper')
})

test('at most two passwords are hashed at a time, and a full queue refuses more', async () => {
  const passwords = createPasswords(server.runtime.deps.vault)
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.verify('guess', null)))
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 60 - 52)
})

test('after ten wrong passwords further attempts are throttled, for unknown people too', async () => {
  const { points } = attemptLimits.person_at_address
  for (const who of ['throttled@people.example', 'nobody-else@people.example']) {
    if (who.startsWith('throttled')) await joined(server, who, { account_id, role: 'manager' })
    const { client } = newBrowser(server)
    const attempt = (given: string) => client.signIn({ body: { email: who, password: given } })
    for (let i = 0; i < points; i++) await assert.rejects(attempt('a wrong password'), UnauthorizedError)
    await assert.rejects(
      attempt(password),
      (error) => error instanceof RateLimitedError && Number(error.retry_after_s) > 0,
    )
  }
})

test('each sign-in is in the audit log, without the e-mail address', async () => {
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
