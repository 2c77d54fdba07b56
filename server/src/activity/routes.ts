import { activity as api } from '@demarc/client'
import { ordersOfNumber } from '../port-orders/index.ts'
import { accountOf, partyOf } from '../platform/actor.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { shownEvent, shownTypes } from './rules.ts'
import { listActivity, type ActivityRow } from './store.ts'

export const activityRoutes: readonly Binding[] = [
  bind(api.listActivity, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const account_id = accountOf(context.actor)
    const { event_type, subject_type, subject_id, number } = query
    const types = shownTypes.filter((type) => event_type === undefined || type === event_type)
    const named =
      number === undefined
        ? undefined
        : { value: number, order_ids: await ordersOfNumber(context.tx, account_id, number) }
    const filter = { types, subject_type, subject_id, number: named }
    const rows = await listActivity(context.tx, account_id, filter, page.fetch)
    return { body: paged(self, page, rows.map(activityResource)) }
  }),
]

function activityResource({ id, occurred_at, actor, type, subject_type, subject_id, data }: ActivityRow) {
  const shown = shownEvent(type, data as Record<string, unknown>) // an object, as recordEvent was given
  const attributes = {
    occurred_at: occurred_at.toISOString(),
    event_type: type,
    subject_type,
    subject_id,
    by: partyOf(actor),
    ...shown,
  }
  return { type: 'activity' as const, id, attributes }
}
