import * as z from 'zod'
import { operation } from './operation.ts'
import { id, page, queryBoolean, text, timestamp } from './shapes.ts'

/** What people are told of what happened on their accounts, in the portal and by e-mail. */

/** How a person is told. `none`: in the portal alone. */
export const noticeDeliveries = ['at_once', 'daily', 'none'] as const
/** How a person is told. */
export type NoticeDelivery = (typeof noticeDeliveries)[number]

/** Each kind of notice, the events that it is about, and how people are told who chose nothing else. */
export const noticeKinds = {
  port_rejected: { name: 'A port order was rejected', events: ['portorder.rejected'], delivery: 'at_once' },
  port_dated: {
    name: 'The completion date of a port order was set or changed',
    events: ['portorder.accepted', 'portorder.rescheduled'],
    delivery: 'at_once',
  },
  port_completed: { name: 'A port order was completed', events: ['portorder.completed'], delivery: 'at_once' },
  port_expiring: {
    name: 'A port order is about to be closed because nobody goes on with it',
    events: ['portorder.expiring', 'portorder.expired'],
    delivery: 'at_once',
  },
  export_ended: {
    name: 'A call-record export is ready or has failed',
    events: ['cdrexport.completed', 'cdrexport.failed'],
    delivery: 'daily',
  },
  cnam_decided: {
    name: 'A caller-ID name was approved, rejected or withdrawn',
    events: ['cnam.approved', 'cnam.rejected', 'cnam.withdrawn'],
    delivery: 'daily',
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
} as const satisfies Record<string, { name: string; events: readonly string[]; delivery: NoticeDelivery }>
/** A kind of notice. */
export type NoticeKind = keyof typeof noticeKinds

/** Every kind, in the order in which they are shown. */
export const noticeKindNames = Object.keys(noticeKinds) as [NoticeKind, ...NoticeKind[]]

const kindByEvent = new Map<string, NoticeKind>(
  noticeKindNames.flatMap((kind) => noticeKinds[kind].events.map((event) => [event, kind] as const)),
)

/** The kind of notice that an event of this type is; null when nobody is told of it. */
export const noticeKindOf = (event_type: string): NoticeKind | null => kindByEvent.get(event_type) ?? null

const common = { feature: 'people', media: 'json', principals: ['person'] } as const
const kind = z.enum(noticeKindNames)

const notice = z
  .object({
    id,
    account_id: id,
    account_name: z.string(),
    kind,
    title: z.string(),
    text: z.string(),
    path: z.string().meta({ description: 'The page of the portal that it leads to.' }),
    occurred_at: timestamp,
    read_at: timestamp.nullable(),
    mail: z.object({
      status: z.enum(['none', 'waiting', 'sent', 'failed']),
      sent_at: timestamp.nullable(),
      failure: z.string().nullable(),
    }),
  })
  .meta({ id: 'Notice' })

const unread_count = z.int()

export const listNotices = operation({
  ...common,
  id: 'listNotices',
  summary: 'List what happened that concerns you',
  description: 'Of the account that is seen; without one, of all accounts of the person.',
  method: 'GET',
  path: '/v2/notices',
  access: 'read',
  query: z.object({ ...page(20, 200), unread: queryBoolean.optional() }),
  responses: {
    200: {
      description: 'Notices, newest first.',
      body: z.object({
        data: z.array(notice),
        links: z.object({ self: z.string(), next: z.string().optional() }),
        meta: z.object({ unread_count }),
      }),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})

/** Most notices that one request marks. */
const marked_max = 1_000

export const markNoticesRead = operation({
  ...common,
  id: 'markNoticesRead',
  summary: 'Mark notices as read',
  description: 'Those with these ids; without `ids`, all that the list shows.',
  method: 'POST',
  path: '/v2/notices/read',
  access: 'write',
  body: z.strictObject({ ids: z.array(id).max(marked_max).optional() }),
  responses: { 200: { description: 'How many are left.', body: z.object({ data: z.object({ unread_count }) }) } },
  problems: ['invalid-input'],
  effect: 'transaction',
})

const preferences = z.object({
  data: z.object({
    mail_enabled: z.boolean().meta({ description: 'Whether this service sends e-mail at all.' }),
    kinds: z.array(z.object({ kind, name: z.string(), delivery: z.enum(noticeDeliveries) })),
  }),
})

export const getNoticePreferences = operation({
  ...common,
  id: 'getNoticePreferences',
  summary: 'Get how you are told of what',
  method: 'GET',
  path: '/v2/notice_preferences',
  access: 'read',
  responses: { 200: { description: 'Every kind of notice.', body: preferences } },
  problems: [],
  effect: 'read',
})

export const updateNoticePreferences = operation({
  ...common,
  id: 'updateNoticePreferences',
  summary: 'Change how you are told of what',
  description: 'Kinds that are absent stay as they are.',
  method: 'PATCH',
  path: '/v2/notice_preferences',
  access: 'write',
  body: z.strictObject({
    kinds: z
      .array(z.strictObject({ kind, delivery: z.enum(noticeDeliveries) }))
      .min(1)
      .max(noticeKindNames.length),
  }),
  responses: { 200: { description: 'Every kind of notice.', body: preferences } },
  problems: ['invalid-input'],
  effect: 'transaction',
})

export const unsubscribeFromNotices = operation({
  ...common,
  id: 'unsubscribeFromNotices',
  summary: 'Unsubscribe from e-mail, by the link in one',
  description:
    'The token is in the query or in the body. Mail programs send `List-Unsubscribe=One-Click` as a form (RFC 8058). From then on such notices are shown in the portal alone.',
  method: 'POST',
  path: '/v2/notices/unsubscribe',
  principals: ['anyone'],
  access: 'write',
  query: z.object({ token: z.string().max(200).optional() }),
  body: z.strictObject({ token: text(200).optional(), 'List-Unsubscribe': text(200).optional() }),
  form: true,
  responses: {
    200: {
      description: 'Unsubscribed; from one kind, or from all (null).',
      body: z.object({ data: z.object({ kind: kind.nullable(), name: z.string() }) }),
    },
  },
  problems: ['not-found', 'invalid-input'],
  effect: 'transaction',
})
