import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterAttempt, retryAfter, schedule_ms } from './rules.ts'

const now = new Date('2026-03-01T12:00:00Z')
const responded = (response_status: number, retry_after: string | null = null) => ({ response_status, retry_after })

test('any 2xx is a delivery, on any attempt', () => {
  for (const status of [200, 201, 202, 204, 299])
    for (const attempt of [1, 5, 10]) assert.equal(afterAttempt(responded(status), attempt, now, 0).status, 'delivered')
})

test('410 stops immediately', () => {
  assert.deepEqual(afterAttempt(responded(410), 1, now, 0), { status: 'stopped', failure: 'gone' })
})

test('each failure waits as scheduled, and the tenth is the last', () => {
  for (const outcome of [responded(500), responded(404), responded(302), { failure: 'timeout' }]) {
    for (let attempt = 1; attempt < schedule_ms.length; attempt++) {
      const next = afterAttempt(outcome, attempt, now, 0)
      assert.equal(next.status, 'pending')
      assert.equal(next.status === 'pending' && next.next_attempt_at.getTime() - now.getTime(), schedule_ms[attempt])
    }
    assert.equal(afterAttempt(outcome, schedule_ms.length, now, 0).status, 'failed')
  }
})

test('jitter makes a wait at most 10 % longer', () => {
  const next = afterAttempt({ failure: 'timeout' }, 3, now, 1)
  assert.equal(next.status === 'pending' && next.next_attempt_at.getTime() - now.getTime(), 1_980_000)
})

test('Retry-After is honored in seconds and as a date, up to a day', () => {
  assert.equal(retryAfter('120', now), 120_000)
  assert.equal(retryAfter('Sun, 01 Mar 2026 12:10:00 GMT', now), 600_000)
  assert.equal(retryAfter('Sun, 01 Mar 2026 11:00:00 GMT', now), 0)
  assert.equal(retryAfter('999999999', now), 86_400_000)
  assert.equal(retryAfter('soon', now), 0)
  const next = afterAttempt(responded(429, '3600'), 1, now, 0)
  assert.equal(next.status === 'pending' && next.next_attempt_at.getTime() - now.getTime(), 3_600_000)
})
