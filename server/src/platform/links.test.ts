import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinks } from './links.ts'
import type { LinkFacts, LinkGrant } from './links.ts'

const now = new Date('2030-03-01T12:00:00.000Z')
const expires_at = new Date('2030-03-04T12:00:00.500Z')
const digest = 'ab'.repeat(32)
const grant: LinkGrant = { account_id: '42', subject: 'cdrexport', id: '7', expires_at, digest }
const facts: LinkFacts = { subject: 'cdrexport', id: '7' }
const key = 'link key material that is long enough'
const { signLink, checkLink } = createLinks({ keys: [key] })

test('a link opens what it was signed for, and says for whom', () => {
  const expected = { verdict: 'ok', account_id: '42', digest, expires_at }
  assert.deepEqual(checkLink({ ...signLink(grant) }, facts, now), expected)
  assert.deepEqual(checkLink({ ...signLink(grant) }, { ...facts, account_id: '42', digest }, now), expected)
})

test('a link survives the way through a URL', () => {
  const query = new URLSearchParams({ ...signLink(grant) }).toString()
  assert.equal(checkLink(Object.fromEntries(new URLSearchParams(query)), facts, now).verdict, 'ok')
})

test('a link without a digest answers none', () => {
  const { digest: _, ...without } = grant
  assert.deepEqual(checkLink({ ...signLink(without) }, facts, now), {
    verdict: 'ok',
    account_id: '42',
    digest: null,
    expires_at,
  })
})

test('a link is over at the very moment it names', () => {
  const params = { ...signLink(grant) }
  assert.equal(checkLink(params, facts, new Date(expires_at.getTime() - 1)).verdict, 'ok')
  assert.deepEqual(checkLink(params, facts, expires_at), { verdict: 'expired' })
})

test('a link with anything changed is bad, before and after its end', () => {
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
      assert.deepEqual(checkLink(query, facts, at), { verdict: 'bad' }, JSON.stringify(query))
  }
})

test('a link does not open another file, another kind of thing or another account', () => {
  const params = { ...signLink(grant) }
  const wrong: LinkFacts[] = [
    { ...facts, id: '8' },
    { ...facts, subject: 'document' },
    { ...facts, account_id: '43' },
    { ...facts, digest: 'cd'.repeat(32) },
    { subject: 'cdrexport7', id: '' },
  ]
  for (const other of wrong) assert.deepEqual(checkLink(params, other, now), { verdict: 'bad' }, JSON.stringify(other))
})

test('a link whose digest was not signed does not stand in for one that needs it', () => {
  const { digest: _, ...without } = grant
  assert.deepEqual(checkLink({ ...signLink(without) }, { ...facts, digest }, now), { verdict: 'bad' })
})

test('links outlive a rotation while the old key is kept', () => {
  const params = { ...signLink(grant) }
  const next_key = 'the next link key material, long too'
  assert.equal(createLinks({ keys: [next_key, key] }).checkLink(params, facts, now).verdict, 'ok')
  assert.equal(createLinks({ keys: [next_key] }).checkLink(params, facts, now).verdict, 'bad')
  const { checkLink: rotatedCheck, signLink: rotatedSign } = createLinks({ keys: [next_key, key] })
  assert.equal(rotatedCheck({ ...rotatedSign(grant) }, facts, now).verdict, 'ok')
  assert.equal(checkLink({ ...rotatedSign(grant) }, facts, now).verdict, 'bad')
})

test('a link that could never be checked is not signed', () => {
  assert.throws(() => signLink({ ...grant, account_id: 'me' }))
  assert.throws(() => signLink({ ...grant, digest: 'abc' }))
  assert.throws(() => signLink({ ...grant, expires_at: new Date(Number.NaN) }))
  assert.throws(() => createLinks({ keys: [] }))
  assert.throws(() => createLinks({ keys: ['short'] }))
})
