import { accounts as api, people } from '@demarc/client'
import { accountOf } from '../platform/actor.ts'
import { bind, link, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Deps } from '../platform/context.ts'
import { notFound, problem } from '../platform/problem.ts'
import { timeText } from '../platform/clock.ts'
import * as actions from './actions.ts'
import type { Authentication } from './authenticate.ts'
import * as store from './store.ts'

const accountPath = (id: string) => `/operator/accounts/${id}`

type Invalidation = Pick<Authentication, 'invalidate'>

export const accountRoutes =
  (authentication: Invalidation) =>
  (deps: Deps): Binding[] => [
    ...accountBindings(deps),
    ...keyBindings(deps, authentication),
    ...ownKeyBindings(deps, authentication),
    ...operatorKeyBindings(deps, authentication),
    bind(api.whoami, async ({ context: { actor } }) => {
      if (actor.kind === 'system' || actor.person) throw new Error('whoami needs a key')
      const { kind, account_id, access_key, scopes } = actor
      return { body: { data: { kind, account_id, access_key, scopes: [...scopes] } } }
    }),
  ]

function accountBindings(deps: Deps): Binding[] {
  const account = (row: store.AccountRow) => ({
    type: 'account' as const,
    id: row.id,
    attributes: {
      name: row.name,
      created_at: timeText(row.created_at),
      closed_at: timeText(row.closed_at),
      held_at: timeText(row.held_at),
      hold_reason: row.hold_reason,
      held_by: row.held_by,
    },
    links: { self: link(deps, accountPath(row.id)) },
  })
  return [
    bind(
      api.createAccount,
      async ({ context, body }) => {
        const data = account(await actions.createAccount(context, body.name))
        return { body: { data, links: data.links } }
      },
      {
        current: async ({ context }, id) => {
          const row = await store.findAccount(context.tx, context.actor, id)
          return row ? account(row).attributes : null
        },
      },
    ),
    bind(api.listAccounts, async ({ context, query, self }) => {
      const page = pageOf(query, 10)
      return {
        body: paged(
          self,
          page,
          (
            await store.listAccounts(context.tx, context.actor, {
              name: query.name,
              search: query.search,
              ...page.fetch,
            })
          ).map(account),
        ),
      }
    }),
    bind(api.getAccount, async ({ context, params }) => {
      const data = account(await actions.requireAccount(context, params.account_id))
      return { body: { data, links: data.links } }
    }),
  ]
}

/** A key as responses show it, with a link to it: by default the operator's link. */
const keyDocument =
  (deps: Deps, pathOf = (row: store.KeyRow) => `${accountPath(row.account_id)}/keys/${row.id}`) =>
  (row: store.KeyRow) => ({
    type: 'access_key' as const,
    id: row.id,
    attributes: {
      access_key: row.access_key,
      name: row.name,
      scopes: row.scopes,
      created_at: timeText(row.created_at),
      last_used_at: timeText(row.last_used_at),
      expires_at: timeText(row.expires_at),
      revoked_at: timeText(row.revoked_at),
    },
    links: { self: link(deps, pathOf(row)) },
  })

function keyBindings(deps: Deps, authentication: Invalidation): Binding[] {
  const key = keyDocument(deps)
  return [
    bind(api.getKey, async ({ context, params }) => {
      const row = await store.findKey(context.tx, params.account_id, params.key_id)
      if (!row) throw notFound(context.actor, `No key ${params.key_id}`)
      const data = key(row)
      return { body: { data, links: data.links } }
    }),
    bind(
      api.createKey,
      async ({ context, params, body }) => {
        const made = await actions.createKey(context, params.account_id, body)
        return { body: withSecret(key(made.key), made.secret_key) }
      },
      {
        current: async ({ context, params }, id) => {
          const row = await store.findKey(context.tx, params.account_id, id)
          return row ? key(row).attributes : null
        },
        check: async ({ context }, { expires_at }) => actions.expiryErrors(context, expires_at),
      },
    ),
    bind(api.listKeys, async ({ context, params, query, self }) => {
      await actions.requireAccount(context, params.account_id)
      const page = pageOf(query, 10)
      return { body: paged(self, page, (await store.listKeys(context.tx, params.account_id, page.fetch)).map(key)) }
    }),
    bind(api.rotateKey, async ({ context, params }) => {
      const made = await actions.rotateKey(context, params.account_id, params.key_id)
      return { body: withSecret(key(made.key), made.secret_key) }
    }),
    bind(api.revokeKey, async ({ context, params }) => {
      await actions.revokeKey(context, params.account_id, params.key_id, authentication.invalidate)
      return { body: undefined }
    }),
  ]
}

/** Keys of the account that the person acts for. */
function ownKeyBindings(deps: Deps, authentication: Invalidation): Binding[] {
  const key = keyDocument(deps, ({ id }) => `/v2/keys/${id}`)
  return [
    bind(people.listOwnKeys, async ({ context, query, self }) => {
      const page = pageOf(query, 100)
      const rows = await store.listKeys(context.tx, accountOf(context.actor), page.fetch)
      return { body: paged(self, page, rows.map(key)) }
    }),
    bind(
      people.createOwnKey,
      async ({ context, body }) => {
        const made = await actions.createKey(context, accountOf(context.actor), body)
        return { body: withSecret(key(made.key), made.secret_key) }
      },
      {
        current: async ({ context }, id) => {
          const row = await store.findKey(context.tx, accountOf(context.actor), id)
          return row ? key(row).attributes : null
        },
        check: async ({ context }, { expires_at }) => actions.expiryErrors(context, expires_at),
      },
    ),
    bind(people.rotateOwnKey, async ({ context, params }) => {
      const made = await actions.rotateKey(context, accountOf(context.actor), params.key_id)
      return { body: withSecret(key(made.key), made.secret_key) }
    }),
    bind(people.revokeOwnKey, async ({ context, params }) => {
      await actions.revokeKey(context, accountOf(context.actor), params.key_id, authentication.invalidate)
      return { body: undefined }
    }),
  ]
}

function operatorKeyBindings(deps: Deps, authentication: Invalidation): Binding[] {
  const operatorKey = ({ id, access_key, name, scopes, ...times }: store.OperatorKeyRow) => ({
    type: 'operator_key' as const,
    id,
    attributes: {
      access_key,
      name,
      scopes,
      created_at: timeText(times.created_at),
      last_used_at: timeText(times.last_used_at),
      revoked_at: timeText(times.revoked_at),
    },
    links: { self: link(deps, `/operator/keys/${id}`) },
  })
  return [
    bind(api.listOperatorKeys, async ({ context, query, self }) => {
      const page = pageOf(query, 10)
      return { body: paged(self, page, (await store.listOperatorKeys(context.tx, page.fetch)).map(operatorKey)) }
    }),
    bind(api.getOperatorKey, async ({ context, params }) => {
      const row = await store.findOperatorKey(context.tx, params.key_id)
      if (!row) throw problem('not-found', `There is no operator key ${params.key_id}.`)
      const data = operatorKey(row)
      return { body: { data, links: data.links } }
    }),
    bind(
      api.createOperatorKey,
      async ({ context, body }) => {
        const made = await actions.createOperatorKey(context, body.name, body.scopes)
        return { body: withSecret(operatorKey(made.key), made.secret_key) }
      },
      {
        current: async ({ context }, id) => {
          const row = await store.findOperatorKey(context.tx, id)
          return row ? operatorKey(row).attributes : null
        },
        check: async ({ context }, { name }) => actions.operatorKeyErrors(context, name),
      },
    ),
    bind(api.revokeOperatorKey, async ({ context, params }) => {
      await actions.revokeOperatorKey(context, params.key_id, authentication.invalidate)
      return { body: undefined }
    }),
  ]
}

/** The only response that contains a key's secret. */
const withSecret = <K extends { attributes: object; links: { self: string } }>(key: K, secret_key: string) => ({
  data: { ...key, attributes: { ...key.attributes, secret_key } },
  links: key.links,
})
