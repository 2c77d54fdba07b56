import { operations, portOrders } from '@demarc/client'
import { portOrderIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun, Verb } from '../verb.ts'

/** The operator's queue: port orders of all accounts, and the transitions the operator can make. */

const portorder_id = { name: 'order', summary: 'ID of the port order', complete: portOrderIds }

const list = plain('list', operations.listPortOrderQueue, {
  columns: [
    'id',
    'account_id',
    'account_name',
    'alias',
    'status',
    'numbers_count',
    'provider',
    'next.who',
    'next.what',
    'next.due_at',
  ],
  fields: {
    status: { value: 'status', summary: 'Orders in this status', choices: portOrders.portOrderStatuses },
    who: { value: 'who', summary: 'Orders waiting for this party' },
    overdue: { summary: 'Only overdue orders' },
  },
  examples: ['queue list', 'queue list --who operator --overdue true', 'queue list --status Processing --ids'],
})

const get = plain('get', operations.getQueuedPortOrder, {
  arguments: { portorder_id },
  examples: ['queue get 7'],
})

interface TransitionOptions {
  to: string
  summary: string
  /** Transition fields that are options. */
  fields?: readonly ('reason_code' | 'reason' | 'completion_date' | 'left_behind')[]
  examples: readonly string[]
  question?: string
}

const summaries = {
  reason_code: {
    option: 'code',
    value: 'code',
    summary: 'Code from the catalog or from the carrier (required)',
  },
  reason: { summary: 'Reason given by the carrier' },
  completion_date: { option: 'date', value: 'date', summary: 'Date agreed by the carrier, YYYY-MM-DD (required)' },
  left_behind: { value: 'number', summary: 'Number that was not ported' },
  comment: { summary: 'Comment for the customer' },
}

/** One verb per transition, with the options that the transition needs. */
function transition(name: string, { to, summary, fields = [], examples, question }: TransitionOptions): Verb {
  const all = ['to', 'reason_code', 'reason', 'completion_date', 'left_behind'] as const
  return plain(name, operations.transitionPortOrder, {
    summary,
    description: `The order becomes ${to}.`,
    arguments: { portorder_id },
    fields: summaries,
    without: all.filter((each) => !fields.some((field) => field === each)),
    members: { to },
    ...(question ? { question: (input) => `${question} order ${input.argument('order')}?` } : {}),
    examples,
  })
}

const submit = transition('submit', {
  to: 'Submitted',
  summary: 'Record that an order was sent to the losing carrier',
  examples: ['queue submit 7'],
})

const accept = transition('accept', {
  to: 'Accepted',
  summary: 'Record that the losing carrier agreed to a date',
  fields: ['completion_date'],
  examples: ['queue accept 7 --date 2026-12-01'],
})

const reject = transition('reject', {
  to: 'Rejected',
  summary: 'Record that the losing carrier rejected an order, and why',
  fields: ['reason_code', 'reason'],
  examples: ['queue reject 7 --code 7401 --reason "Account number does not match."'],
})

const complete = transition('complete', {
  to: 'Completed',
  summary: 'Record that the numbers were ported, and add them to the account',
  fields: ['left_behind'],
  examples: ['queue complete 7', 'queue complete 7 --left-behind +12065557002'],
})

const cancel = transition('cancel', {
  to: 'Canceled',
  summary: 'Cancel an order that has not been sent',
  question: 'Cancel',
  examples: ['queue cancel 7 --comment "Not portable." --yes'],
})

const hardCancel = transition('hard-cancel', {
  to: 'Hard_canceled',
  summary: 'Cancel an order that has been sent; a fee may apply',
  question: 'Cancel the sent',
  examples: ['queue hard-cancel 7 --yes'],
})

export const queue: Noun = {
  name: 'queue',
  summary: 'Port orders of all accounts, by next party and deadline',
  verbs: [list, get, submit, accept, reject, complete, cancel, hardCancel],
}
