import { countText, dateIn, deliveryFailureText, instantAt, notices, portOrders } from '@demarc/client'

/** The text of a notice, and when and how it is sent. Pure. Notices never contain secrets, PINs, or LOA text. */

export interface NoticeEvent {
  type: string
  subject_id: string
  occurred_at: Date
  data: Readonly<Record<string, unknown>>
}

/** Facts from the records that an event names; null when they are deleted. */
export interface NoticeFacts {
  order: { alias: string; numbers_count: number; provider: string } | null
  address: { label: string } | null
  /** IANA name of the service's time zone. */
  time_zone: string
}

export interface NoticeContent {
  title: string
  /** Paragraphs, separated by blank lines. */
  body: string
  path: string
}

/** The text of a notice. */
export function noticeContent(kind: notices.NoticeKind, event: NoticeEvent, facts: NoticeFacts): NoticeContent {
  const { title, paragraphs, path } = contents[kind](event, facts)
  return { title, body: paragraphs.filter((text) => text !== '').join('\n\n'), path }
}

type Draft = Pick<NoticeContent, 'title' | 'path'> & { paragraphs: readonly string[] }

const contents = {
  port_rejected: orderRejected,
  port_dated: orderDated,
  port_completed: (event, facts) => ({
    title: `${orderName(event, facts)} is complete`,
    paragraphs: [`${numbersOf(facts)} on your account. Calls follow their voice routes.`],
    path: orderPath(event),
  }),
  port_expiring: orderExpiring,
  portout: portoutDraft,
  export_ended: exportEnded,
  cnam_decided: cnamDecided,
  numberorder_decided: numberOrderDecided,
  e911_worsened: addressWorsened,
  callback_failing: (event) => ({
    title: `Callbacks to ${textIn(event, 'origin')} keep failing`,
    paragraphs: [
      `Delivery attempts failed ${textIn(event, 'attempts')} times. The last failure: ${deliveryFailureText(textIn(event, 'failure'))} Retries continue for about three days at growing intervals.`,
      'Check that your endpoint is up and responds with a 2xx status within ten seconds. You can replay missed notifications.',
    ],
    path: '/developers/deliveries',
  }),
  key_created: (event) => ({
    title: `The access key “${textIn(event, 'name')}” was created`,
    paragraphs: ['If no one on your team created it, revoke it and review who has access.'],
    path: '/developers',
  }),
  inventory_low: inventoryLow,
} as const satisfies Record<notices.NoticeKind, (event: NoticeEvent, facts: NoticeFacts) => Draft>

function orderRejected(event: NoticeEvent, facts: NoticeFacts): Draft {
  const { entry } = portOrders.classify(textIn(event, 'raw'))
  return {
    title: `${orderName(event, facts)} was rejected: ${lowerFirst(entry.title)}`,
    paragraphs: [
      entry.cause,
      `What to do: ${entry.fix}`,
      `Correct it and resubmit within ${portOrders.idleDays} days at no extra cost. After that, the order is closed.`,
    ],
    path: orderPath(event),
  }
}

function orderDated(event: NoticeEvent, facts: NoticeFacts): Draft {
  const date = dayText(textIn(event, 'completion_date'))
  const moved = event.type === 'portorder.rescheduled'
  return {
    title: `${orderName(event, facts)} ${moved ? 'has a new date:' : 'is accepted for'} ${date}`,
    paragraphs: [
      moved
        ? `The losing carrier moved the completion date to ${date}.`
        : `The losing carrier will release the numbers on ${date}.`,
      'Keep your service with the losing carrier until then. Canceling it earlier can lose the numbers.',
    ],
    path: orderPath(event),
  }
}

function orderExpiring(event: NoticeEvent, facts: NoticeFacts): Draft {
  const name = orderName(event, facts)
  const path = orderPath(event)
  if (event.type === 'portorder.expired')
    return {
      title: `${name} was closed`,
      paragraphs: [`There was no activity for ${portOrders.idleDays} days. You can create a new order at any time.`],
      path,
    }
  const due_at = new Date(textIn(event, 'due_at'))
  const day = Number.isNaN(due_at.getTime()) ? 'soon' : `on ${dayText(dateIn(due_at, facts.time_zone))}`
  return {
    title: `${name} closes in ${textIn(event, 'days_left')} days`,
    paragraphs: [
      `It needs your action and closes ${day}.`,
      textIn(event, 'status') === 'Rejected'
        ? 'Fix the rejected fields and resubmit.'
        : 'Complete it and sign the Letter of Agency.',
    ],
    path,
  }
}

function portoutDraft(event: NoticeEvent): Draft {
  const count = textIn(event, 'numbers_count')
  const numbers = count === '1' ? 'your number' : `${count} of your numbers`
  const carrier = textIn(event, 'gaining_carrier')
  const path = '/numbers'
  if (event.type === 'portout.completed')
    return {
      title: `${carrier} took over ${numbers}`,
      paragraphs: [
        'Emergency addresses, caller ID names, and voice routes were removed.',
        'If no one on your team asked for this, contact us right away.',
      ],
      path,
    }
  return {
    title:
      event.type === 'portout.requested'
        ? `${carrier} asked to move ${numbers} away`
        : `${carrier} takes over ${numbers} on ${dayText(textIn(event, 'foc_date'))}`,
    paragraphs: [
      'Someone asked to move your service to another carrier. If no one on your team did, contact us right away.',
      'You can authorize or dispute the request. If you do neither, it proceeds.',
    ],
    path,
  }
}

function exportEnded(event: NoticeEvent): Draft {
  const path = `/call-records/exports/${event.subject_id}`
  if (event.type === 'cdrexport.failed')
    return {
      title: `Call-record export ${event.subject_id} failed`,
      paragraphs: [textIn(event, 'failure_reason')],
      path,
    }
  return {
    title: `Call-record export ${event.subject_id} is ready`,
    paragraphs: [
      `It has ${countText(Number(textIn(event, 'num_calls')), 'call')}. Download the file before it expires.`,
    ],
    path,
  }
}

function cnamDecided(event: NoticeEvent): Draft {
  const name = `The caller ID name ${textIn(event, 'value')}`
  const path = '/caller-id'
  if (event.type === 'cnam.approved')
    return {
      title: `${name} is approved`,
      paragraphs: ['You can assign it to numbers. It appears on the network 5 to 7 business days later.'],
      path,
    }
  const withdrawn = event.type === 'cnam.withdrawn'
  return {
    title: `${name} ${withdrawn ? 'was withdrawn' : 'is rejected'}`,
    paragraphs: [
      textIn(event, 'rejection_reason'),
      withdrawn
        ? 'It was removed from your numbers. Change it to request approval again.'
        : 'Change it to request approval again.',
    ],
    path,
  }
}

function numberOrderDecided(event: NoticeEvent): Draft {
  const [, end = ''] = event.type.split('.')
  const count = textIn(event, 'ordered_count')
  return {
    title: `Number order ${event.subject_id} ${end === 'expired' ? 'expired' : `was ${end}`}`,
    paragraphs: [
      end === 'approved'
        ? `${count} ${count === '1' ? 'number is' : 'numbers are'} on your account now.`
        : 'Its numbers are for sale again.',
      textIn(event, 'reason'),
    ],
    path: '/numbers',
  }
}

function addressWorsened({ subject_id }: NoticeEvent, { address }: NoticeFacts): Draft {
  const name = address === null ? `The emergency address ${subject_id}` : `The emergency address “${address.label}”`
  return {
    title: `${name} is no longer valid`,
    paragraphs: [
      'The street data changed and no longer confirms this address. The address is unchanged.',
      'Review and correct it: this is where 911 sends help.',
    ],
    path: `/e911/${subject_id}`,
  }
}

/** A notice names at most this many rate centers. */
const namedRateCenters_max = 20

function inventoryLow(event: NoticeEvent): Draft {
  const ids = Array.isArray(event.data['rate_centers']) ? event.data['rate_centers'].map(String) : []
  const count = Number(textIn(event, 'rate_centers_count'))
  const named = ids.slice(0, namedRateCenters_max).map(rateCenterName)
  const others = count - named.length
  const [first = 'a rate center'] = named
  return {
    title: `Few numbers are left in ${count > 1 ? `${count.toLocaleString('en-US')} rate centers` : first}`,
    paragraphs: [
      `Fewer than ${textIn(event, 'low_below')} numbers are available${count > 1 ? ' in each' : ''}.`,
      count > 1 ? `${named.join('; ')}${others > 0 ? `; and ${others.toLocaleString('en-US')} more` : ''}.` : '',
      'Load more numbers, or put held numbers on sale again. The stock forecast shows when each rate center runs out.',
    ],
    path: '/operator/inventory',
  }
}

/** `SEATTLE, WA` from `longcode/WA/SEATTLE`, and `Toll-free` from `toll-free`. */
function rateCenterName(id: string): string {
  const [type = '', ...place] = id.split('/')
  return place.length === 0 ? type.charAt(0).toUpperCase() + type.slice(1) : place.toReversed().join(', ')
}

const orderPath = ({ subject_id }: NoticeEvent) => `/port-orders/${subject_id}`
const orderName = ({ subject_id }: NoticeEvent, { order }: NoticeFacts) =>
  order === null ? `Port order ${subject_id}` : `The port order “${order.alias}”`
const numbersOf = ({ order }: NoticeFacts) =>
  order === null
    ? 'Its numbers are'
    : order.numbers_count === 1
      ? 'Its number is'
      : `Its ${order.numbers_count} numbers are`

/** A member of the event's data as text; empty if it is absent. */
function textIn({ data }: NoticeEvent, name: string): string {
  const value = data[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const lowerFirst = (text: string) => (/^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

/** `Tuesday, November 24` from `YYYY-MM-DD`. */
function dayText(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return date
  return day.toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' })
}

/** Older events appear in the portal but are not mailed, because they would be mistaken for news. */
const news_ms = 3 * 86_400_000

/** Whether a person's notice is mailed, and how far along that is. */
export type MailState = 'none' | 'due' | 'daily' | 'summarized' | 'sent' | 'failed'

/** How a notice is mailed to a person with this preference who got `recent` other notices in the last hour. */
export function mailStateOf(
  delivery: notices.NoticeDelivery,
  { enabled, occurred_at, now, recent }: { enabled: boolean; occurred_at: Date; now: Date; recent: number },
): MailState {
  if (!enabled || delivery === 'none' || now.getTime() - occurred_at.getTime() > news_ms) return 'none'
  return delivery === 'daily' || recent >= limits.at_once_per_hour ? 'daily' : 'due'
}

/** Minute of the day when summaries are sent, in the person's time zone. */
const summary_at = 8 * 60

/** The next time summaries are sent, in this time zone. */
export function nextSummaryAt(now: Date, zone: string): Date {
  const today = instantAt(dateIn(now, zone), summary_at, zone)
  if (today > now) return today
  const tomorrow = new Date(now.getTime() + 86_400_000)
  return instantAt(dateIn(tomorrow, zone), summary_at, zone)
}

export const limits = {
  /**
   * After this many notices in an hour, further ones go into the summary, for instance when hundreds of orders complete at
   * once.
   */
  at_once_per_hour: 30,
  /** Notices per summary; further ones go into the next. */
  summarized: 50,
  /** People of an account who are notified. */
  members: 1_000,
} as const
