import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, documentClient, readOnly } from '../../test/support/documents.ts'
import { startTestServer } from '../../test/support/server.ts'
import { demoOperatorName } from './index.ts'

const server = await startTestServer()
const { read, written, fieldErrors } = documentClient(server.base_url, server.operator_credentials)
const { id: account_id } = server.account
const keys = `/operator/accounts/${account_id}/keys`
const notKnown = ['Is not a known field.']

test('an account is created from a flat body, with or without a type, and from another account’s document', async () => {
  const bare = { name: 'Plain' }
  for (const body of [bare, { type: 'account', ...bare }, { data: { type: 'account', attributes: bare } }])
    assert.equal((await written('POST /operator/accounts', body, 201)).data.attributes['name'], 'Plain')
  const original = await read(`/operator/accounts/${account_id}`)
  const copy = await written('POST /operator/accounts', changed(original, { name: 'A copy' }), 201)
  assert.notEqual(copy.data.id, account_id)
  assert.equal(copy.data.attributes['name'], 'A copy')
})

test('an invalid account is refused with every failing field, including changed read-only ones', async () => {
  const original = await read(`/operator/accounts/${account_id}`)
  const forged = { name: '', created_at: '2020-01-01T00:00:00.000Z', color: 'red' }
  assert.deepEqual(await fieldErrors('POST /operator/accounts', changed(original, forged)), {
    name: ['Must not be empty.'],
    created_at: [readOnly],
    color: notKnown,
  })
  assert.deepEqual(await fieldErrors('POST /operator/accounts', { type: 'key' }), {
    type: ['Must be "account".'],
    name: ['Is required.'],
  })
})

test('a key is issued from a flat body, and from the document of another', async () => {
  const expires_at = '2099-01-31T00:00:00.000Z'
  const body = { type: 'access_key', name: 'First', scopes: ['numbers:read'], expires_at }
  const first = await written(`POST ${keys}`, body, 201)
  const path = `${keys}/${first.data.id}`
  const copy = await written(`POST ${keys}`, changed(await read(path), { name: 'Second', expires_at: null }), 201)
  const { access_key, ...attributes } = copy.data.attributes
  assert.notEqual(access_key, first.data.attributes['access_key'])
  assert.partialDeepStrictEqual(attributes, { name: 'Second', scopes: ['numbers:read'], expires_at: null })
  assert.equal(typeof attributes['secret_key'], 'string')
})

test('an invalid key is refused with every failing field, including an expiry in the past', async () => {
  const { id } = (await written(`POST ${keys}`, { name: 'Copied' }, 201)).data
  const original = await read(`${keys}/${id}`)
  const past = '2020-01-31T00:00:00Z'
  // null isn't a set of scopes: a key gets full access only if scopes are absent
  const forged = { access_key: 'ak0000000000000000', secret_key: 'x', scopes: null, expires_at: past }
  assert.deepEqual(await fieldErrors(`POST ${keys}`, changed(original, forged)), {
    access_key: [readOnly],
    secret_key: notKnown,
    scopes: ['Must be a list.'],
    expires_at: ['Must be in the future.'],
  })
  const elsewhere = `/operator/accounts/${server.other.id}/keys`
  assert.ok('access_key' in ((await fieldErrors(`POST ${elsewhere}`, original)) as object), 'it is of another account')
})

test('an operator key is issued from another key’s document, and refused with every failing field', async () => {
  const first = await written('POST /operator/keys', { type: 'operator_key', name: 'First' }, 201)
  const original = await read(`/operator/keys/${first.data.id}`)
  const copy = await written('POST /operator/keys', changed(original, { name: 'Second' }), 201)
  assert.notEqual(copy.data.attributes['access_key'], original.data.attributes['access_key'])
  assert.equal(copy.data.attributes['name'], 'Second')
  const forged = { name: demoOperatorName, revoked_at: '2026-01-01T00:00:00.000Z', scopes: null }
  assert.deepEqual(await fieldErrors('POST /operator/keys', changed(original, forged)), {
    revoked_at: [readOnly],
    scopes: ['Must be a list.'],
    name: ['The demo’s own key has this name. Choose another name.'],
  })
})
