import { portOrders as api } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import { toSecond } from '../rules.ts'
import { calendarText, createLink, requireLink, revokeLink } from './actions.ts'

const linkDocument = <A extends object>(created_at: Date, attributes: A) => ({
  data: { type: 'portorder_calendar_link' as const, attributes: { created_at: toSecond(created_at), ...attributes } },
})

export const calendarRoutes = (): Binding[] => [
  bind(api.getPortOrderCalendar, async ({ context, query }) => ({
    stream: await calendarText(context, query),
    content_type: 'text/calendar; charset=utf-8',
    headers: { 'cache-control': 'private, no-store', 'content-disposition': 'inline; filename="port-orders.ics"' },
  })),
  bind(api.getPortOrderCalendarLink, async ({ context }) => ({
    body: linkDocument((await requireLink(context)).created_at, {}),
  })),
  bind(api.createPortOrderCalendarLink, async ({ context }) => {
    const { url, created_at } = await createLink(context)
    return { body: linkDocument(created_at, { url }) }
  }),
  bind(api.revokePortOrderCalendarLink, async ({ context }) => {
    await revokeLink(context)
    return { body: undefined }
  }),
]
