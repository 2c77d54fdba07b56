import * as z from 'zod'
import { accessKey, keyBody, newAccessKey } from '../accounts.ts'
import { operation } from '../declare.ts'
import { document, list, page } from '../shapes.ts'

/** Access keys of the selected account, managed by its members. Keys cannot create keys. */

const own = { feature: 'people', media: 'json', principals: ['manager'] } as const
export const listOwnKeys = operation({
  ...own,
  id: 'listOwnKeys',
  summary: 'List your account’s access keys',
  endpoint: 'GET /v2/keys',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'Keys without their secrets, oldest first.', body: list(accessKey) } },
})

export const createOwnKey = operation({
  ...own,
  id: 'createOwnKey',
  summary: 'Create an access key for your account',
  description:
    'The secret is returned once and stored only as a keyed hash. Without `scopes`, the key can read and write everything on the account.',
  endpoint: 'POST /v2/keys',
  body: keyBody,
  responses: { 201: { description: 'The key with its secret.', body: document(newAccessKey) } },
})

export const rotateOwnKey = operation({
  ...own,
  id: 'rotateOwnKey',
  summary: 'Replace an access key with a new one',
  description: 'The new key has the same name, scopes, and expiration. The old key works for another 24 hours.',
  endpoint: 'POST /v2/keys/{key_id}/rotate',
  responses: { 201: { description: 'The new key with its secret.', body: document(newAccessKey) } },
})

export const revokeOwnKey = operation({
  ...own,
  id: 'revokeOwnKey',
  summary: 'Revoke one of your account’s access keys',
  description: 'Takes effect in every process within a second.',
  endpoint: 'DELETE /v2/keys/{key_id}',
  responses: { 204: { description: 'Revoked.', body: null } },
})
