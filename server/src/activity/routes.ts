import { activity as api } from '@demarc/client'
import { cnamNames } from '../cnam/index.ts'
import { addressNames } from '../e911/index.ts'
import { ordersOfNumber } from '../port-orders/index.ts'
import { defaultVoiceRouteId, voiceRouteNames } from '../voice-routes/index.ts'
import { accountOf, partyOf } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { timeText } from '../platform/clock.ts'
import { idsSet, shownEvent, shownTypes } from './rules.ts'
import type { NameOf } from './sentences.ts'
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
    const nameOf = await namesIn(context.tx, account_id, rows)
    return {
      body: paged(
        self,
        page,
        rows.map((row) => activityResource(row, nameOf)),
      ),
    }
  }),
]

const routeColumns = ['primary_route_id', 'failover_route_id']

/** Names of the records that a page's events refer to, in three statements at most. */
async function namesIn(db: Executor, account_id: string, rows: readonly ActivityRow[]): Promise<NameOf> {
  const events = rows.map(factsOf)
  // sequentially: a transaction has one connection
  const routes = await voiceRouteNames(db, account_id, idsSet(events, routeColumns))
  const cnams = await cnamNames(db, account_id, idsSet(events, ['cnam_id']))
  const addresses = await addressNames(db, account_id, idsSet(events, ['e911_id']))
  return (column, id) => {
    if (column === 'cnam_id') return cnams.get(id) ?? null
    if (column === 'e911_id') return addresses.get(id) ?? null
    if (!routeColumns.includes(column)) return null
    return id === defaultVoiceRouteId ? 'Default' : (routes.get(id) ?? null)
  }
}

/** An event's data is the object that recordEvent received. */
const factsOf = ({ data }: ActivityRow) => data as Record<string, unknown>

function activityResource(row: ActivityRow, nameOf: NameOf) {
  const { id, occurred_at, actor, type, subject_type, subject_id } = row
  const shown = shownEvent(type, factsOf(row), nameOf)
  const attributes = {
    occurred_at: timeText(occurred_at),
    event_type: type,
    subject_type,
    subject_id,
    by: partyOf(actor),
    ...shown,
  }
  return { type: 'activity' as const, id, attributes }
}
