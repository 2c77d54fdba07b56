import { operations } from '@demarc/client'
import { notificationIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import { listenWebhooks } from './webhooks/listen.ts'
import type { Noun } from '../verb.ts'

/** Notifications to customers' URLs, and the secret that signs them. */

const notification_id = { summary: 'ID of the notification', complete: notificationIds }

const list = plain('list', operations.listNotifications, {
  description: 'With an operator key and without --account, lists notifications of all accounts.',
  columns: ['id', 'event_type', 'status', 'created_at', 'next_attempt_at', 'url'],
  fields: { status: { value: 'status', summary: 'Notifications in this status' } },
  examples: ['webhooks list', 'webhooks list --status failed --ids'],
})

const failing = plain('failing', operations.listFailingReceivers, {
  columns: ['account_id', 'origin', 'failed', 'retrying', 'next_attempt_at', 'last_attempt.failure'],
  examples: ['webhooks failing'],
})

const get = plain('get', operations.getNotification, {
  arguments: { notification_id },
  examples: ['webhooks get 40 --json --fields status,attempts'],
})

const replay = plain('replay', operations.replayNotification, {
  arguments: { notification_id },
  examples: ['webhooks replay 40'],
})

const send = plain('test', operations.sendTestNotification, {
  fields: { url: { value: 'url', summary: 'URL to send the event to' } },
  examples: ['webhooks test --url https://billing.example/demarc'],
})

const secret = plain('secret', operations.getSigningSecret, {
  summary: 'Show the secret that signs your notifications',
  examples: ['webhooks secret --json --fields secret'],
})

const rotateSecret = plain('rotate-secret', operations.rotateSigningSecret, {
  question: () => 'Replace the signing secret? Update your receivers within 24 hours.',
  examples: ['webhooks rotate-secret --yes'],
})

export const webhooks: Noun = {
  name: 'webhooks',
  summary: 'Notifications to your URLs, and their signing secret',
  verbs: [list, failing, get, replay, send, secret, rotateSecret, listenWebhooks],
}
