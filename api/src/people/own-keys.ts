import * as z from 'zod'
import { accessKey, keyBody, newAccessKey } from '../accounts.ts'
import { operation } from '../operation.ts'
import { document, list, page, pathId } from '../shapes.ts'

/** Access keys of the account that is seen, for its own people. Keys cannot make keys. */

const own = { feature: 'people', media: 'json', principals: ['manager'] } as const
const key_id = z.object({ key_id: pathId })

export const listOwnKeys = operation({
  ...own,
  id: 'listOwnKeys',
  summary: 'List the access keys of one’s account',
  method: 'GET',
  path: '/v2/keys',
  access: 'read',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'Keys, oldest first, never with their secrets.', body: list(accessKey) } },
  problems: ['invalid-input'],
  effect: 'read',
})

export const createOwnKey = operation({
  ...own,
  id: 'createOwnKey',
  summary: 'Make an access key for one’s account',
  description:
    'The secret is returned once and kept only as a keyed hash. Without `scopes` the key may read and write everything of the account.',
  method: 'POST',
  path: '/v2/keys',
  access: 'write',
  body: keyBody,
  responses: { 201: { description: 'The key with its secret.', body: document(newAccessKey) } },
  problems: ['invalid-input'],
  effect: 'transaction',
})

export const rotateOwnKey = operation({
  ...own,
  id: 'rotateOwnKey',
  summary: 'Replace an access key by a new one',
  description: 'The new key has the same name, scopes and expiry. The old one works for another 24 hours.',
  method: 'POST',
  path: '/v2/keys/{key_id}/rotate',
  access: 'write',
  params: key_id,
  responses: { 201: { description: 'The new key with its secret.', body: document(newAccessKey) } },
  problems: ['not-found'],
  effect: 'transaction',
})

export const revokeOwnKey = operation({
  ...own,
  id: 'revokeOwnKey',
  summary: 'Revoke an access key of one’s account',
  description: 'Takes effect at once in every process.',
  method: 'DELETE',
  path: '/v2/keys/{key_id}',
  access: 'write',
  params: key_id,
  responses: { 204: { description: 'Revoked.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
})
