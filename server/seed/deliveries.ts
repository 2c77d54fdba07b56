import { createNotification, deliverJob, recordFailing } from '../src/notifications/actions.ts'
import { afterAttempt, failing_attempt, type Outcome } from '../src/notifications/rules.ts'
import { recordAttempt } from '../src/notifications/store.ts'
import { systemActor, type Actor } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { listEvents } from '../src/platform/events.ts'
import { schedule } from '../src/platform/jobs.ts'
import { atTime } from './at-time.ts'

/** The responses of the receiver of the cast's notifications. No host of that name exists, so nothing is sent. */

/** The outcomes of each notification's attempts, oldest notification first; the last entry covers all further ones. */
const outcomes: readonly (readonly [Outcome, ...Outcome[]])[] = [
  [{ response_status: 200, retry_after: null }],
  [{ response_status: 503, retry_after: null }, { failure: 'timeout' }, { response_status: 204, retry_after: null }],
  [{ response_status: 200, retry_after: null }],
]
/**
 * The newest notification: its receiver always fails. Its last responses ask for a pause of a day each, so that retries are left
 * even if a weekend with a holiday has passed since the newest event.
 */
export const failing: readonly [Outcome, ...Outcome[]] = [
  { response_status: 503, retry_after: null },
  { failure: 'timeout' },
  { failure: 'timeout' },
  { failure: 'timeout' },
  { response_status: 503, retry_after: '86400' },
]

/** Records the attempts at every notification of an account, each at its due time, up to the present. */
export async function seedDeliveries(c: WriteContext, { account_id }: Actor): Promise<void> {
  const events = await listEvents(c.tx, { chain_id: account_id ?? '', limit: 500, offset: 0 })
  const notified: { id: string; at: Date }[] = []
  for (const { id, occurred_at } of events.toReversed())
    if (await createNotification(c.tx, id, occurred_at)) notified.push({ id, at: occurred_at })
  for (const [i, { id, at }] of notified.entries())
    await attempt(c, id, at, i === notified.length - 1 ? failing : (outcomes[i % outcomes.length] ?? failing))
}

async function attempt(c: WriteContext, event_id: string, first: Date, list: readonly [Outcome, ...Outcome[]]) {
  const row = await createNotification(c.tx, event_id, first)
  if (!row) throw new Error('the event has a notification')
  let due: Date | null = first
  for (let attempts = 0; due !== null; attempts++) {
    if (due > c.clock.now()) return await schedule(c.tx, deliverJob, row.id, due)
    const outcome = list[attempts] ?? list.at(-1) ?? list[0]
    const next = afterAttempt(outcome, attempts + 1, due, 0)
    const response_status = 'response_status' in outcome ? outcome.response_status : null
    // how long a receiver takes, and how long a timeout is
    const duration_ms = response_status === null ? 10_000 : 60 + ((attempts * 37 + Number(row.id) * 53) % 200)
    const next_attempt_at: Date | null = next.status === 'pending' ? next.next_attempt_at : null
    const made = { attempted_at: due, response_status, failure: next.failure, duration_ms }
    await recordAttempt(c.tx, { ...row, attempts, next_attempt_at: due }, made, {
      status: next.status,
      next_attempt_at,
    })
    if (next.failure !== null && attempts + 1 === failing_attempt)
      await recordFailing({ ...atTime(c, due), actor: systemActor(deliverJob, row.account_id) }, row, next.failure)
    due = next_attempt_at
  }
}
