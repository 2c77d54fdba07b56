import * as z from 'zod'
import { operation } from './declare.ts'
import { failingReceivers_max } from './job-words.ts'
import { callbackUrl, document, list, page, queryId, queryText, resource, timestamp } from './shapes.ts'

/** Notifications to callback and status URLs, their attempts, and the secret that signs them. */

export const notificationStatuses = ['pending', 'delivered', 'failed', 'stopped'] as const

const attempt = z.object({
  attempted_at: timestamp,
  /** HTTP status of the receiver's response; null without a response. */
  response_status: z.int().nullable(),
  /** Why the attempt failed; null when it was delivered. */
  failure: z.string().nullable(),
  duration_ms: z.int(),
})

const notification = resource(
  'notification',
  z.object({
    event_id: z.string(),
    event_type: z.string(),
    account_id: z.string(),
    url: z.string(),
    status: z.enum(notificationStatuses),
    created_at: timestamp,
    next_attempt_at: timestamp.nullable(),
    attempts: z.array(attempt),
  }),
).meta({ id: 'Notification' })

const common = { feature: 'notifications', media: 'json', principals: ['account', 'operator'] } as const
const query = z.object({ ...page(10, 200), status: z.enum(notificationStatuses).optional() })

export const listNotifications = operation({
  ...common,
  id: 'listNotifications',
  summary: 'List notifications to your URLs',
  endpoint: 'GET /v2/notifications',
  query,
  responses: { 200: { description: 'Newest first, with every attempt.', body: list(notification) } },
})

export const getNotification = operation({
  ...common,
  id: 'getNotification',
  summary: 'Get one notification with every attempt',
  endpoint: 'GET /v2/notifications/{notification_id}',
  responses: { 200: { description: 'The notification.', body: document(notification) } },
})

export const replayNotification = operation({
  ...common,
  id: 'replayNotification',
  summary: 'Send a notification again',
  description: 'Sends the same event with the same ID now, and restarts the retry schedule.',
  endpoint: 'POST /v2/notifications/{notification_id}/replay',
  responses: { 202: { description: 'The notification is queued.', body: document(notification) } },
})

export const sendTestNotification = operation({
  ...common,
  id: 'sendTestNotification',
  summary: 'Send a test event to a URL',
  description:
    'Sends an event of type `notification.tested`. It is signed and retried like any other event, and appears among the notifications with its attempts.',
  endpoint: 'POST /v2/notifications/test',
  body: z.strictObject({ url: callbackUrl }),
  responses: { 202: { description: 'The notification is queued.', body: document(notification) } },
})

export const listNotificationsAsOperator = operation({
  ...listNotifications,
  id: 'listNotificationsAsOperator',
  summary: 'List notifications of all accounts',
  endpoint: 'GET /operator/notifications',
  principals: ['operator'],
  query: z.object({
    ...query.shape,
    account_id: queryId,
    origin: queryText.meta({ description: 'Origin of the URL, such as `https://billing.example`.' }),
  }),
})

const receiver = z.object({
  type: z.literal('receiver'),
  id: z.string().meta({ description: 'Account and origin.' }),
  attributes: z.object({
    account_id: z.string(),
    origin: z
      .string()
      .meta({ description: 'Scheme, host, and port. The rest of a URL may be secret, so it is not shown.' }),
    retrying: z.int().meta({ description: 'Notifications that are being retried.' }),
    failed: z.int().meta({ description: 'Notifications that failed on every attempt.' }),
    next_attempt_at: timestamp.nullable(),
    /** The failure of the newest failing notification. */
    last_attempt: attempt.nullable(),
  }),
})

export const listFailingReceivers = operation({
  ...common,
  id: 'listFailingReceivers',
  summary: 'List failing notification receivers',
  description:
    'Groups by account and URL origin the notifications that are being retried, and those that failed in the last 30 days and were not sent again. Covers the newest 10,000 notifications of each.',
  endpoint: 'GET /operator/notifications/failing',
  principals: ['operator'],
  responses: {
    200: {
      description: `Receivers with the most failures first; at most ${failingReceivers_max}.`,
      body: document(z.array(receiver)),
    },
  },
})

export const replayNotificationAsOperator = operation({
  ...replayNotification,
  id: 'replayNotificationAsOperator',
  summary: 'Send a notification again, for any account',
  endpoint: 'POST /operator/notifications/{notification_id}/replay',
  principals: ['operator'],
})

const secret = z.object({
  data: z.object({
    type: z.literal('signing_secret'),
    attributes: z.object({ secret: z.string(), previous_valid_until: timestamp.nullable() }),
  }),
})

export const getSigningSecret = operation({
  ...common,
  id: 'getSigningSecret',
  summary: 'Get the secret that signs your notifications',
  description: 'A Standard Webhooks secret (`whsec_…`). Use it to verify the raw body.',
  endpoint: 'GET /v2/notifications/signing_secret',
  access: 'write',
  responses: { 200: { description: 'The secret.', body: secret } },
  problems: ['invalid-input'],
})

export const rotateSigningSecret = operation({
  ...common,
  id: 'rotateSigningSecret',
  summary: 'Replace the signing secret',
  description:
    'For 24 hours, notifications carry two signatures, so receivers can change the secret without rejecting any notification.',
  endpoint: 'POST /v2/notifications/signing_secret/rotate',
  responses: { 200: { description: 'The new secret.', body: secret } },
  problems: ['invalid-input'],
})
