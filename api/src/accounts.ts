import { z } from 'zod'
import { operation, scopes } from './operation.ts'
import { document, id, list, page, pathId, queryText, resource, text, timestamp } from './shapes.ts'

/** Accounts and their access keys: the operator makes them, the account holder uses them. */

const accountAttributes = z.object({ name: z.string(), created_at: timestamp })
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

/** The secret is in this answer and nowhere else. */
export const newAccessKey = resource('access_key', keyAttributes.extend({ secret_key: z.string() })).meta({
  id: 'NewAccessKey',
})

const account_id = z.object({ account_id: pathId })

export const createAccount = operation({
  id: 'createAccount',
  feature: 'accounts',
  summary: 'Create an account',
  method: 'POST',
  path: '/operator/accounts',
  media: 'json',
  by: ['operator'],
  access: 'write',
  body: z.strictObject({ name: text(200).min(1) }),
  answers: { 201: { description: 'The account.', body: document(account) } },
  problems: ['invalid-input'],
  effect: 'transaction',
})

export const listAccounts = operation({
  id: 'listAccounts',
  feature: 'accounts',
  summary: 'List accounts',
  method: 'GET',
  path: '/operator/accounts',
  media: 'json',
  by: ['operator'],
  access: 'read',
  query: z.object({ ...page(10, 200), name: queryText }),
  answers: { 200: { description: 'Accounts, oldest first.', body: list(account) } },
  problems: ['invalid-input'],
  effect: 'read',
})

export const getAccount = operation({
  id: 'getAccount',
  feature: 'accounts',
  summary: 'Get one account',
  method: 'GET',
  path: '/operator/accounts/{account_id}',
  media: 'json',
  by: ['operator'],
  access: 'read',
  params: account_id,
  answers: { 200: { description: 'The account.', body: document(account) } },
  problems: ['not-found'],
  effect: 'read',
})

export const getKey = operation({
  id: 'getKey',
  feature: 'accounts',
  summary: 'Get one access key, without its secret',
  method: 'GET',
  path: '/operator/accounts/{account_id}/keys/{key_id}',
  media: 'json',
  by: ['operator'],
  access: 'read',
  params: z.object({ account_id: pathId, key_id: pathId }),
  answers: { 200: { description: 'The key.', body: document(accessKey) } },
  problems: ['not-found'],
  effect: 'read',
})

export const createKey = operation({
  id: 'createKey',
  feature: 'accounts',
  summary: 'Issue an access key',
  description:
    'The secret is answered once and kept only as a keyed hash. Without `scopes` the key may read and write everything of the account.',
  method: 'POST',
  path: '/operator/accounts/{account_id}/keys',
  media: 'json',
  by: ['operator'],
  access: 'write',
  params: account_id,
  body: z.strictObject({
    name: text(200).min(1),
    scopes: z
      .array(z.enum(scopes as [string, ...string[]]))
      .min(1)
      .max(scopes.length)
      .optional(),
    expires_at: z.iso
      .datetime({ offset: true, error: 'Must be a time in ISO 8601 with an offset, such as 2027-01-31T00:00:00Z.' })
      .nullish(),
  }),
  answers: { 201: { description: 'The key with its secret.', body: document(newAccessKey) } },
  problems: ['not-found', 'invalid-input'],
  effect: 'transaction',
})

export const listKeys = operation({
  id: 'listKeys',
  feature: 'accounts',
  summary: 'List the access keys of an account',
  method: 'GET',
  path: '/operator/accounts/{account_id}/keys',
  media: 'json',
  by: ['operator'],
  access: 'read',
  params: account_id,
  query: z.object(page(10, 200)),
  answers: { 200: { description: 'Keys, oldest first, never with their secrets.', body: list(accessKey) } },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})

export const revokeKey = operation({
  id: 'revokeKey',
  feature: 'accounts',
  summary: 'Revoke an access key',
  description: 'Takes effect at once in every process.',
  method: 'DELETE',
  path: '/operator/accounts/{account_id}/keys/{key_id}',
  media: 'json',
  by: ['operator'],
  access: 'write',
  params: z.object({ account_id: pathId, key_id: pathId }),
  answers: { 204: { description: 'Revoked.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
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
  summary: 'Say whose key this is',
  method: 'GET',
  path: '/v2/whoami',
  media: 'json',
  by: ['key'],
  access: 'read',
  answers: { 200: { description: 'The key in use.', body: z.object({ data: actor }) } },
  problems: [],
  effect: 'read',
})
