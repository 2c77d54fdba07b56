import { notifications as api } from '@demarc/client'
import { failingReceivers_max } from '@demarc/client/rules'
import { rotateSigningSecret, signingSecrets } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { Context, Deps } from '../platform/context.ts'
import { bind, link, type OperationRequest, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { notFound } from '../platform/problem.ts'
import { timeText } from '../platform/clock.ts'
import * as actions from './actions.ts'
import { limits } from './rules.ts'
import * as store from './store.ts'

export const notificationRoutes =
  ({ outbound }: { outbound: Outbound }): Routes =>
  (deps) => {
    const shown = async (context: Context, row: store.NotificationRow) => {
      const data = notificationResource(deps, row, await store.attemptsOf(context.tx, [row.id]))
      return { body: { data, links: data.links } }
    }
    const list = async ({
      context,
      query,
      self,
    }: Pick<OperationRequest<typeof api.listNotificationsAsOperator>, 'context' | 'query' | 'self'>) => {
      const page = pageOf(query, 10)
      const { status, account_id, origin } = query
      const filter = { status, account_id, origin, ...page.fetch }
      const rows = await store.listNotifications(context.tx, context.actor, filter)
      const ids = rows.map((r) => r.id)
      const attempts = await store.attemptsOf(context.tx, ids)
      const data = rows.map((row) => notificationResource(deps, row, attempts))
      return { body: paged(self, page, data) }
    }
    const replay = async ({
      context,
      params,
    }: Pick<OperationRequest<typeof api.replayNotification>, 'context' | 'params'>) =>
      shown(context, await actions.replay(context, params.notification_id))
    return [
      bind(api.listNotifications, list),
      bind(api.listNotificationsAsOperator, list),
      bind(api.listFailingReceivers, async ({ context, self }) => ({
        body: { data: await failingReceivers(context), links: { self } },
      })),
      bind(api.getNotification, async ({ context, params }) => {
        const row = await store.findNotification(context.tx, context.actor, params.notification_id)
        if (!row) throw notFound(context.actor, `No notification ${params.notification_id}`)
        return shown(context, row)
      }),
      bind(api.replayNotification, replay),
      bind(api.replayNotificationAsOperator, replay),
      bind(
        api.sendTestNotification,
        async ({ context, body }) => shown(context, await actions.sendTest(context, outbound, body.url)),
        { check: async (_, { url }) => actions.checkTestUrl(outbound, url) },
      ),
      bind(api.getSigningSecret, async ({ context }) => {
        const { secrets, previous_valid_until } = await signingSecrets(context, accountOf(context.actor))
        return { body: secretDocument(secrets[0] ?? '', previous_valid_until) }
      }),
      bind(api.rotateSigningSecret, async ({ context }) => {
        const rotated = await rotateSigningSecret(context)
        return { body: secretDocument(rotated.secret, rotated.previous_valid_until) }
      }),
    ]
  }

const notificationResource = (
  deps: Pick<Deps, 'public_url'>,
  row: store.NotificationRow,
  attempts: readonly store.AttemptRow[],
) => ({
  type: 'notification' as const,
  id: row.id,
  attributes: {
    event_id: row.event_id,
    event_type: row.event_type,
    account_id: row.account_id,
    url: row.url,
    status: row.status,
    created_at: timeText(row.created_at),
    next_attempt_at: timeText(row.next_attempt_at),
    attempts: attempts.filter((a) => a.notification_id === row.id).map(shownAttempt),
  },
  links: { self: link(deps, `/v2/notifications/${row.id}`) },
})

const shownAttempt = ({ attempted_at, response_status, failure, duration_ms }: store.AttemptRow) => ({
  attempted_at: timeText(attempted_at),
  response_status,
  failure,
  duration_ms,
})

async function failingReceivers({ tx, clock }: Context) {
  const since = new Date(clock.now().getTime() - limits.failing_listed_ms)
  const rows = await store.listFailingReceivers(tx, since, failingReceivers_max)
  const attempts = await store.attemptsOf(
    tx,
    rows.map(({ newest_id }) => newest_id),
  )
  return rows.map(({ account_id, origin, retrying, failed, next_attempt_at, newest_id }) => {
    const last = attempts.findLast(({ notification_id }) => notification_id === newest_id)
    return {
      type: 'receiver' as const,
      id: `${account_id} ${origin}`,
      attributes: {
        account_id,
        origin,
        retrying,
        failed,
        next_attempt_at: timeText(next_attempt_at),
        last_attempt: last === undefined ? null : shownAttempt(last),
      },
    }
  })
}

const secretDocument = (secret: string, until: Date | null) => ({
  data: {
    type: 'signing_secret' as const,
    attributes: { secret, previous_valid_until: timeText(until) },
  },
})
