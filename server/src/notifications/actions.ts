import { Webhook } from 'standardwebhooks'
import { signingSecrets } from '../accounts/index.ts'
import { accountOf, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { enqueue, schedule } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { invalid, notFound } from '../platform/problem.ts'
import { inSpan } from '../platform/traces/index.ts'
import { afterAttempt, failing_attempt, limits, type Outcome } from './rules.ts'
import * as store from './store.ts'
import type { DeliverySlots } from './delivery-slots.ts'

/** Kind of the job that makes delivery attempts. The key is the notification's id. */
export const deliverJob = 'deliver'

/** Creates an event's notification and enqueues its delivery. Idempotent. */
export async function prepareNotification(deps: Deps, event_id: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const row = await createNotification(tx, event_id, now)
    if (row?.status !== 'pending') return
    if (row.attempts === 0) await enqueue(tx, deliverJob, row.id, now)
    else if (row.next_attempt_at) await schedule(tx, deliverJob, row.id, row.next_attempt_at)
  })
}

/** An event's notification; undefined if it has none. Idempotent. */
export async function createNotification(
  tx: Tx,
  event_id: string,
  created_at: Date,
): Promise<store.NotificationRow | undefined> {
  const event = await store.findEvent(tx, event_id)
  if (!event?.notification) return undefined
  const { url, document } = event.notification
  const meta = {
    event_id: event.id,
    type: event.type,
    occurred_at: event.occurred_at.toISOString(),
    sequence: Number(event.sequence),
  }
  const body = JSON.stringify({ ...document, meta })
  const facts = { account_id: event.chain_id, event_id, event_type: event.type, url, body, created_at }
  return await store.insertNotification(tx, facts)
}

/** How deliveries are sent. */
export interface Egress {
  outbound: Outbound
  slots: DeliverySlots
  timeout_ms: number
}

/**
 * Makes one attempt at a due notification and records its outcome. Returns when to run again: at the next attempt, or after a
 * short wait if the account or host has no free slot.
 */
export async function deliver(deps: Deps, egress: Egress, id: string, signal: AbortSignal): Promise<Date | null> {
  const actor = systemActor(deliverJob, null)
  const row = await store.findNotification(deps.db, actor, id)
  if (row?.status !== 'pending') return null
  const now = deps.clock.now()
  // the first attempt is immediate, even if the clock was set back
  if (row.attempts > 0 && row.next_attempt_at && row.next_attempt_at > now) return row.next_attempt_at
  const slot = await egress.slots.acquire(row.account_id, row.url, now.getTime())
  if ('wait_ms' in slot) return new Date(now.getTime() + slot.wait_ms)
  try {
    await attemptOnce({ ...deps, tx: deps.db, actor }, egress, row, signal)
  } finally {
    await slot.release()
  }
  // read again, because a replay may have started a new round
  return (await store.findNotification(deps.db, actor, id))?.next_attempt_at ?? null
}

async function attemptOnce(c: Context, egress: Egress, row: store.NotificationRow, signal: AbortSignal): Promise<void> {
  const headers = await signedHeaders(c, row)
  const started = performance.now()
  const named = { 'demarc.account_id': row.account_id, 'demarc.notification_id': row.id }
  const attributes = { ...named, 'demarc.event_type': row.event_type, 'demarc.attempt': row.attempts + 1 }
  const outcome = await inSpan('send notification', attributes, async (span) => {
    const sent = await send(egress, row, headers, signal)
    if ('failure' in sent) span.fail(sent.failure)
    return sent
  })
  const duration_ms = Math.round(performance.now() - started)
  const now = c.clock.now()
  const next = afterAttempt(outcome, row.attempts + 1, now, Math.random())
  const next_attempt_at = next.status === 'pending' ? next.next_attempt_at : null
  const response_status = 'response_status' in outcome ? outcome.response_status : null
  await inTransaction(c.db, async (tx) => {
    const attempt = { attempted_at: now, response_status, failure: next.failure, duration_ms }
    const counted = await store.recordAttempt(tx, row, attempt, { status: next.status, next_attempt_at })
    if (counted && next.failure !== null && row.attempts + 1 === failing_attempt)
      await recordFailing({ ...c, tx }, row, next.failure)
  })
}

/** Records that a URL keeps failing, once a day per origin. The rest of the URL may be secret. */
export async function recordFailing(c: WriteContext, row: store.NotificationRow, failure: string): Promise<void> {
  const { origin } = new URL(row.url)
  const since = new Date(c.clock.now().getTime() - limits.failing_again_ms)
  const subject = { subject_type: store.failingSubject, subject_id: origin }
  const latest = await store.lastFailingAt(c.tx, row.account_id, origin)
  if (latest && latest > since) return
  const data = { origin, attempts: failing_attempt, failure, notification_id: row.id }
  await recordEvent(c, row.account_id, { type: 'notification.failing', ...subject, data })
}

/**
 * Standard Webhooks headers. The id is the event's and the same on every attempt; during a secret rotation there are two
 * signatures.
 */
async function signedHeaders(c: Context, row: store.NotificationRow): Promise<Record<string, string>> {
  const { secrets } = await signingSecrets(c, row.account_id)
  const id = `evt_${row.event_id}`
  const now = new Date()
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    // real time, not the demo clock, because receivers compare it with their own
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, row.body)).join(' '),
  }
}

async function send(
  { outbound, timeout_ms }: Egress,
  row: store.NotificationRow,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Outcome> {
  const result = await outbound.post(row.url, {
    body: row.body,
    headers,
    timeout_ms,
    max_response_bytes: limits.response_bytes,
    signal,
  })
  signal.throwIfAborted()
  if (!result.ok) return { failure: result.failure.code }
  return { response_status: result.status, retry_after: result.headers['retry-after'] ?? null }
}

/** Replays a notification: the same event and id, with a new round of attempts. Throws 404 for one the actor cannot see. */
export async function replay(c: WriteContext, id: string): Promise<store.NotificationRow> {
  const row = await store.lockNotificationForUpdate(c.tx, c.actor, id)
  if (!row) throw notFound(c.actor, `No notification ${id}`)
  const now = c.clock.now()
  await store.restartAttempts(c.tx, row, now)
  await enqueue(c.tx, deliverJob, id, now)
  await recordEvent(c, row.account_id, {
    type: 'notification.replayed',
    subject_type: 'notification',
    subject_id: id,
  })
  return { ...row, status: 'pending', attempts: 0, next_attempt_at: now }
}

/** Throws 422 for a URL that is refused without resolving it. */
export function checkTestUrl(outbound: Outbound, url: string | undefined): void {
  const refusal = url === undefined ? null : outbound.checkUrl(url)
  if (refusal) throw invalid({ url: [refusal.detail] })
}

/** Sends a test event to a URL in the same way as every other event. Throws 422 for a URL that is not allowed. */
export async function sendTest(c: WriteContext, outbound: Outbound, url: string): Promise<store.NotificationRow> {
  checkTestUrl(outbound, url)
  const account_id = accountOf(c.actor)
  const { id } = await recordEvent(c, account_id, {
    type: 'notification.tested',
    subject_type: 'account',
    subject_id: account_id,
    notification: { url, document: testDocument(c, account_id) },
  })
  // the job that the event enqueued finds this notification and continues from here
  const row = await createNotification(c.tx, id, c.clock.now())
  if (!row) throw new Error('an event with a notification has none')
  return row
}

const testDocument = ({ public_url }: Pick<Deps, 'public_url'>, account_id: string) => ({
  data: {
    type: 'notification_test',
    id: account_id,
    attributes: { message: 'A test of this URL. Nothing changed on the account.' },
  },
  links: { self: `${public_url}/v2/notifications` },
})
