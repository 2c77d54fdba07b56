import { numberOrders, operations } from '@demarc/client'
import { numberOrderIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Orders of many numbers. */

const columns = ['id', 'status', 'ordered_count', 'missing_count', 'setup_cost', 'monthly_cost', 'created_at']

const create = plain('create', operations.createNumberOrder, {
  fields: {
    numbers: { summary: 'Number to order; repeat the option for more' },
    filters: { summary: 'Filters for --quantity, as JSON: {"state": "WA"}' },
    presets: { summary: 'Settings of the numbers, as JSON: {"alias": "Sales"}' },
  },
  examples: [
    'number-order create --numbers 12065550150 --numbers 12065550151',
    `number-order create --quantity 5 --filters '{"rate_center": "SEATTLE"}' --mode all_or_none`,
  ],
})

const list = plain('list', operations.listNumberOrders, { columns, examples: ['number-order list --status partial'] })

const numberorder_id = { name: 'numberorder', summary: 'ID of the order', complete: numberOrderIds }

const get = plain('get', operations.getNumberOrder, {
  arguments: { numberorder_id },
  examples: ['number-order get 3'],
})

const cancel = plain('cancel', operations.cancelNumberOrder, {
  arguments: { numberorder_id },
  question: ({ argument }) => `Cancel number order ${argument('numberorder')}?`,
  examples: ['number-order cancel 3'],
})

const queue = plain('queue', operations.listNumberOrdersAsOperator, {
  summary: 'List number orders of all accounts (operator)',
  columns: ['id', 'account_id', ...columns.slice(1)],
  fields: { status: { choices: numberOrders.numberOrderStatuses } },
  examples: ['number-order queue --status pending_approval'],
})

const approve = plain('approve', operations.approveNumberOrder, {
  summary: 'Approve a number order (operator)',
  arguments: { numberorder_id },
  examples: ['number-order approve 3'],
})

const reject = plain('reject', operations.rejectNumberOrder, {
  summary: 'Reject a number order (operator)',
  arguments: { numberorder_id },
  examples: ['number-order reject 3 --reason "Call us about your credit limit."'],
})

export const numberOrder: Noun = {
  name: 'number-order',
  summary: 'Orders of many numbers',
  verbs: [create, list, get, cancel, queue, approve, reject],
}
