import { operations } from '@demarc/client'
import { keyIds, operatorKeyIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Access keys: those of the account in --account, and the operator's own. */

const columns = ['id', 'access_key', 'name', 'scopes', 'last_used_at', 'expires_at', 'revoked_at']
const key_id = { summary: 'ID of the key', complete: keyIds }
const question = (input: { argument(name: string): string }) =>
  `Revoke the key ${input.argument('key')}? It stops working immediately.`
const done = (input: { argument(name: string): string }) => `Key ${input.argument('key')} revoked.`

const list = plain('list', operations.listKeys, { columns, examples: ['key list --account 1001'] })

const get = plain('get', operations.getKey, { arguments: { key_id }, examples: ['key get 5 --account 1001'] })

const create = plain('create', operations.createKey, {
  description: 'The secret is shown once. Without scopes, the key can read and write everything on the account.',
  fields: {
    name: { summary: 'Purpose of the key' },
    scopes: { option: 'scope', value: 'scope', summary: 'Scope of the key, such as read, write, or numbers:read' },
    expires_at: { value: 'time', summary: 'Expiration time, ISO 8601 with an offset' },
  },
  examples: [
    'key create --account 1001 --name "Nightly export" --scope cdrs:write',
    'key create --account 1001 --name CI --expires-at 2027-01-31T00:00:00Z --json',
  ],
})

const rotate = plain('rotate', operations.rotateKey, {
  arguments: { key_id },
  examples: ['key rotate 5 --account 1001'],
})

const revoke = plain('revoke', operations.revokeKey, {
  arguments: { key_id },
  question,
  done,
  examples: ['key revoke 5 --account 1001 --yes'],
})

export const key: Noun = {
  name: 'key',
  summary: 'Access keys for accounts',
  verbs: [list, get, create, rotate, revoke],
}

const operator_key_id = { ...key_id, complete: operatorKeyIds }

export const operatorKey: Noun = {
  name: 'operator-key',
  summary: 'Operator keys',
  verbs: [
    plain('list', operations.listOperatorKeys, {
      columns: columns.filter((name) => name !== 'expires_at'),
      examples: ['operator-key list'],
    }),
    plain('get', operations.getOperatorKey, {
      arguments: { key_id: operator_key_id },
      examples: ['operator-key get 1'],
    }),
    plain('create', operations.createOperatorKey, {
      fields: {
        name: { summary: 'Purpose of the key' },
        scopes: { option: 'scope', value: 'scope', summary: 'Scope of the key' },
      },
      examples: [
        'operator-key create --name "Night shift"',
        'operator-key create --name Prometheus --scope metrics:read',
      ],
    }),
    plain('revoke', operations.revokeOperatorKey, {
      arguments: { key_id: operator_key_id },
      question,
      done,
      examples: ['operator-key revoke 2 --yes'],
    }),
  ],
}
