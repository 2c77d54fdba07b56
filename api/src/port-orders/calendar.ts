import * as z from 'zod'
import { operation } from '../declare.ts'
import { timestamp } from '../shapes.ts'

/** The completion dates of port orders as a calendar that applications can subscribe to. */

const common = { feature: 'portorders', media: 'jsonapi', principals: ['account', 'operator'] } as const
const calendar = '/v2/portorders/calendar.ics'
const calendarLink = '/v2/portorders/calendar_link'

export const getPortOrderCalendar = operation({
  ...common,
  id: 'getPortOrderCalendar',
  summary: 'Get the completion dates of port orders as a calendar',
  description:
    'iCalendar (RFC 5545) with an all-day event for each order that has a completion date in the last 90 days or later. Use an access key, or the URL of the calendar link.',
  endpoint: `GET ${calendar}`,
  principals: ['account', 'operator', 'link'],
  query: z.object({ account: z.string().optional(), signature: z.string().optional() }),
  responses: { 200: { description: 'The calendar.', body: { bytes: ['text/calendar'] } } },
  problems: [],
})

const attributes = z.object({ created_at: timestamp })
const withUrl = attributes.extend({
  url: z.string().meta({ description: 'The URL that a calendar application subscribes to. It is shown only once.' }),
})
const linkDocument = <A extends z.ZodType>(shape: A) =>
  z.object({ data: z.object({ type: z.literal('portorder_calendar_link'), attributes: shape }) })

export const getPortOrderCalendarLink = operation({
  ...common,
  id: 'getPortOrderCalendarLink',
  summary: 'Get the calendar link, without its URL',
  endpoint: `GET ${calendarLink}`,
  responses: { 200: { description: 'The link, without its URL.', body: linkDocument(attributes) } },
  problems: ['not-found', 'invalid-input'],
})

export const createPortOrderCalendarLink = operation({
  ...common,
  id: 'createPortOrderCalendarLink',
  summary: 'Create a calendar link that needs no key',
  description: 'Replaces an earlier link, which stops working.',
  endpoint: `POST ${calendarLink}`,
  responses: { 201: { description: 'The link, with its URL.', body: linkDocument(withUrl) } },
  problems: ['invalid-input'],
})

export const revokePortOrderCalendarLink = operation({
  ...common,
  id: 'revokePortOrderCalendarLink',
  summary: 'Revoke the calendar link',
  endpoint: `DELETE ${calendarLink}`,
  responses: { 204: { description: 'Revoked.', body: null } },
  problems: ['not-found', 'invalid-input'],
})
