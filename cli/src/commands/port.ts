import { operations, portOrders } from '@demarc/client'
import { portOrderIds } from '../complete-ids.ts'
import { orderFields } from './port/fields.ts'
import { plain, type FieldOption } from '../plain.ts'
import { documentVerbs } from './port/documents.ts'
import { checkPort } from './port/check.ts'
import { createPort } from './port/create.ts'
import { signPort } from './port/sign.ts'
import { watchPort } from './port/watch.ts'
import type { Noun, Verb } from '../verb.ts'
import { download } from '../files.ts'

/** Port orders: numbers ported from another carrier. */

const portorder_id = { name: 'order', summary: 'ID of the port order', complete: portOrderIds }

const status: FieldOption = {
  value: 'status',
  summary: 'Orders in this status',
  choices: portOrders.portOrderStatuses,
}

const list = plain('list', operations.listPortOrders, {
  columns: ['id', 'alias', 'status', 'numbers_count', 'next.who', 'next.due_at'],
  fields: { status },
  examples: ['port list', 'port list --status Rejected --json --fields id,alias,rejection'],
})

const get = plain('get', operations.getPortOrder, {
  arguments: { portorder_id },
  examples: ['port get 7', 'port get 7 --json --fields status,next'],
})

const statusOf = plain('status', operations.getPortOrderStatus, {
  arguments: { portorder_id },
  examples: ['port status 7'],
})

const group = plain('group', operations.getPortOrderGroup, {
  arguments: { group_id: { summary: 'ID of the group, from its orders' } },
  examples: ['port group 7'],
})

const update = plain('update', operations.updatePortOrder, {
  summary: 'Change the details or presets of a port order',
  description:
    'You can change details while the order is Pending or Rejected, and presets until it is final, but not both in one command. To cancel the order, use `port cancel`; to submit a rejected order again, `port resubmit`.',
  arguments: { portorder_id },
  like: operations.createPortOrder,
  without: ['numbers', 'dry_run'],
  fields: orderFields,
  examples: ['port update 7 --provider-account 4711-23', 'port update 7 --preset-primary-route 5'],
})

const cancel = plain('cancel', operations.cancelPortOrder, {
  arguments: { portorder_id },
  body: () => ({ data: { type: 'portorder', attributes: { status: 'cancelled' } } }),
  question: (input) => `Cancel the port order ${input.argument('order')}?`,
  examples: ['port cancel 7 --yes'],
})

const resubmit = plain('resubmit', operations.resubmitPortOrder, {
  arguments: { portorder_id },
  examples: ['port resubmit 7'],
})

const numbersOf = plain('change-numbers', operations.changePortOrderNumbers, {
  arguments: { portorder_id },
  fields: {
    add: { value: 'number', summary: 'Number to add to the order' },
    remove: { value: 'number', summary: 'Number to remove from the order' },
  },
  examples: ['port change-numbers 7 --add +12065550101 --remove +12065550102'],
})

const timeline = plain('timeline', operations.getPortOrderTimeline, {
  arguments: { portorder_id },
  columns: ['occurred_at', 'event_type', 'by', 'data'],
  examples: ['port timeline 7', 'port timeline 7 --ndjson'],
})

const completion = plain('completion', operations.previewCompletion, {
  arguments: { portorder_id },
  examples: ['port completion 7 --json'],
})

const comments = plain('comments', operations.listPortOrderComments, {
  arguments: { portorder_id },
  columns: ['created_at', 'author', 'text'],
  examples: ['port comments 7'],
})

const comment = plain('comment', operations.addPortOrderComment, {
  arguments: { portorder_id },
  fields: {
    text: { summary: 'Text of the comment' },
    private: { summary: 'Visible only to the operator; requires an operator key' },
  },
  examples: ['port comment 7 --text "The bill has the new address."'],
})

const loa = plain('loa', operations.getLoa, {
  arguments: { portorder_id },
  examples: ['port loa 7', 'port loa 7 --json'],
})

/** The calendar of completion dates, and the link by which applications read it. */

const calendar = download('calendar', operations.getPortOrderCalendar, {
  examples: ['port calendar -o ports.ics'],
})

const link = plain('calendar-link', operations.getPortOrderCalendarLink, { examples: ['port calendar-link'] })

const create = plain('create-calendar-link', operations.createPortOrderCalendarLink, {
  examples: ['port create-calendar-link'],
})

const revoke = plain('revoke-calendar-link', operations.revokePortOrderCalendarLink, {
  question: () => 'Revoke the calendar link?',
  done: () => 'The calendar link is revoked.',
  examples: ['port revoke-calendar-link --yes'],
})

const calendarVerbs: readonly Verb[] = [calendar, link, create, revoke]

export const port: Noun = {
  name: 'port',
  summary: 'Port orders: numbers ported from another carrier',
  verbs: [
    list,
    get,
    statusOf,
    group,
    update,
    cancel,
    resubmit,
    numbersOf,
    timeline,
    completion,
    comments,
    comment,
    loa,
    ...documentVerbs,
    ...calendarVerbs,
    checkPort,
    createPort,
    signPort,
    watchPort,
  ],
}
