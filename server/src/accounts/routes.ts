import { accounts as api } from '@demarc/client'
import { bind, type Binding, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Deps } from '../platform/context.ts'
import { notFound } from '../platform/problem.ts'
import * as actions from './actions.ts'
import type { Authentication } from './authenticate.ts'
import { accountResource, documentOf, documentWithSecret, keyResource, operatorKeyResource } from './document.ts'
import * as store from './store.ts'

type Invalidate = Authentication['invalidate']

export const accountRoutes =
  ({ invalidate }: { invalidate: Invalidate }): Routes =>
  (deps) => [
    ...accountBindings(deps),
    ...keyBindings(deps, invalidate),
    ...operatorKeyBindings(deps, invalidate),
    bind(api.whoami, async ({ context: { actor } }) => {
      if (actor.kind === 'system') throw new Error('whoami needs a key')
      const { kind, account_id, access_key } = actor
      const scopes = actor.kind === 'account' ? [...actor.scopes] : ['read', 'write']
      return { body: { data: { kind, account_id, access_key, scopes } } }
    }),
  ]

const accountBindings = (deps: Deps): Binding[] => [
  bind(
    api.createAccount,
    async ({ context, body }) => ({
      body: documentOf(accountResource(deps, await actions.createAccount(context, body.name))),
    }),
    {
      current: async ({ context }, id) => {
        const row = await store.findAccount(context.tx, context.actor, id)
        return row ? accountResource(deps, row).attributes : null
      },
    },
  ),
  bind(api.listAccounts, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const rows = await store.listAccounts(context.tx, context.actor, { name: query.name, ...page.fetch })
    const data = rows.map((row) => accountResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(api.getAccount, async ({ context, params }) => ({
    body: documentOf(accountResource(deps, await actions.requireAccount(context, params.account_id))),
  })),
]

const keyBindings = (deps: Deps, invalidate: Invalidate): Binding[] => [
  bind(api.getKey, async ({ context, params }) => {
    const row = await store.findKey(context.tx, params.account_id, params.key_id)
    if (!row) throw notFound(`No key ${params.key_id}`)
    return { body: documentOf(keyResource(deps, row)) }
  }),
  bind(
    api.createKey,
    async ({ context, params, body }) => {
      const { key, secret_key } = await actions.createKey(context, params.account_id, body)
      return { body: documentWithSecret(keyResource(deps, key), secret_key) }
    },
    {
      current: async ({ context, params }, id) => {
        const row = await store.findKey(context.tx, params.account_id, id)
        return row ? keyResource(deps, row).attributes : null
      },
      check: async ({ context }, { expires_at }) => actions.expiryErrors(context, expires_at),
    },
  ),
  bind(api.listKeys, async ({ context, params, query, self }) => {
    await actions.requireAccount(context, params.account_id)
    const page = pageOf(query, 10)
    const rows = await store.listKeys(context.tx, params.account_id, page.fetch)
    const data = rows.map((row) => keyResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(api.revokeKey, async ({ context, params }) => {
    await actions.revokeKey(context, params.account_id, params.key_id, invalidate)
    return { body: undefined }
  }),
]

const operatorKeyBindings = (deps: Deps, invalidate: Invalidate): Binding[] => [
  bind(api.listOperatorKeys, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const rows = await store.listOperatorKeys(context.tx, page.fetch)
    const data = rows.map((row) => operatorKeyResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(api.getOperatorKey, async ({ context, params }) => {
    const row = await store.findOperatorKey(context.tx, params.key_id)
    if (!row) throw notFound(`No operator key ${params.key_id}`)
    return { body: documentOf(operatorKeyResource(deps, row)) }
  }),
  bind(
    api.createOperatorKey,
    async ({ context, body }) => {
      const { key, secret_key } = await actions.createOperatorKey(context, body.name)
      return { body: documentWithSecret(operatorKeyResource(deps, key), secret_key) }
    },
    {
      current: async ({ context }, id) => {
        const row = await store.findOperatorKey(context.tx, id)
        return row ? operatorKeyResource(deps, row).attributes : null
      },
      check: async ({ context }, { name }) => actions.operatorKeyErrors(context, name),
    },
  ),
  bind(api.revokeOperatorKey, async ({ context, params }) => {
    await actions.revokeOperatorKey(context, params.key_id, invalidate)
    return { body: undefined }
  }),
]
