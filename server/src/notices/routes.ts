import { notices as api } from '@demarc/client'
import { signedIn } from '../people/index.ts'
import type { Context, Deps } from '../platform/context.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { timeText } from '../platform/clock.ts'
import { changePreferences, preferencesOf, unsubscribe } from './actions.ts'
import type { MailSettings } from '../platform/mail/mailer.ts'
import * as store from './store.ts'

export const noticeRoutes =
  ({ config }: { config: MailSettings }) =>
  (_deps: Deps): Binding[] => {
    const preferences = async (context: Context) => ({
      body: {
        data: {
          mail_enabled: config.mail !== null,
          kinds: (await preferencesOf(context, signedIn(context).id)).map(({ kind, delivery }) => ({
            kind,
            name: api.noticeKinds[kind].name,
            delivery,
          })),
        },
      },
    })
    return [
      bind(api.listNotices, async ({ context, query: { limit, offset, unread }, self }) => {
        const page = pageOf({ limit, offset }, 20)
        const reader = readerOf(context)
        const rows = await store.listNotices(context.tx, reader, unread, page.fetch)
        const unread_count = await store.countUnread(context.tx, reader)
        return {
          body: {
            ...paged(
              self,
              page,
              rows.map((row) => shown(row, config.carrier_name)),
            ),
            meta: { unread_count },
          },
        }
      }),
      bind(api.markNoticesRead, async ({ context, body }) => {
        const reader = readerOf(context)
        await store.markRead(context.tx, reader, body.ids ?? null, context.clock.now())
        return { body: { data: { unread_count: await store.countUnread(context.tx, reader) } } }
      }),
      bind(api.getNoticePreferences, async ({ context }) => preferences(context)),
      bind(api.updateNoticePreferences, async ({ context, body }) => {
        await changePreferences(context, signedIn(context).id, body.kinds)
        return preferences(context)
      }),
      bind(api.unsubscribeFromNotices, async ({ context, query, body }) => {
        const kind = await unsubscribe(context, body.token ?? query.token)
        return { body: { data: { kind, name: kind === null ? 'All email' : api.noticeKinds[kind].name } } }
      }),
    ]
  }

/** The selected account. A person acting for no account, or for the operator, sees notices of all their accounts. */
const readerOf = (context: Context): store.Reader => ({
  person_id: signedIn(context).id,
  account_id: context.actor.kind === 'account' ? context.actor.account_id : null,
})

const mailStatus = {
  none: 'none',
  due: 'waiting',
  daily: 'waiting',
  summarized: 'waiting',
  sent: 'sent',
  failed: 'failed',
} as const

const shown = (
  { body, account_name, occurred_at, read_at, mail, mailed_at, mail_failure, ...row }: store.ShownNotice,
  carrier_name: string,
) => ({
  ...row,
  account_name: account_name ?? carrier_name,
  text: body,
  occurred_at: timeText(occurred_at),
  read_at: timeText(read_at),
  mail: { status: mailStatus[mail], sent_at: timeText(mailed_at), failure: mail_failure },
})
