import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemarcClient, InvalidInputError, NotFoundError, UnauthorizedError } from '@demarc/client'
import { lastEvent } from '../../test/support/events.ts'
import { signedInAs } from '../../test/support/people.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()
const { account, other, base_url } = server
const { client, session } = await signedInAs(server, [{ account_id: account.id, role: 'manager' }])

const clientOf = ({ access_key, secret_key }: { access_key: string; secret_key: string }) =>
  createDemarcClient({ base_url, retry: false, credentials: { access_key, secret_key } })
const create = async (name: string) =>
  (await client.createOwnKey({ body: { name, scopes: ['numbers:read'] } })).body.data

test('a key shows its secret once, works within its scopes, and is revoked immediately', async () => {
  const made = await create('nightly export')
  const key = clientOf(made.attributes)
  assert.equal((await key.listNumbers()).status, 200)
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'access_key.created'), {
    chain_id: account.id,
    actor: `person:${session.person.id}`,
    subject_id: made.id,
  })
  const listed = (await client.listOwnKeys()).body.data.find(({ id }) => id === made.id)
  assert.partialDeepStrictEqual(listed?.attributes, { name: 'nightly export', scopes: ['numbers:read'] })
  assert.equal('secret_key' in (listed?.attributes ?? {}), false)
  await client.revokeOwnKey({ params: { key_id: made.id } })
  await assert.rejects(key.listNumbers(), UnauthorizedError)
})

test('the name of a key is one line', async () => {
  for (const name of ['two\nlines', 'bell\u0007', 'turned \u202earound'])
    await assert.rejects(create(name), (error) => error instanceof InvalidInputError && 'name' in error.fields)
})

test('a replaced key works for another day next to its successor with the same scopes', async () => {
  const made = await create('switch')
  const { data } = (await client.rotateOwnKey({ params: { key_id: made.id } })).body
  assert.notEqual(data.attributes.access_key, made.attributes.access_key)
  assert.partialDeepStrictEqual(data.attributes, { name: 'switch', scopes: ['numbers:read'], expires_at: null })
  const [old, replacement] = [clientOf(made.attributes), clientOf(data.attributes)]
  for (const key of [old, replacement]) assert.equal((await key.listNumbers()).status, 200)
  assert.equal((await lastEvent(server.db, 'access_key.rotated'))?.subject_id, made.id)
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + 24 * 3_600_000))
  await assert.rejects(old.listNumbers(), UnauthorizedError)
  assert.equal((await replacement.listNumbers()).status, 200)
  await assert.rejects(client.rotateOwnKey({ params: { key_id: made.id } }), NotFoundError)
})

test('the operator can rotate an account’s key in the same way', async () => {
  const made = await create('by the operator')
  const params = { account_id: server.account.id, key_id: made.id }
  const { data } = (await server.operator.rotateKey({ params })).body
  assert.partialDeepStrictEqual(data.attributes, { name: 'by the operator', scopes: ['numbers:read'] })
  for (const key of [made, data]) assert.equal((await clientOf(key.attributes).listNumbers()).status, 200)
  assert.ok((await server.operator.getKey({ params })).body.data.attributes.expires_at)
  await assert.rejects(server.operator.rotateKey({ params: { ...params, account_id: other.id } }), NotFoundError)
})

test('a key of another account is refused exactly as one that does not exist', async () => {
  const [theirs] = (await server.operator.listKeys({ params: { account_id: other.id } })).body.data
  const refusals: unknown[] = []
  for (const key_id of [theirs?.id ?? '', '999999999'])
    for (const refuse of [client.revokeOwnKey, client.rotateOwnKey])
      await assert.rejects(refuse({ params: { key_id } }), (error) => {
        assert.ok(error instanceof NotFoundError)
        refusals.push(error.errors[0]?.detail?.toString().replace(key_id, 'ID'))
        return true
      })
  assert.equal(new Set(refusals).size, 1)
  assert.equal((await other.client.listNumbers()).status, 200)
})
