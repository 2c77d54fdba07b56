import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConflictError, InvalidInputError, NotAuthorizedError, NotFoundError } from '@demarc/client'
import { lastEvent } from '../../../test/support/events.ts'
import { sessionOf, signedInAs } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { listMembers } from '../index.ts'

const server = await startTestServer()
const { other } = server
const newAccount = async () => (await server.newAccount('An account of its own')).id
const ofRole = (
  account_id: string | null,
  role: 'owner' | 'manager' | 'read_only' | 'operator' | 'operator_read_only',
) => signedInAs(server, [{ account_id, role }])

test('members see the people of their account and no one else', async () => {
  const account_id = await newAccount()
  const owner = await ofRole(account_id, 'owner')
  const reader = await ofRole(account_id, 'read_only')
  await ofRole(other.id, 'owner')
  const { data } = (await reader.client.listPeople()).body
  assert.deepEqual(
    data.map(({ id, role }) => [id, role]),
    [
      [owner.session.person.id, 'owner'],
      [reader.session.person.id, 'read_only'],
    ],
  )
  assert.partialDeepStrictEqual(data[0], { has_second_factor: false, time_zone: 'America/New_York' })
  assert.ok(data[0]?.last_signed_in_at)
  const listed = await listMembers(server.db, account_id, { limit: 10, offset: 0 })
  assert.deepEqual(
    listed.map(({ email }) => email),
    data.map(({ email }) => email),
  )
})

test('an owner changes a role, effective with the next request and recorded on the account', async () => {
  const account_id = await newAccount()
  const [owner, manager] = [await ofRole(account_id, 'owner'), await ofRole(account_id, 'manager')]
  const { id: person_id } = manager.session.person
  await manager.client.createCnam({ body: { value: 'BEFORE' } })
  const changed = await owner.client.changeRole({ params: { person_id }, body: { role: 'read_only' } })
  assert.equal(changed.body.data.role, 'read_only')
  await assert.rejects(manager.client.createCnam({ body: { value: 'AFTER' } }), NotAuthorizedError)
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'membership.changed'), {
    chain_id: account_id,
    actor: `person:${owner.session.person.id}`,
    subject_id: person_id,
    data: { from: 'manager', to: 'read_only' },
  })
})

test('an operator role is refused on an account, and an account role for the operator', async () => {
  const account_id = await newAccount()
  const owner = await ofRole(account_id, 'owner')
  const params = { person_id: owner.session.person.id }
  await assert.rejects(owner.client.changeRole({ params, body: { role: 'operator' } }), InvalidInputError)
})

test('a removed person loses access immediately, and all sessions with their last account', async () => {
  const account_id = await newAccount()
  const owner = await ofRole(account_id, 'owner')
  const [only, two] = [
    await ofRole(account_id, 'manager'),
    await signedInAs(server, [
      { account_id, role: 'manager' },
      { account_id: other.id, role: 'manager' },
    ]),
  ]
  for (const { session } of [only, two]) await owner.client.removePerson({ params: { person_id: session.person.id } })
  assert.equal((await only.client.getSession()).body.data, null)
  assert.equal(
    (
      await server.db
        .selectFrom('person_session')
        .select('id')
        .where('person_id', '=', only.session.person.id)
        .execute()
    ).length,
    0,
  )
  assert.deepEqual(
    (await sessionOf(two.client)).memberships.map((m) => m.account_id),
    [other.id],
  )
  assert.equal((await lastEvent(server.db, 'membership.removed'))?.subject_id, two.session.person.id)
})

test('the last owner cannot be removed by anyone; with a second one, either can', async () => {
  const account_id = await newAccount()
  const first = await ofRole(account_id, 'owner')
  const params = { person_id: first.session.person.id }
  const clerk = await ofRole(null, 'operator')
  clerk.account_id = account_id
  for (const { client } of [first, clerk]) {
    await assert.rejects(client.changeRole({ params, body: { role: 'manager' } }), ConflictError)
    await assert.rejects(client.removePerson({ params }), (error) => {
      assert.ok(error instanceof ConflictError)
      return error.message.includes('Make someone else owner first')
    })
  }
  const second = await ofRole(account_id, 'owner')
  const removals = await Promise.allSettled([
    first.client.removePerson({ params: { person_id: second.session.person.id } }),
    second.client.removePerson({ params }),
  ])
  assert.equal(removals.filter(({ status }) => status === 'fulfilled').length, 1, 'not both, also at the same moment')
})

test('a person of another account is refused exactly as one that does not exist', async () => {
  const account_id = await newAccount()
  const owner = await ofRole(account_id, 'owner')
  const stranger = await ofRole(other.id, 'manager')
  const refusalOf = async (person_id: string) => {
    const params = { person_id }
    const refusals = await Promise.allSettled([
      owner.client.removePerson({ params }),
      owner.client.changeRole({ params, body: { role: 'manager' } }),
    ])
    return refusals.map((each) => {
      assert.ok(each.status === 'rejected' && each.reason instanceof NotFoundError)
      return JSON.stringify(each.reason.errors.map(({ detail }) => detail)).replaceAll(person_id, 'ID')
    })
  }
  assert.deepEqual(await refusalOf(stranger.session.person.id), await refusalOf('999999999'))
})

test('the operator’s staff have their own list', async () => {
  const clerk = await ofRole(null, 'operator')
  const ids = (await clerk.client.listPeople()).body.data.map(({ role }) => role)
  assert.ok(ids.length > 0 && ids.every((role) => role.startsWith('operator')))
})
