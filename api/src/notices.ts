import * as z from 'zod'
import { noticeDeliveries, noticeKindNames } from './notice-kinds.ts'
import { operation } from './declare.ts'
import { id, listLinks, page, queryBoolean, text, timestamp } from './shapes.ts'

/** Notices to people about events on their accounts, in the portal and by email. */

export * from './notice-kinds.ts'

const common = { feature: 'people', media: 'json', principals: ['person'] } as const
const kind = z.enum(noticeKindNames)

const notice = z
  .object({
    id,
    account_id: id.nullable().meta({ description: 'Null for a notice to the operator’s staff.' }),
    account_name: z.string(),
    kind,
    title: z.string(),
    text: z.string(),
    path: z.string().meta({ description: 'The portal page the notice links to.' }),
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
  summary: 'List your notices',
  description: 'Notices for the selected account, or for all of the person’s accounts if none is selected.',
  endpoint: 'GET /v2/notices',
  query: z.object({ ...page(20, 200), unread: queryBoolean.optional() }),
  responses: {
    200: {
      description: 'Notices, newest first.',
      body: z.object({
        data: z.array(notice),
        links: listLinks,
        meta: z.object({ unread_count }),
      }),
    },
  },
})

/** Maximum notices marked per request. */
const marked_max = 1_000

export const markNoticesRead = operation({
  ...common,
  id: 'markNoticesRead',
  summary: 'Mark notices as read',
  description: 'Marks the notices with these IDs. Without `ids`, marks every notice in the list.',
  endpoint: 'POST /v2/notices/read',
  body: z.strictObject({ ids: z.array(id).max(marked_max).optional() }),
  responses: {
    200: { description: 'The number of unread notices left.', body: z.object({ data: z.object({ unread_count }) }) },
  },
})

const preferences = z.object({
  data: z.object({
    mail_enabled: z.boolean().meta({ description: 'Whether this service sends email.' }),
    kinds: z.array(z.object({ kind, name: z.string(), delivery: z.enum(noticeDeliveries) })),
  }),
})

export const getNoticePreferences = operation({
  ...common,
  id: 'getNoticePreferences',
  summary: 'Get notice preferences',
  endpoint: 'GET /v2/notice_preferences',
  responses: { 200: { description: 'Every kind of notice.', body: preferences } },
})

export const updateNoticePreferences = operation({
  ...common,
  id: 'updateNoticePreferences',
  summary: 'Change notice preferences',
  description: 'Omitted kinds do not change.',
  endpoint: 'PATCH /v2/notice_preferences',
  body: z.strictObject({
    kinds: z
      .array(z.strictObject({ kind, delivery: z.enum(noticeDeliveries) }))
      .min(1)
      .max(noticeKindNames.length),
  }),
  responses: { 200: { description: 'Every kind of notice.', body: preferences } },
})

export const unsubscribeFromNotices = operation({
  ...common,
  id: 'unsubscribeFromNotices',
  summary: 'Unsubscribe from email notices',
  description:
    'Send the token from the email’s link in the query or in the body. Mail programs send `List-Unsubscribe=One-Click` as a form (RFC 8058). Afterward, these notices appear only in the portal.',
  endpoint: 'POST /v2/notices/unsubscribe',
  principals: ['anyone'],
  query: z.object({ token: z.string().max(200).optional() }),
  body: z.strictObject({ token: text(200).optional(), 'List-Unsubscribe': text(200).optional() }),
  form: true,
  responses: {
    200: {
      description: 'Unsubscribed from one kind of notice, or from all kinds (null).',
      body: z.object({ data: z.object({ kind: kind.nullable(), name: z.string() }) }),
    },
  },
  problems: ['not-found', 'invalid-input'],
})
