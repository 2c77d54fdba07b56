import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterAttempt, type NextState } from '../src/notifications/rules.ts'
import { failing } from './deliveries.ts'

test('the demo’s failing notification is still retried after a weekend with a holiday', () => {
  const began = new Date('2026-05-22T16:00:00-07:00')
  let next: NextState = { status: 'pending', failure: '', next_attempt_at: began }
  let last = began
  for (let attempt = 1; next.status === 'pending'; attempt++) {
    last = next.next_attempt_at
    next = afterAttempt(failing[attempt - 1] ?? failing.at(-1) ?? failing[0], attempt, last, 0)
  }
  assert.equal(next.status, 'failed')
  assert.ok(last > new Date('2026-05-27T00:00:00-07:00'), last.toISOString())
})
