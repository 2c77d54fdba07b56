import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  ConfirmationRequiredError,
  ConflictError,
  InvalidInputError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
} from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { type Browser, joined, newBrowser, password, sessionOf } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { limits } from '../rules.ts'
import { totpCode, totpStep } from './totp.ts'

const server = await startTestServer()
const { id: account_id } = server.account
let made = 0
const newcomer = () => joined(server, `factor-${++made}@people.example`, { account_id, role: 'manager' })

/** A valid code even if one of the current step was used, or the step ends before it is checked. */
const codeOf = (secret: string, steps = 1) => totpCode(secret, totpStep(new Date()) + steps)

/** A person with an authenticator app whose code for the current step has been used. */
async function withTotp() {
  const browser = await newcomer()
  const { secret } = (await browser.client.beginTotp()).body.data
  const { recovery_codes } = (await browser.client.confirmTotp({ body: { code: codeOf(secret, 0) } })).body.data
  return { browser, secret, recovery_codes, email: browser.session.person.email }
}

/** The ticket after the password. */
async function ticketOf({ client }: Browser, email: string) {
  const { data } = (await client.signIn({ body: { email, password } })).body
  assert.ok(data.status === 'second_factor')
  return data
}

/** Makes the sign-in older than a change of factors allows. */
const unconfirm = (id: string) =>
  sql`update person_session set confirmed_at = now() - interval '10 minutes 1 second' where id = ${id}`.execute(
    server.db,
  )

test('with an authenticator app, the password alone does not sign in', async () => {
  const { secret, email, recovery_codes } = await withTotp()
  assert.equal(new Set(recovery_codes).size, 10)
  const browser = newBrowser(server)
  const { ticket, methods, passkey_options } = await ticketOf(browser, email)
  assert.deepEqual([methods, passkey_options], [['totp', 'recovery_code'], null])
  assert.equal((await browser.client.getSession()).body.data, null)
  await browser.client.confirmSignIn({ body: { ticket, totp: codeOf(secret).replace(/(...)/, '$1 ') } })
  const { person } = await sessionOf(browser.client)
  assert.deepEqual([person.has_totp, person.recovery_codes_left], [true, 10])
})

test('a code works once, and a wrong one is recorded', async () => {
  const { secret, email, browser } = await withTotp()
  const code = codeOf(secret)
  const first = newBrowser(server)
  await first.client.confirmSignIn({ body: { ticket: (await ticketOf(first, email)).ticket, totp: code } })
  const { ticket } = await ticketOf(first, email)
  await assert.rejects(first.client.confirmSignIn({ body: { ticket, totp: code } }), UnauthorizedError)
  const event = await lastEvent(server.db, 'person.second_factor_refused')
  assert.equal(event?.subject_id, browser.session.person.id)
  // but not the code itself: six digits would occur by chance in ids and times
  assert.deepEqual(event.data, { method: 'totp' })
})

test('a ticket allows five attempts, ten minutes, and one sign-in', async () => {
  const { secret, email, recovery_codes } = await withTotp()
  const { client } = newBrowser(server)
  const tried = (await ticketOf(newBrowser(server), email)).ticket
  for (let i = 0; i < 5; i++)
    await assert.rejects(client.confirmSignIn({ body: { ticket: tried, totp: '000000' } }), UnauthorizedError)
  await assert.rejects(client.confirmSignIn({ body: { ticket: tried, totp: codeOf(secret) } }), UnauthorizedError)
  const old = (await ticketOf(newBrowser(server), email)).ticket
  await sql`update sign_in_ticket set created_at = now() - interval '10 minutes 1 second'`.execute(server.db)
  await assert.rejects(client.confirmSignIn({ body: { ticket: old, totp: codeOf(secret) } }), UnauthorizedError)
  const used = (await ticketOf(newBrowser(server), email)).ticket
  await client.confirmSignIn({ body: { ticket: used, totp: codeOf(secret) } })
  const [recovery_code = ''] = recovery_codes
  await assert.rejects(client.confirmSignIn({ body: { ticket: used, recovery_code } }), UnauthorizedError)
})

test('wrong authenticator codes don’t use up attempts with recovery codes', async () => {
  const { email, recovery_codes } = await withTotp()
  const { client } = newBrowser(server)
  for (let i = 0; i < 2; i++) {
    const { ticket } = await ticketOf(newBrowser(server), email)
    for (let j = 0; j < 5; j++)
      await assert.rejects(client.confirmSignIn({ body: { ticket, totp: '000000' } }), UnauthorizedError)
  }
  const { ticket } = await ticketOf(newBrowser(server), email)
  await assert.rejects(client.confirmSignIn({ body: { ticket, totp: '000000' } }), RateLimitedError)
  const [recovery_code = ''] = recovery_codes
  assert.equal((await client.confirmSignIn({ body: { ticket, recovery_code } })).status, 200)
})

test('a person has a limited number of open sign-ins', async () => {
  const { email, browser } = await withTotp()
  for (let i = 0; i < limits.tickets + 2; i++) await ticketOf(newBrowser(server), email)
  const rows = await server.db
    .selectFrom('sign_in_ticket')
    .select('token_hash')
    .where('person_id', '=', browser.session.person.id)
    .execute()
  assert.equal(rows.length, limits.tickets)
})

test('each recovery code works once, however it is typed, and new codes replace all old ones', async () => {
  const { email, recovery_codes, browser } = await withTotp()
  const attempt = async (recovery_code: string) => {
    const { client } = newBrowser(server)
    const { ticket } = await ticketOf(newBrowser(server), email)
    return (await client.confirmSignIn({ body: { ticket, recovery_code } })).body.data.session.person
  }
  const [first = '', second = ''] = recovery_codes
  assert.equal((await attempt(first.toUpperCase().replace('-', ' '))).recovery_codes_left, 9)
  await assert.rejects(attempt(first), UnauthorizedError)
  assert.deepEqual((await lastEvent(server.db, 'person.recovery_code_used'))?.data, { left: 9 })
  const renewed = (await browser.client.renewRecoveryCodes()).body.data.recovery_codes
  await assert.rejects(attempt(second), UnauthorizedError)
  assert.equal((await attempt(renewed[0] ?? '')).recovery_codes_left, 9)
})

test('an authenticator app is active once one of its codes is entered, and only one can be set up', async () => {
  const { client, session } = await newcomer()
  const { secret } = (await client.beginTotp()).body.data
  await assert.rejects(client.confirmTotp({ body: { code: '000000' } }), InvalidInputError)
  const email = session.person.email
  const { data } = (await newBrowser(server).client.signIn({ body: { email, password } })).body
  assert.equal(data.status, 'signed_in', 'it is not asked for before')
  await client.confirmTotp({ body: { code: codeOf(secret) } })
  await assert.rejects(client.beginTotp(), ConflictError)
  await client.removeTotp()
  assert.equal((await sessionOf(client)).person.recovery_codes_left, 0)
  await assert.rejects(client.removeTotp(), NotFoundError)
})

test('ten minutes after sign-in, changing factors requires confirming one’s identity', async () => {
  const { browser, secret } = await withTotp()
  const { client, session } = browser
  await unconfirm(session.id)
  const changes = [() => client.removeTotp(), () => client.renewRecoveryCodes(), () => client.beginPasskey()]
  for (const change of changes) await assert.rejects(change(), ConfirmationRequiredError)
  assert.deepEqual((await client.beginConfirmation()).body.data.methods, ['password', 'totp', 'recovery_code'])
  for (const body of [{ password: 'a wrong password' }, { totp: '000000' }, {}, { password, totp: codeOf(secret) }])
    await assert.rejects(client.confirmIdentity({ body }), InvalidInputError)
  for (const body of [{ password }, { totp: codeOf(secret) }]) {
    await unconfirm(session.id)
    const { data } = (await client.confirmIdentity({ body })).body
    assert.ok(Date.parse(data.confirmed_until) > Date.now())
    assert.equal((await client.beginPasskey()).status, 200)
  }
  assert.equal((await lastEvent(server.db, 'person.totp_added'))?.actor, `person:${session.person.id}`)
})

test('changing the password requires the current one and ends all other sessions', async () => {
  const { client, session } = await newcomer()
  const { email } = session.person
  const elsewhere = newBrowser(server)
  await elsewhere.client.signIn({ body: { email, password } })
  const new_password = 'quite another password'
  const wrong = [
    { new_password },
    { current_password: 'not it', new_password },
    { current_password: password, new_password: 'short' },
  ]
  for (const body of wrong) await assert.rejects(client.changePassword({ body }), InvalidInputError)
  await client.changePassword({ body: { current_password: password, new_password } })
  assert.ok(await sessionOf(client))
  assert.equal((await elsewhere.client.getSession()).body.data, null)
  await assert.rejects(elsewhere.client.signIn({ body: { email, password } }), UnauthorizedError)
  assert.equal((await elsewhere.client.signIn({ body: { email, password: new_password } })).status, 200)
  assert.equal((await lastEvent(server.db, 'person.password_changed'))?.subject_id, session.person.id)
})

test('a person can change their name and time zone, and an unknown zone is refused', async () => {
  const { client } = await newcomer()
  const { person } = (await client.updatePerson({ body: { name: ' Mia Park ', time_zone: 'America/Denver' } })).body
    .data
  assert.deepEqual([person.name, person.time_zone], ['Mia Park', 'America/Denver'])
  await assert.rejects(client.updatePerson({ body: { time_zone: 'Mars/Olympus' } }), InvalidInputError)
  assert.equal((await client.updatePerson({ body: { time_zone: null } })).body.data.person.time_zone, null)
})
