import { operations } from '@demarc/client'
import { accountIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Accounts, for the operator. */

const account_id = { summary: 'Id of the account', complete: accountIds }
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

export const account: Noun = { name: 'account', summary: 'Accounts', verbs: [list, summary, get, create] }
