import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedStep, newTotpSecret, otpauthUrl, totpCode, totpStep } from './totp.ts'

/** The secret of RFC 6238, appendix B: the ASCII digits 1234567890 twice. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes match RFC 6238, truncated to six digits', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, eight] of vectors)
    assert.equal(totpCode(secret, totpStep(new Date(seconds * 1000))), eight.slice(2), String(seconds))
})

test('a code is accepted one step before and after its own, and once', () => {
  const now = new Date(1_234_567_890_000)
  const step = totpStep(now)
  const accepted = (offset: number, last = -1) => acceptedStep(secret, totpCode(secret, step + offset), now, last)
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map((offset) => accepted(offset)),
    [null, step - 1, step, step + 1, null],
  )
  assert.equal(accepted(0, step), null, 'it counted already')
  assert.equal(accepted(-1, step), null, 'so do all before it')
  assert.equal(accepted(1, step), step + 1)
  for (const code of ['', '12345', '1234567', 'abcdef']) assert.equal(acceptedStep(secret, code, now, -1), null)
})

test('a new secret has 160 bits, and its URL has what an app needs', () => {
  const made = newTotpSecret()
  assert.match(made, /^[A-Z2-7]{32}$/)
  assert.notEqual(made, newTotpSecret())
  const url = new URL(otpauthUrl(made, { issuer: 'Harbor & Co', email: 'mia@people.example' }))
  assert.equal(decodeURIComponent(url.pathname), '/Harbor & Co:mia@people.example')
  assert.equal(url.searchParams.get('secret'), made)
  assert.equal(url.searchParams.get('issuer'), 'Harbor & Co')
})
