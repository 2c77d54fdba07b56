/** Kinds of notices. This module doesn't import zod, so the portal's unsubscribe page loads without it. */

/** How a person is notified. `none`: only in the portal. */
export const noticeDeliveries = ['at_once', 'daily', 'none'] as const
/** How a person is notified. */
export type NoticeDelivery = (typeof noticeDeliveries)[number]

/** Each kind of notice, whom it is for, the events it covers, and its default delivery. */
export const noticeKinds = {
  port_rejected: { name: 'A port order was rejected', events: ['portorder.rejected'], delivery: 'at_once' },
  port_dated: {
    name: 'The completion date of a port order was set or changed',
    events: ['portorder.accepted', 'portorder.rescheduled'],
    delivery: 'at_once',
  },
  port_completed: { name: 'A port order was completed', events: ['portorder.completed'], delivery: 'at_once' },
  port_expiring: {
    name: 'A port order is about to be closed because it is inactive',
    events: ['portorder.expiring', 'portorder.expired'],
    delivery: 'at_once',
  },
  portout: {
    name: 'Another carrier asked to move your numbers away',
    events: ['portout.requested', 'portout.confirmed', 'portout.rescheduled', 'portout.completed'],
    delivery: 'at_once',
  },
  export_ended: {
    name: 'A call-record export is ready or has failed',
    events: ['cdrexport.completed', 'cdrexport.failed'],
    delivery: 'daily',
  },
  cnam_decided: {
    name: 'A caller ID name was approved, rejected, or withdrawn',
    events: ['cnam.approved', 'cnam.rejected', 'cnam.withdrawn'],
    delivery: 'daily',
  },
  numberorder_decided: {
    name: 'A number order was approved, rejected, or expired',
    events: ['numberorder.approved', 'numberorder.rejected', 'numberorder.expired'],
    delivery: 'at_once',
  },
  e911_worsened: {
    name: 'An emergency address is no longer valid',
    events: ['e911.verdict_worsened'],
    delivery: 'at_once',
  },
  callback_failing: {
    name: 'A callback URL keeps failing',
    events: ['notification.failing'],
    delivery: 'at_once',
  },
  key_created: { name: 'An access key was created', events: ['access_key.created'], delivery: 'at_once' },
  inventory_low: {
    name: 'A rate center has few numbers left to sell',
    events: ['inventory.low'],
    delivery: 'at_once',
    is_for_staff: true,
  },
} as const satisfies Record<string, KindOfNotice>

interface KindOfNotice {
  name: string
  events: readonly string[]
  delivery: NoticeDelivery
  /** For the operator's staff instead of the people of an account. */
  is_for_staff?: true
}

/** A kind of notice. */
export type NoticeKind = keyof typeof noticeKinds

/** Every kind, in display order. */
export const noticeKindNames = Object.keys(noticeKinds) as [NoticeKind, ...NoticeKind[]]

/** Whether a kind of notice is for the operator's staff instead of the people of an account. */
export const isForStaff = (kind: NoticeKind): boolean => 'is_for_staff' in noticeKinds[kind]

const kindByEvent = new Map<string, NoticeKind>(
  noticeKindNames.flatMap((kind) => noticeKinds[kind].events.map((event) => [event, kind] as const)),
)

/** The kind of notice for an event type; null if the event has no notice. */
export const noticeKindOf = (event_type: string): NoticeKind | null => kindByEvent.get(event_type) ?? null
