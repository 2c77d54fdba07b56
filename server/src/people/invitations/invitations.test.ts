import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ConflictError, InvalidInputError, NotFoundError, UnauthorizedError } from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
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

const server = await startTestServer()
const { account, other } = server
const owner = await signedInAs(server, [{ account_id: account.id, role: 'owner' }])
const { client: anonymous } = newBrowser(server)

const invite = async (email: string, role: 'owner' | 'manager' | 'read_only' = 'manager') =>
  (await owner.client.invitePerson({ body: { email, role } })).body.data
const accept = (token: string, fields: { name?: string; password?: string } = { name: 'New Person', password }) =>
  newBrowser(server).client.acceptInvitation({ body: { token, ...fields } })

test('a new person accepts an invitation, is signed in, and can sign in again with the password', async () => {
  const { url, id } = await invite('new@people.example', 'read_only')
  assert.match(url ?? '', /\/invitation#[A-Za-z0-9]{32}$/)
  assert.ok((await owner.client.listInvitations()).body.data.some((each) => each.id === id && !('url' in each)))
  const token = tokenOf(url)
  assert.partialDeepStrictEqual((await anonymous.lookUpInvitation({ body: { token } })).body.data, {
    email: 'new@people.example',
    account_name: 'Harbor Dental',
    role: 'read_only',
    invited_by: owner.session.person.name,
    has_password: false,
  })
  const browser = newBrowser(server)
  const { data } = (await browser.client.acceptInvitation({ body: { token, name: 'New Person', password } })).body
  assert.ok(data.status === 'signed_in')
  assert.deepEqual(data.session.memberships, [
    { account_id: account.id, account_name: 'Harbor Dental', role: 'read_only' },
  ])
  assert.equal((await browser.client.listNumbers()).status, 200)
  assert.equal(
    (await anonymous.signIn({ body: { email: 'new@people.example', password } })).body.data.status,
    'signed_in',
  )
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'membership.created'), {
    chain_id: account.id,
    actor: `person:${data.session.person.id}`,
    data: { role: 'read_only' },
  })
})

test('a link works once; used, withdrawn, replaced, expired and unknown ones look the same', async () => {
  const used = tokenOf((await invite('used@people.example')).url)
  await accept(used)
  const withdrawn = await invite('withdrawn@people.example')
  await owner.client.withdrawInvitation({ params: { invitation_id: withdrawn.id } })
  const replaced = tokenOf((await invite('replaced@people.example')).url)
  await invite('Replaced@People.example')
  const expired = await invite('expired@people.example')
  await server.clock.advanceTo(new Date(expired.expires_at))
  const words = new Set<string>()
  for (const token of [used, tokenOf(withdrawn.url), replaced, tokenOf(expired.url), 'x'.repeat(32)])
    for (const attempt of [() => accept(token), () => anonymous.lookUpInvitation({ body: { token } })])
      await assert.rejects(attempt(), (error) => {
        assert.ok(error instanceof NotFoundError)
        words.add(error.message.replace(/^.*?: /, ''))
        return true
      })
  assert.equal(words.size, 1, [...words].join('\n'))
})

test('when the same link is accepted twice concurrently, one succeeds', async () => {
  const token = tokenOf((await invite('twice@people.example')).url)
  const outcomes = await Promise.allSettled([accept(token), accept(token)])
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a person whose sign-in fails has not joined and can open the link again', async () => {
  const token = tokenOf((await invite('again@people.example')).url)
  await sql`alter table person_session add constraint full_disk check (false) not valid`.execute(server.db)
  try {
    await assert.rejects(accept(token), { status: 500 })
  } finally {
    await sql`alter table person_session drop constraint full_disk`.execute(server.db)
  }
  assert.equal((await accept(token)).body.data.status, 'signed_in')
})

test('a mailed link alone does not sign in a person who has a password', async () => {
  const email = 'both@people.example'
  const membership = { account_id: other.id, role: 'manager' } as const
  const { person } = (await joined(server, email, membership, invitedByMail)).session
  const token = await invitedByMail(server, email, { account_id: account.id, role: 'manager' })
  assert.equal((await anonymous.lookUpInvitation({ body: { token } })).body.data.has_password, true)
  await assert.rejects(accept(token, { name: 'Someone else' }), InvalidInputError)
  await assert.rejects(accept(token, { password: 'another password altogether' }), UnauthorizedError)
  const { data } = (await accept(token, { password })).body
  assert.ok(data.status === 'signed_in')
  assert.equal(data.session.person.id, person.id)
  assert.equal(data.session.memberships.length, 2)
})

test('a new password must be long, varied, and not the person’s name', async () => {
  const token = tokenOf((await invite('weak@people.example')).url)
  const refusals = [
    { name: 'New Person', password: 'short' },
    { name: 'New Person', password: 'aaaaaaaaaaaaaa' },
    { name: 'New Person', password: 'password1234' },
    { name: 'New\r\nBcc: Person', password },
    { name: 'New \u202ePerson', password },
    { name: 'New Person Here', password: 'new person here' },
    { name: 'New Person', password: 'weak@people.example' },
    { password },
  ]
  for (const fields of refusals) await assert.rejects(accept(token, fields), InvalidInputError, JSON.stringify(fields))
  assert.equal((await accept(token)).status, 200, 'and the link still works')
})

test('a current member cannot be invited again, and only account roles are accepted', async () => {
  await accept(tokenOf((await invite('there@people.example')).url))
  await assert.rejects(invite('There@people.example'), ConflictError)
  const body = { email: 'clerk@people.example', role: 'operator' as const }
  await assert.rejects(owner.client.invitePerson({ body }), InvalidInputError)
})

test('an invitation of another account looks like a missing one', async () => {
  const stranger = await signedInAs(server, [{ account_id: other.id, role: 'owner' }])
  const { id } = await invite('theirs@people.example')
  for (const invitation_id of [id, '999999999'])
    await assert.rejects(stranger.client.withdrawInvitation({ params: { invitation_id } }), NotFoundError)
  assert.deepEqual((await stranger.client.listInvitations()).body.data, [])
})

test('the operator invites an account’s first owner and its own staff', async () => {
  const clerk = await signedInAs(server, [{ account_id: null, role: 'operator' }])
  clerk.account_id = (await server.newAccount('A new account')).id
  const first = (await clerk.client.invitePerson({ body: { email: 'first@people.example', role: 'owner' } })).body.data
  const { data } = (await accept(tokenOf(first.url))).body
  assert.ok(data.status === 'signed_in')
  assert.equal(data.session.memberships[0]?.account_name, 'A new account')
  const token = await invited(server, 'second-clerk@people.example', { account_id: null, role: 'operator_read_only' })
  const look = (await anonymous.lookUpInvitation({ body: { token } })).body.data
  assert.equal(look.account_name, 'Demarc Telephone')
})

test('of invitations of one address at the same time, the last one is open', async () => {
  const email = 'often@people.example'
  const made = await Promise.all(Array.from({ length: 6 }, () => invite(email)))
  const open = (await owner.client.listInvitations({ query: { limit: 200 } })).body.data.filter(
    (each) => each.email === email,
  )
  assert.equal(open.length, 1)
  assert.ok(made.some(({ id }) => id === open[0]?.id))
})
