import { operations } from '@demarc/client'
import { cnamIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Caller-ID names: asked for by the account holder, approved by the operator. */

const id = { summary: 'Id of the caller-ID name', complete: cnamIds }
const columns = ['id', 'value', 'is_approved', 'creation_datetime', 'approval_datetime', 'rejection_reason']
const value = { summary: 'The name, 1 to 15 characters; kept in upper case', value: 'name' }

const list = plain('list', operations.listCnams, {
  columns,
  fields: {
    value: { summary: 'Part of the name, any case' },
    is_approved: { summary: 'Approved ones, or the others' },
    is_rejected: { summary: 'Rejected ones, or the others' },
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
  question: (input) => `Delete the caller-ID name ${input.argument('cnam')}? Numbers that have it will have none.`,
  done: (input) => `Caller-ID name ${input.argument('cnam')} deleted.`,
  examples: ['cnam delete 12 --yes'],
})

const approve = plain('approve', operations.decideCnam, {
  summary: 'Approve a caller-ID name (operator)',
  description: '',
  arguments: { cnam_id: id },
  body: () => ({ is_approved: true }),
  examples: ['cnam approve 12'],
})

const reject = plain('reject', operations.decideCnam, {
  summary: 'Reject a caller-ID name (operator)',
  description: 'Rejecting an approved name withdraws it: numbers that used it have none any more.',
  arguments: { cnam_id: id },
  options: [{ name: 'reason', value: 'text', summary: 'Why; the account holder reads it', required: true }],
  body: (input) => ({ is_approved: false, rejection_reason: input.text('reason') }),
  examples: ['cnam reject 12 --reason "Not the name of your company."'],
})

export const cnam: Noun = {
  name: 'cnam',
  summary: 'Caller-ID names',
  verbs: [list, get, create, update, remove, approve, reject],
}
