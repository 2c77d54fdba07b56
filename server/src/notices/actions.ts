import { notices, roleAllows } from '@demarc/client'
import { findAddress } from '../e911/index.ts'
import { findPerson, listMembers } from '../people/index.ts'
import { systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { noticeJob, operatorChain } from '../platform/events.ts'
import { enqueue, schedule } from '../platform/jobs.ts'
import { problem } from '../platform/problem.ts'
import { findOrder } from '../port-orders/index.ts'
import { limits, mailStateOf, nextSummaryAt, noticeContent, type NoticeFacts } from './rules.ts'
import * as store from './store.ts'
import { readUnsubscribeToken } from './tokens.ts'

/** Kind of the job that creates notices of an event for the people of its account and enqueues their email. */

/** Sends one notice by email. The key is the person's id and the notice's id, joined by a colon. */
export const mailJob = 'mail-notice'
/** Sends a person's daily notices in one email. The key is the person's id. */
export const summaryJob = 'mail-notice-summary'

/** Creates the notice of an event for each person of its account, or for the operator's staff. Idempotent. */
export async function createNotices(deps: Deps, event_id: string, mail_enabled: boolean): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const event = await store.findEvent(tx, event_id)
    const kind = event === undefined ? null : notices.noticeKindOf(event.type)
    if (!event || kind === null) return
    const account_id = event.chain_id === operatorChain ? null : event.chain_id
    const c = { ...deps, tx, actor: systemActor(noticeJob, account_id) }
    const now = c.clock.now()
    const content = noticeContent(kind, event, await factsOf(c, kind, event.subject_id))
    const { occurred_at } = event
    const notice_id = await store.insertNotice(tx, {
      ...content,
      account_id,
      event_id,
      kind,
      occurred_at,
      created_at: now,
    })
    const { rows, zones } = await recipientsOf(c, { kind, notice_id, occurred_at, mail_enabled })
    for (const { person_id, mail } of await store.insertRecipients(tx, rows)) {
      if (mail === 'due') await enqueue(tx, mailJob, `${person_id}:${notice_id}`, now)
      if (mail === 'daily') {
        const due_at = nextSummaryAt(now, zones.get(person_id) ?? deps.time_zone)
        await schedule(tx, summaryJob, person_id, due_at)
      }
    }
  })
}

/** The recipients with their preferences and time zones. */
async function recipientsOf(
  c: WriteContext,
  notice: { kind: notices.NoticeKind; notice_id: string; occurred_at: Date; mail_enabled: boolean },
) {
  const { kind, notice_id, occurred_at, mail_enabled } = notice
  const { account_id } = c.actor
  const now = c.clock.now()
  const members = await listMembers(c.tx, account_id, { limit: limits.members, offset: 0 })
  // people who joined later are not notified of earlier events, nor staff who cannot act on them
  const people = members.filter(
    ({ member_since, role }) =>
      member_since <= occurred_at &&
      (account_id !== null || roleAllows(role, { principals: ['operator'], access: 'write' })),
  )
  const ids = people.map(({ id }) => id)
  const chosen = await store.preferencesOf(c.tx, ids)
  const hour_ago = new Date(now.getTime() - 3_600_000)
  const recent = await store.countRecent(c.tx, ids, hour_ago, limits.at_once_per_hour)
  const rows = people.map(({ id: person_id, email_proven_at }) => {
    const delivery = chosen.find((each) => each.person_id === person_id && each.kind === kind)?.delivery
    // an address that no one has proven may be a stranger's
    const enabled = mail_enabled && email_proven_at !== null
    const when = { enabled, occurred_at, now, recent: recent.get(person_id) ?? 0 }
    return {
      person_id,
      notice_id,
      account_id,
      mail: mailStateOf(delivery ?? notices.noticeKinds[kind].delivery, when),
    }
  })
  return { rows, zones: new Map(people.map(({ id, time_zone }) => [id, time_zone ?? c.time_zone])) }
}

/** The facts that the notice's text needs from the record that the event names. */
async function factsOf(c: Context, kind: notices.NoticeKind, subject_id: string): Promise<NoticeFacts> {
  const isOrder = kind.startsWith('port_')
  return {
    order: (isOrder ? await findOrder(c.tx, c.actor, subject_id) : undefined) ?? null,
    address: (kind === 'e911_worsened' ? await findAddress(c.tx, c.actor, subject_id) : undefined) ?? null,
    time_zone: c.time_zone,
  }
}

/** A person's preferences for the kinds of notices that are for them. */
export async function preferencesOf(c: Context, person_id: string): Promise<Omit<store.Preference, 'person_id'>[]> {
  const { staff, accounts } = await store.audiencesOf(c.tx, person_id)
  const kinds = notices.noticeKindNames.filter((kind) => (notices.isForStaff(kind) ? staff : accounts || !staff))
  const chosen = new Map((await store.preferencesOf(c.tx, [person_id])).map((each) => [each.kind, each.delivery]))
  return kinds.map((kind) => ({
    kind,
    delivery: chosen.get(kind) ?? notices.noticeKinds[kind].delivery,
  }))
}

/** Changes a person's preferences for some kinds. The last one wins if a kind is named twice. */
export async function changePreferences(
  c: WriteContext,
  person_id: string,
  changes: readonly Omit<store.Preference, 'person_id'>[],
): Promise<void> {
  const last = new Map(changes.map((each) => [each.kind, each]))
  await store.putPreferences(c.tx, person_id, [...last.values()], c.clock.now())
  for (const { kind, delivery } of last.values()) if (delivery === 'none') await store.stopMail(c.tx, person_id, kind)
}

/** Stops email of one kind, or of all, by the token of an unsubscribe link. Throws 404 for a token this service did not issue. */
export async function unsubscribe(c: WriteContext, token: string | undefined): Promise<notices.NoticeKind | null> {
  const read = token === undefined ? null : readUnsubscribeToken(c.vault, token)
  if (!read || !(await findPerson(c.tx, read.person_id)))
    throw problem('not-found', 'This link is incomplete. Sign in to change your notification settings.')
  const { person_id, kind } = read
  const kinds = kind === null ? notices.noticeKindNames : [kind]
  await changePreferences(
    c,
    person_id,
    kinds.map((each) => ({ kind: each, delivery: 'none' as const })),
  )
  return kind
}
