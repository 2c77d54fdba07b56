import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinks } from './links.ts'
import type { LinkTarget, LinkGrant } from './links.ts'

const now = new Date('2030-03-01T12:00:00.000Z')
const expires_at = new Date('2030-03-04T12:00:00.500Z')
const digest = 'ab'.repeat(32)
const grant: LinkGrant = { account_id: '42', subject: 'cdrexport', id: '7', expires_at, digest }
const target: LinkTarget = { subject: 'cdrexport', id: '7' }
const key = 'link key material that is long enough'
const { signLink, checkLink } = createLinks({ keys: [key] })

test('a link grants exactly what was signed, and identifies the account', () => {
  const expected = { outcome: 'ok', account_id: '42', digest, expires_at }
  assert.deepEqual(checkLink({ ...signLink(grant) }, target, now), expected)
  assert.deepEqual(checkLink({ ...signLink(grant) }, { ...target, account_id: '42', digest }, now), expected)
})

test('a link survives URL encoding and parsing', () => {
  const query = new URLSearchParams({ ...signLink(grant) }).toString()
  assert.equal(checkLink(Object.fromEntries(new URLSearchParams(query)), target, now).outcome, 'ok')
})

test('a link without a digest returns none', () => {
  const { digest: _, ...without } = grant
  assert.deepEqual(checkLink({ ...signLink(without) }, target, now), {
    outcome: 'ok',
    account_id: '42',
    digest: null,
    expires_at,
  })
})

test('a link expires exactly at its time', () => {
  const params = { ...signLink(grant) }
  assert.equal(checkLink(params, target, new Date(expires_at.getTime() - 1)).outcome, 'ok')
  assert.deepEqual(checkLink(params, target, expires_at), { outcome: 'expired' })
})

test('a link with anything changed is invalid, before and after its expiry', () => {
  const params = signLink(grant)
  const { digest: _, ...without_digest } = params
  const { signature: __, ...unsigned } = params
  const later = String(expires_at.getTime() + 1)
  const changed: Record<string, unknown>[] = [
    { ...params, account: '43' },
    { ...params, account: '042' },
    { ...params, account: ['42', '42'] },
    { ...params, expires: later },
    { ...params, expires: `0${params.expires}` },
    { ...params, expires: `${params.expires} ` },
    { ...params, digest: 'cd'.repeat(32) },
    { ...params, digest: digest.toUpperCase() },
    without_digest,
    unsigned,
    { ...params, signature: '' },
    { ...params, signature: `${params.signature}=` },
    { ...params, signature: params.signature.slice(1) },
    { ...params, signature: 'A'.repeat(43) },
    {},
  ]
  for (const at of [now, new Date('2031-01-01')]) {
    for (const query of changed)
      assert.deepEqual(checkLink(query, target, at), { outcome: 'invalid' }, JSON.stringify(query))
  }
})

test('a link grants no other file, resource type or account', () => {
  const params = { ...signLink(grant) }
  const wrong: LinkTarget[] = [
    { ...target, id: '8' },
    { ...target, subject: 'document' },
    { ...target, account_id: '43' },
    { ...target, digest: 'cd'.repeat(32) },
    { subject: 'cdrexport7', id: '' },
  ]
  for (const other of wrong)
    assert.deepEqual(checkLink(params, other, now), { outcome: 'invalid' }, JSON.stringify(other))
})

test('a link without a signed digest is invalid where a digest is required', () => {
  const { digest: _, ...without } = grant
  assert.deepEqual(checkLink({ ...signLink(without) }, { ...target, digest }, now), { outcome: 'invalid' })
})

test('links stay valid after a rotation while the old key is kept', () => {
  const params = { ...signLink(grant) }
  const next_key = 'the next link key material, long too'
  assert.equal(createLinks({ keys: [next_key, key] }).checkLink(params, target, now).outcome, 'ok')
  assert.equal(createLinks({ keys: [next_key] }).checkLink(params, target, now).outcome, 'invalid')
  const { checkLink: rotatedCheck, signLink: rotatedSign } = createLinks({ keys: [next_key, key] })
  assert.equal(rotatedCheck({ ...rotatedSign(grant) }, target, now).outcome, 'ok')
  assert.equal(checkLink({ ...rotatedSign(grant) }, target, now).outcome, 'invalid')
})

test('a link that could never be valid is not signed', () => {
  assert.throws(() => signLink({ ...grant, account_id: 'me' }))
  assert.throws(() => signLink({ ...grant, digest: 'abc' }))
  assert.throws(() => signLink({ ...grant, expires_at: new Date(Number.NaN) }))
  assert.throws(() => createLinks({ keys: [] }))
  assert.throws(() => createLinks({ keys: ['short'] }))
})
