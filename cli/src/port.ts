import { operations, portOrders } from '@demarc/client'
import { cnamIds, e911Ids, portOrderIds, routeIds } from './complete-ids.ts'
import { plain, type FieldOption } from './plain.ts'
import { documentVerbs } from './port-documents.ts'
import type { Noun } from './verb.ts'

/** Port orders: numbers that come from another carrier. */

const portorder_id = { name: 'order', summary: 'Id of the port order', complete: portOrderIds }

const status: FieldOption = {
  value: 'status',
  summary: 'Orders in this status',
  choices: portOrders.portOrderStatuses,
}

/** The details of an order, for every verb that takes them. */
export const orderFields: Readonly<Record<string, FieldOption>> = {
  numbers: { option: 'number', value: 'number', summary: 'A number to be ported, such as +12065550100' },
  billing_name: { summary: 'First and last name as on the bill of the losing carrier' },
  provider: { summary: 'The losing carrier' },
  street: { summary: 'Service address as on the bill' },
  usage_type: { value: 'type', summary: 'What the numbers are used for' },
  company: { summary: 'Company; required for Business' },
  provider_account: { summary: 'Account number at the losing carrier' },
  billing_number: { summary: 'Telephone number that is billed for the account' },
  pin: { summary: 'PIN of the account at the losing carrier' },
  last_4_ssn: { summary: 'Last four digits of the social security number' },
  desired_completion_date: { value: 'date', summary: 'A business day within 30 days, YYYY-MM-DD' },
  enable_cnam_lookups: { summary: 'Look up the names of callers to the numbers' },
  status_url: { value: 'url', summary: 'Is notified of every change of status' },
  alias: { summary: 'Your name for the order' },
  'loa_details.email': { option: 'loa-email', summary: 'E-mail address for the Letter of Agency' },
  'loa_details.cc': { option: 'loa-cc', summary: 'Further e-mail addresses for it' },
  'presets.alias': { option: 'preset-alias', summary: 'Alias that the numbers get' },
  'presets.cnam_id': { option: 'preset-cnam', summary: 'Caller-ID name that they get', complete: cnamIds },
  'presets.e911_id': { option: 'preset-e911', summary: 'Emergency address that they get', complete: e911Ids },
  'presets.primary_route_id': { option: 'preset-primary-route', summary: 'Their voice route', complete: routeIds },
  'presets.failover_route_id': {
    option: 'preset-failover-route',
    summary: 'Their failover voice route',
    complete: routeIds,
  },
}

const list = plain('list', operations.listPortOrders, {
  columns: ['id', 'alias', 'status', 'numbers_count', 'provider', 'completion_date', 'next.who', 'next.due_at'],
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
  arguments: { group_id: { summary: 'Id of the group, as the orders have it' } },
  examples: ['port group 7'],
})

const update = plain('update', operations.updatePortOrder, {
  summary: 'Change the details or the presets of a port order',
  description:
    'Details while it is Pending or Rejected, presets until it is final; not both at once. `port cancel` cancels it, `port resubmit` sends a rejected one again.',
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
    add: { value: 'number', summary: 'A number that joins the order' },
    remove: { value: 'number', summary: 'A number that leaves it' },
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
    text: { summary: 'What to say' },
    private: { summary: 'Seen by the operator only; an operator key writes such' },
  },
  examples: ['port comment 7 --text "The bill has the new address."'],
})

const loa = plain('loa', operations.getLoa, {
  arguments: { portorder_id },
  examples: ['port loa 7', 'port loa 7 --json'],
})

export const port: Noun = {
  name: 'port',
  summary: 'Port orders: numbers that come from another carrier',
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
  ],
}
