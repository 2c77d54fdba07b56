import * as z from 'zod'
import { envelope } from './envelope.ts'
import { operation } from './declare.ts'
import { operatorScopes, scopes } from './operation.ts'
import { document, id, line, list, page, queryText, resource, timestamp } from './shapes.ts'

/** Accounts, their access keys, and the operator's keys. */

const accountAttributes = z.object({
  name: z.string(),
  created_at: timestamp,
  closed_at: timestamp.nullable(),
  held_at: timestamp.nullable().meta({ description: 'When the legal hold was set; null without one.' }),
  hold_reason: z.string().nullable(),
  held_by: z.string().nullable().meta({ description: 'Who set it, as in the audit log.' }),
})
export const account = resource('account', accountAttributes).meta({ id: 'Account' })

const keyAttributes = z.object({
  access_key: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})
export const accessKey = resource('access_key', keyAttributes).meta({ id: 'AccessKey' })

/** Only this response contains the secret. */
export const newAccessKey = resource('access_key', keyAttributes.extend({ secret_key: z.string() })).meta({
  id: 'NewAccessKey',
})

const operatorKeyAttributes = keyAttributes.omit({ expires_at: true })
export const operatorKey = resource('operator_key', operatorKeyAttributes).meta({ id: 'OperatorKey' })

/** Only this response contains the secret. */
export const newOperatorKey = resource('operator_key', operatorKeyAttributes.extend({ secret_key: z.string() })).meta({
  id: 'NewOperatorKey',
})

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const
const nameBody = z.strictObject({ name: line(200).min(1) })
const keyName = nameBody.shape.name.meta({ examples: ['Billing exports'] })

/** The body for a new access key. */
export const keyBody = envelope(
  'access_key',
  z.strictObject({
    name: keyName,
    scopes: z
      .array(z.enum(scopes as [string, ...string[]]))
      .min(1)
      .max(scopes.length)
      .optional(),
    expires_at: z.iso
      .datetime({ offset: true, error: 'Must be an ISO 8601 time with an offset, such as 2027-01-31T00:00:00Z.' })
      .nullish(),
  }),
  { flat: true, shows: keyAttributes },
)

const operatorKeyBody = envelope(
  'operator_key',
  z.strictObject({
    name: keyName,
    scopes: z.array(z.enum(operatorScopes)).min(1).max(operatorScopes.length).optional(),
  }),
  { flat: true, shows: operatorKeyAttributes },
)

export const createAccount = operation({
  ...common,
  id: 'createAccount',
  summary: 'Create an account',
  endpoint: 'POST /operator/accounts',
  body: envelope('account', nameBody, { flat: true, shows: accountAttributes }),
  responses: { 201: { description: 'The account.', body: document(account) } },
})

export const listAccounts = operation({
  ...common,
  id: 'listAccounts',
  summary: 'List accounts',
  endpoint: 'GET /operator/accounts',
  query: z.object({
    ...page(10, 200),
    name: queryText,
    search: queryText.meta({ description: 'Part of the name, or the ID.' }),
  }),
  responses: { 200: { description: 'Accounts, oldest first.', body: list(account) } },
})

export const getAccount = operation({
  ...common,
  id: 'getAccount',
  summary: 'Get one account',
  endpoint: 'GET /operator/accounts/{account_id}',
  responses: { 200: { description: 'The account.', body: document(account) } },
})

export const getKey = operation({
  ...common,
  id: 'getKey',
  summary: 'Get one access key, without its secret',
  endpoint: 'GET /operator/accounts/{account_id}/keys/{key_id}',
  responses: { 200: { description: 'The key.', body: document(accessKey) } },
})

export const createKey = operation({
  ...common,
  id: 'createKey',
  summary: 'Issue an access key',
  description:
    'The secret is returned once and stored only as a keyed hash. Without `scopes`, the key can read and write everything on the account.',
  endpoint: 'POST /operator/accounts/{account_id}/keys',
  body: keyBody,
  responses: { 201: { description: 'The key with its secret.', body: document(newAccessKey) } },
})

export const listKeys = operation({
  ...common,
  id: 'listKeys',
  summary: 'List the access keys of an account',
  endpoint: 'GET /operator/accounts/{account_id}/keys',
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Keys without their secrets, oldest first.', body: list(accessKey) } },
})

export const revokeKey = operation({
  ...common,
  id: 'revokeKey',
  summary: 'Revoke an access key',
  description: 'Takes effect in every process within a second.',
  endpoint: 'DELETE /operator/accounts/{account_id}/keys/{key_id}',
  responses: { 204: { description: 'Revoked.', body: null } },
})

export const rotateKey = operation({
  ...common,
  id: 'rotateKey',
  summary: 'Replace an access key',
  description:
    'Issues a key with the same name, scopes, and expiration. The old key works for another 24 hours, which gives you time to update each program.',
  endpoint: 'POST /operator/accounts/{account_id}/keys/{key_id}/rotate',
  responses: { 201: { description: 'The new key with its secret.', body: document(newAccessKey) } },
})

export const listOperatorKeys = operation({
  ...common,
  id: 'listOperatorKeys',
  summary: 'List the operator’s keys',
  endpoint: 'GET /operator/keys',
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Keys without their secrets, oldest first.', body: list(operatorKey) } },
})

export const getOperatorKey = operation({
  ...common,
  id: 'getOperatorKey',
  summary: 'Get one operator key, without its secret',
  endpoint: 'GET /operator/keys/{key_id}',
  responses: { 200: { description: 'The key.', body: document(operatorKey) } },
})

export const createOperatorKey = operation({
  ...common,
  id: 'createOperatorKey',
  summary: 'Issue an operator key',
  description:
    'The secret is returned once and stored only as a keyed hash. Without `scopes`, the key has full access to all accounts.',
  endpoint: 'POST /operator/keys',
  body: operatorKeyBody,
  responses: { 201: { description: 'The key with its secret.', body: document(newOperatorKey) } },
})

export const revokeOperatorKey = operation({
  ...common,
  id: 'revokeOperatorKey',
  summary: 'Revoke an operator key',
  description:
    'Takes effect in every process within a second, including for the key that makes the request. The last active key with full access cannot be revoked; issue another one first.',
  endpoint: 'DELETE /operator/keys/{key_id}',
  responses: { 204: { description: 'Revoked.', body: null } },
  problems: ['not-found', 'conflict'],
})

const actor = z.object({
  kind: z.enum(['account', 'operator']),
  account_id: id.nullable(),
  access_key: z.string(),
  scopes: z.array(z.string()),
})

export const whoami = operation({
  id: 'whoami',
  feature: 'accounts',
  summary: 'Show which key is in use',
  endpoint: 'GET /v2/whoami',
  media: 'json',
  principals: ['key'],
  responses: { 200: { description: 'The key in use.', body: z.object({ data: actor }) } },
})
