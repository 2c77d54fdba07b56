import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotFoundError, RateLimitedError, UnauthorizedError } from '@demarc/client'
import { invited, joined, newBrowser, password, signedInAs } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { startRelay } from '../../platform/mail/testing/relay.ts'
import { limits } from '../rules.ts'

/** Invitations and warnings as people get them, over a real SMTP connection. */

const relay = await startRelay()
const server = await startTestServer({
  worker: true,
  env: { SMTP_URL: relay.url, DEMARC_MAIL_FROM: 'people@demarc.example' },
})
server.runtime.deps.public_url = server.base_url
const { id: account_id } = server.account
const owner = await signedInAs(server, [{ account_id, role: 'owner' }])
const operator = await signedInAs(server, [{ account_id: null, role: 'operator' }])
const unproven = { ...server, runtime: { ...server.runtime, config: { ...server.runtime.config, mail: null } } }
/** Returns when every job that is due has run. */
const settle = () => server.operator.moveClock({ body: { advance: '0 seconds' } })
const invite = async (email: string) =>
  (await owner.client.invitePerson({ body: { email, role: 'manager' } })).body.data
const mailedToken = async (email: string) => {
  const { text } = await relay.arrived('the invitation', ({ to, text: body }) => to === email && body.includes('#'))
  return /\/invitation#(\w+)/.exec(text)?.[1] ?? assert.fail(text)
}

test('an invitation is mailed, its link goes to no one else, and accepting it proves the address', async () => {
  const email = 'new@people.example'
  const { url, mail_status, id } = await invite(email)
  assert.deepEqual([url, mail_status], [null, 'waiting'])
  await settle()
  const [mail] = relay.mailsTo(email)
  assert.equal(mail?.headers.get('subject'), 'Invitation to Harbor Dental')
  assert.match(mail?.text ?? '', new RegExp(`${owner.session.person.name} invites you to Harbor Dental`))
  assert.equal(mail?.headers.has('list-unsubscribe'), false)
  const listed = (await owner.client.listInvitations()).body.data.find((each) => each.id === id)
  assert.equal(listed?.mail_status, 'sent')
  const stored = await server.db.selectFrom('invitation').select('mail_token').where('id', '=', id).executeTakeFirst()
  assert.deepEqual(stored, { mail_token: null })
  const token = await mailedToken(email)
  const look = (await server.anonymous.lookUpInvitation({ body: { token } })).body.data
  assert.deepEqual([look.has_password, look.proves_email], [false, true])
  await newBrowser(server).client.acceptInvitation({ body: { token, name: 'New', password } })
  const people = (await owner.client.listPeople()).body.data
  assert.ok(people.find((person) => person.email === email)?.email_proven_at)
})

test('a second account’s invitation asks the proven person for their password', async () => {
  const email = 'two@people.example'
  await invite(email)
  await newBrowser(server).client.acceptInvitation({
    body: { token: await mailedToken(email), name: 'Two', password },
  })
  relay.mails.length = 0
  operator.account_id = server.other.id
  await operator.client.invitePerson({ body: { email, role: 'manager' } })
  const token = await mailedToken(email)
  assert.equal((await server.anonymous.lookUpInvitation({ body: { token } })).body.data.has_password, true)
  const { client } = newBrowser(server)
  await assert.rejects(client.acceptInvitation({ body: { token, password: 'not theirs' } }), UnauthorizedError)
  const { data } = (await client.acceptInvitation({ body: { token, password } })).body
  assert.ok(data.status === 'signed_in')
  assert.deepEqual(
    data.session.memberships.map((each) => each.account_id),
    [account_id, server.other.id],
  )
})

test('accepting by mail ends sign-ins that were set up without proof, keeps the role, and says so by mail', async () => {
  const email = 'claimed@people.example'
  const before = await joined(unproven, email, { account_id, role: 'owner' }, invited)
  await invite(email)
  const token = await mailedToken(email)
  const own = 'the words of the real person'
  const { data } = (await newBrowser(server).client.acceptInvitation({ body: { token, name: 'Real', password: own } }))
    .body
  assert.ok(data.status === 'signed_in')
  assert.deepEqual(data.session.memberships, [{ account_id, account_name: 'Harbor Dental', role: 'owner' }])
  await assert.rejects(before.client.listNumbers(), UnauthorizedError)
  await assert.rejects(newBrowser(server).client.signIn({ body: { email, password } }), UnauthorizedError)
  const { text } = await relay.arrived(
    'the warning',
    (mail) => mail.to === email && mail.text.includes('no longer work'),
  )
  assert.match(text, /You now belong to: Harbor Dental\./)
})

test('an operator’s invitation by mail needs no domain list', async () => {
  operator.account_id = null
  const email = 'clerk@people.example'
  await operator.client.invitePerson({ body: { email, role: 'operator' } })
  const body = { token: await mailedToken(email), name: 'Clerk', password }
  const { data } = (await newBrowser(server).client.acceptInvitation({ body })).body
  assert.ok(data.status === 'signed_in')
  assert.equal(data.session.memberships[0]?.role, 'operator')
})

test('a withdrawn invitation is not mailed, and one that the relay refuses is marked', async () => {
  relay.refuse = (address) =>
    address === 'later@people.example' ? { code: 451 } : address === 'never@people.example' ? { code: 550 } : null
  const later = await invite('later@people.example')
  const never = await invite('never@people.example')
  await settle()
  await owner.client.withdrawInvitation({ params: { invitation_id: later.id } })
  relay.refuse = () => null
  await server.operator.moveClock({ body: { advance: '10 minutes' } })
  assert.deepEqual(relay.mailsTo('later@people.example'), [])
  const listed = (await owner.client.listInvitations()).body.data
  assert.equal(listed.find(({ id }) => id === never.id)?.mail_status, 'failed')
  await assert.rejects(owner.client.withdrawInvitation({ params: { invitation_id: later.id } }), NotFoundError)
})

test('invitations to one address are limited in a day', async () => {
  const email = 'bombed@people.example'
  for (let i = 0; i < limits.mailed_per_day_to_address; i++) await invite(email)
  await assert.rejects(invite(email.toUpperCase()), (error) => error instanceof RateLimitedError)
  await invite('another@people.example')
  await server.operator.moveClock({ body: { advance: '1 day' } })
  await invite(email)
})

test('an address that its person has not proven gets no notices by mail', async () => {
  const email = 'unproven@people.example'
  const { client } = await joined(unproven, email, { account_id, role: 'manager' }, invited)
  await server.operator.createKey({ params: { account_id }, body: { name: 'For the books' } })
  await settle()
  assert.equal(relay.mailsTo(owner.session.person.email).length, 1)
  assert.deepEqual(relay.mailsTo(email), [])
  assert.equal((await client.listNotices()).body.data[0]?.mail.status, 'none')
})
