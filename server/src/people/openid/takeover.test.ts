import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { InvalidInputError, NotAuthorizedError, UnauthorizedError } from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { startOpenIdProvider } from '../../../test/support/openid-provider.ts'
import {
  invited,
  invitedByMail,
  joined,
  newBrowser,
  password,
  signedInAs,
  tokenOf,
} from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { newSurfer, sessionIn } from '../../../test/support/surfer.ts'

/**
 * A customer's owner joins under someone else's address by a link that only the owner saw, and waits for that address to be
 * given rights. Over HTTP, with a real identity provider.
 */

const provider = await startOpenIdProvider()
after(() => provider.stop())
const server = await startTestServer({
  env: { ...provider.settings, DEMARC_OPERATOR_DOMAINS: 'operator.example, other.example' },
})
provider.allow(server.base_url)
const { id: account_id } = server.account
const owner = await signedInAs(server, [{ account_id, role: 'owner' }])
const operator = await signedInAs(server, [{ account_id: null, role: 'operator' }])

/** The owner's own browser, joined under someone else's address. */
async function impostor(email: string) {
  const { url } = (await owner.client.invitePerson({ body: { email, role: 'owner' } })).body.data
  const browser = newBrowser(server)
  const body = { token: tokenOf(url), name: 'An impostor', password }
  const { data } = (await browser.client.acceptInvitation({ body })).body
  assert.ok(data.status === 'signed_in')
  return Object.assign(browser, { session: data.session })
}

/** Signs in with the provider, which has verified the address. */
async function bySingleSignOn(email: string) {
  provider.who = { email, email_verified: true }
  const surfer = newSurfer(server)
  const arrived = await surfer.visit(`${server.base_url}/v2/sign_in/openid`)
  return { arrived, session: await sessionIn(server, surfer.cookies()) }
}

test('an owner who joins under an operator’s address never becomes an operator', async () => {
  const email = 'boss@operator.example'
  const attacker = await impostor(email)
  await operator.client.invitePerson({ body: { email, role: 'operator' } })
  await assert.rejects(attacker.client.listAccounts(), NotAuthorizedError)
  const boss = (await bySingleSignOn(email)).session ?? assert.fail('the boss is signed in')
  assert.notEqual(boss.person.id, attacker.session.person.id)
  assert.ok(boss.memberships.some(({ account_id: on, role }) => on === null && role === 'operator'))
  // everything that was set up before the proof
  await assert.rejects(attacker.client.listAccounts(), UnauthorizedError)
  await assert.rejects(attacker.client.createOperatorKey({ body: { name: 'mine' } }), UnauthorizedError)
  await assert.rejects(newBrowser(server).client.signIn({ body: { email, password } }), UnauthorizedError)
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'person.superseded'), {
    subject_id: attacker.session.person.id,
    actor: `person:${boss.person.id}`,
  })
})

test('the order of the two invitations makes no difference', async () => {
  const email = 'chief@operator.example'
  await operator.client.invitePerson({ body: { email, role: 'operator' } })
  const attacker = await impostor(email)
  const chief = (await bySingleSignOn(email)).session ?? assert.fail()
  await assert.rejects(attacker.client.listAccounts(), UnauthorizedError)
  const again = await impostor(email.toUpperCase()).catch((error: unknown) => error)
  assert.ok(again instanceof Error, 'the chief is a member of the account now, and cannot be invited again')
  assert.equal((await bySingleSignOn(email)).session?.person.id, chief.person.id)
})

test('a proof ends second factors and passkeys too, and keeps the memberships', async () => {
  const email = 'mia@people.example'
  const before = await impostor(email)
  await before.client.beginTotp()
  const { session } = await bySingleSignOn(email)
  assert.deepEqual(session?.memberships, [{ account_id, account_name: 'Harbor Dental', role: 'owner' }])
  assert.partialDeepStrictEqual(session.person, { email, has_password: false, has_totp: false, passkey_count: 0 })
  const { password_hash, totp_pending } = await server.db
    .selectFrom('person')
    .selectAll()
    .where('id', '=', before.session.person.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([password_hash, totp_pending], [null, null])
})

test('each account’s own person under one address signs in with their own password', async () => {
  const email = 'shared@people.example'
  const other = await signedInAs(server, [{ account_id: server.other.id, role: 'owner' }])
  await impostor(email)
  const { url } = (await other.client.invitePerson({ body: { email, role: 'manager' } })).body.data
  const token = tokenOf(url)
  const look = (await server.anonymous.lookUpInvitation({ body: { token } })).body.data
  assert.deepEqual([look.has_password, look.proves_email], [false, false], 'whether the address is known stays unknown')
  const own = 'the password of the real person'
  await newBrowser(server).client.acceptInvitation({ body: { token, name: 'Real', password: own } })
  for (const [entered, expected] of [
    [own, server.other.id],
    [password, account_id],
  ] as const) {
    const { data } = (await newBrowser(server).client.signIn({ body: { email, password: entered } })).body
    assert.ok(data.status === 'signed_in')
    assert.deepEqual(
      data.session.memberships.map((each) => each.account_id),
      [expected],
    )
  }
})

test('a proven address is untouched by someone who joins under it later', async () => {
  const email = 'proven@people.example'
  const proven = await joined(server, email, { account_id: server.other.id, role: 'manager' }, invitedByMail)
  const attacker = await impostor(email)
  assert.notEqual(attacker.session.person.id, proven.session.person.id)
  assert.deepEqual((await proven.client.listCnams()).body.data, [])
  const { data } = (await owner.client.listPeople()).body
  const listed = data.filter((person) => person.email === email)
  assert.deepEqual(
    listed.map(({ email_proven_at }) => email_proven_at),
    [null],
  )
})

test('without mail, operator roles are only for the operator’s own domains', async () => {
  for (const email of ['boss@people.example', 'boss@sub.operator.example', 'boss@operator.example.people.example'])
    await assert.rejects(operator.client.invitePerson({ body: { email, role: 'operator_read_only' } }), (error) => {
      assert.ok(error instanceof InvalidInputError)
      return 'email' in error.fields
    })
  const body = { email: 'clerk@OTHER.example', role: 'operator_read_only' } as const
  assert.equal((await operator.client.invitePerson({ body })).status, 201)
})

test('outside those domains, an operator role needs the mailed link, and not just the identity provider', async () => {
  const email = 'consultant@people.example'
  const token = await invitedByMail(server, email, { account_id: null, role: 'operator' })
  const refused = await bySingleSignOn(email)
  assert.equal(refused.arrived.searchParams.get('openid_error'), 'mailed')
  assert.equal(refused.session, null)
  // with their own account, they sign in without the role
  await invited(server, email, { account_id, role: 'read_only' })
  const roles = async () => (await bySingleSignOn(email)).session?.memberships.map(({ role }) => role)
  assert.deepEqual(await roles(), ['read_only'])
  const body = { token, name: 'Consultant', password }
  await assert.rejects(newBrowser(server).client.acceptInvitation({ body }), /identity provider/)
  assert.deepEqual(await roles(), ['read_only', 'operator'])
})
