import { operations } from '@demarc/client'
import { accountIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Accounts, for the operator. */

const account_id = { summary: 'ID of the account', complete: accountIds }
const columns = ['id', 'name', 'created_at']

const list = plain('list', operations.listAccounts, {
  columns,
  fields: { name: { summary: 'Part of the name' }, search: { summary: 'Part of the name, or the ID' } },
  examples: ['account list', 'account list --name harbor --ids'],
})

const summary = plain('summary', operations.listAccountSummaries, {
  description: 'With --account, only that account.',
  columns: [
    'id',
    'name',
    'numbers_count',
    'open_port_orders_count',
    'waiting_port_orders_count',
    'people_count',
    'last_signed_in_at',
    'keys_count',
    'last_used_at',
  ],
  fields: { search: { summary: 'Part of the name, or the ID' } },
  examples: ['account summary --limit 50', 'account summary --search harbor'],
})

const get = plain('get', operations.getAccount, { arguments: { account_id }, examples: ['account get 1001'] })

const create = plain('create', operations.createAccount, {
  fields: { name: { summary: 'Name of the customer' } },
  existing: { list: operations.listAccounts, by: ['name'] },
  examples: ['account create --name "Harbor Dental"', 'account create --name "Harbor Dental" --if-not-exists'],
})

const close = plain('close', operations.closeAccount, {
  question: () => 'Close the account and revoke its keys?',
  examples: ['account close --account 1001'],
})

const reason = { summary: 'Why, for the audit log' }

const hold = plain('hold', operations.setLegalHold, {
  summary: 'Put an account under legal hold',
  members: { is_held: true },
  without: ['is_held'],
  fields: { reason },
  examples: ['account hold --account 1001 --reason "Subpoena 26-1234"'],
})

const lift = plain('lift-hold', operations.setLegalHold, {
  summary: 'Lift the legal hold of an account',
  description: 'From then on, data whose retention period has ended is deleted again.',
  members: { is_held: false },
  without: ['is_held'],
  fields: { reason },
  examples: ['account lift-hold --account 1001 --reason "Case closed"'],
})

const personalData = plain('personal-data', operations.getPersonalData, {
  examples: ['account personal-data --account 1001'],
})

const deletePersonalData = plain('delete-personal-data', operations.deletePersonalData, {
  fields: { confirm: { value: 'name', summary: 'The name of the account' } },
  question: () => 'Delete the account’s personal data for good?',
  examples: ['account delete-personal-data --account 1001 --confirm "Harbor Dental"'],
})

export const account: Noun = {
  name: 'account',
  summary: 'Accounts',
  verbs: [list, summary, get, create, close, hold, lift, personalData, deletePersonalData],
}
