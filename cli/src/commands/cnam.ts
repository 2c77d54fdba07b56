import { operations } from '@demarc/client'
import { cnamIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Caller ID names: requested by customers, approved by the operator. */

const id = { summary: 'ID of the caller ID name', complete: cnamIds }
const columns = ['id', 'value', 'is_approved', 'creation_datetime', 'approval_datetime', 'rejection_reason']
const value = { summary: 'The name, 1 to 15 characters; stored in upper case', value: 'name' }

const list = plain('list', operations.listCnams, {
  columns,
  fields: {
    value: { summary: 'Part of the name, any case' },
    is_approved: { summary: 'Only approved names, or only unapproved names' },
    is_rejected: { summary: 'Only rejected names, or all others' },
  },
  examples: ['cnam list', 'cnam list --is-approved false --is-rejected false --ids'],
})

const get = plain('get', operations.getCnam, { arguments: { cnam_id: id }, examples: ['cnam get 12'] })

const create = plain('create', operations.createCnam, {
  fields: { value },
  existing: { list: operations.listCnams, by: ['value'] },
  examples: ['cnam create --value "ACME CO"', 'cnam create --value "ACME CO" --if-not-exists'],
})

const update = plain('update', operations.updateCnam, {
  arguments: { cnam_id: id },
  fields: { value },
  examples: ['cnam update 12 --value "ACME INC"'],
})

const remove = plain('delete', operations.deleteCnam, {
  arguments: { cnam_id: id },
  question: (input) =>
    `Delete the caller ID name ${input.argument('cnam')}? Numbers that use it will have no caller ID name.`,
  done: (input) => `Caller ID name ${input.argument('cnam')} deleted.`,
  examples: ['cnam delete 12 --yes'],
})

const approve = plain('approve', operations.decideCnam, {
  summary: 'Approve a caller ID name (operator)',
  description: '',
  arguments: { cnam_id: id },
  body: () => ({ is_approved: true }),
  examples: ['cnam approve 12'],
})

const reject = plain('reject', operations.decideCnam, {
  summary: 'Reject a caller ID name (operator)',
  description: 'Rejecting an approved name withdraws it; numbers that used it no longer have a caller ID name.',
  arguments: { cnam_id: id },
  options: [{ name: 'reason', value: 'text', summary: 'Reason, shown to the customer', required: true }],
  body: (input) => ({ is_approved: false, rejection_reason: input.text('reason') }),
  examples: ['cnam reject 12 --reason "Not the name of your company."'],
})

export const cnam: Noun = {
  name: 'cnam',
  summary: 'Caller ID names',
  verbs: [list, get, create, update, remove, approve, reject],
}
