import { countText, dateIn, portOrders } from '@demarc/client'
import { accountOf, systemActor } from '../../platform/actor.ts'
import type { Context, WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { notFound, problem } from '../../platform/problem.ts'
import { newSecret } from '../../platform/secrets.ts'
import { iCalendar, type CalendarDay } from './icalendar.ts'
import * as store from './store.ts'

/** The calendar of an account's completion dates, and its link, which works without a key. */

const limits = {
  /** How far back it goes. */
  past_days: 90,
  /** Most events of one calendar. Applications read all of them every time. */
  events: 1_000,
} as const

interface LinkQuery {
  account?: string | undefined
  signature?: string | undefined
}

const path = '/v2/portorders/calendar.ics'
const subject = (account_id: string) => ({ subject_type: 'account', subject_id: account_id })

/** Creates the link and replaces an earlier one. Its URL cannot be read again. */
export async function createLink(c: WriteContext): Promise<{ url: string; created_at: Date }> {
  const account_id = accountOf(c.actor)
  const secret = newSecret()
  const created_at = c.clock.now()
  await store.putLink(c.tx, { account_id, secret_hash: c.vault.hashSecret(secret), created_at })
  await recordEvent(c, account_id, { type: 'portorder_calendar.linked', ...subject(account_id) })
  const query = new URLSearchParams({ account: account_id, signature: secret })
  return { url: `${c.public_url}${path}?${query.toString()}`, created_at }
}

/** Throws 404 when there is none. */
export async function requireLink(c: Context): Promise<{ created_at: Date }> {
  return (await store.findLink(c.tx, accountOf(c.actor))) ?? unknownLink(c)
}

/** Throws 404 when there is none. */
export async function revokeLink(c: WriteContext): Promise<void> {
  const account_id = accountOf(c.actor)
  if (!(await store.deleteLink(c.tx, account_id))) unknownLink(c)
  await recordEvent(c, account_id, { type: 'portorder_calendar.revoked', ...subject(account_id) })
}

function unknownLink(c: Context): never {
  throw notFound(c.actor, 'No calendar link')
}

/** The calendar as text. The parameters of a link select the account. Throws 401 for an invalid link. */
export async function calendarText(c: Context, query: LinkQuery): Promise<string> {
  const reader = await authorize(c, query)
  const from = dateIn(new Date(c.clock.now().getTime() - limits.past_days * 86_400_000), c.time_zone)
  const orders = await store.listDated(c.tx, reader.actor, from, limits.events)
  return iCalendar(
    'Port orders',
    orders.map((order) => dayOf(c.public_url, order)),
  )
}

async function authorize(c: Context, { account = '', signature }: LinkQuery) {
  // a request without a key can only come from a link, even if its parameters are incomplete
  if (c.actor.kind !== 'system' && signature === undefined) return c
  const stored = /^\d{1,18}$/.test(account) ? await store.findLink(c.tx, account) : undefined
  if (!c.vault.verifySecret(signature ?? '', stored?.secret_hash ?? null))
    throw problem(
      'unauthorized',
      'Authentication failed. This calendar link is incomplete, or it was revoked or replaced. Create a new one.',
    )
  return { ...c, actor: systemActor('link', account) }
}

function dayOf(public_url: string, order: store.DatedOrder): CalendarDay {
  const { id, alias, provider, status, numbers_count, completion_date, modified_at } = order
  const over = status !== 'Completed' && portOrders.terminal(status)
  return {
    uid: `portorder-${id}@${new URL(public_url).hostname}`,
    date: completion_date,
    summary: `${prefixes[status] ?? 'Port'}: ${alias} (${countText(numbers_count, 'number')})`,
    description: `Port order ${id}, ${status}. From ${provider}.`,
    url: `${public_url}/port-orders/${id}`,
    modified_at,
    sequence: order.reschedules + order.rejections,
    status: over ? 'CANCELLED' : 'CONFIRMED',
  }
}

const prefixes: Partial<Record<portOrders.PortOrderStatus, string>> = {
  Completed: 'Ported',
  Hard_canceled: 'Canceled port',
}
