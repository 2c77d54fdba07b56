import { link } from '../platform/http/binding.ts'
import type * as store from './store.ts'

/** How accounts and keys are written in responses. */

interface Base {
  public_url: string
}

const accountPath = (id: string) => `/operator/accounts/${id}`

export const accountResource = (deps: Base, row: store.AccountRow) => ({
  type: 'account' as const,
  id: row.id,
  attributes: { name: row.name, created_at: row.created_at.toISOString() },
  links: { self: link(deps, accountPath(row.id)) },
})

export const keyResource = (deps: Base, row: store.KeyRow) => ({
  type: 'access_key' as const,
  id: row.id,
  attributes: {
    access_key: row.access_key,
    name: row.name,
    scopes: row.scopes,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  },
  links: { self: link(deps, `${accountPath(row.account_id)}/keys/${row.id}`) },
})

export const operatorKeyResource = (deps: Base, { id, access_key, name, ...times }: store.OperatorKeyRow) => ({
  type: 'operator_key' as const,
  id,
  attributes: {
    access_key,
    name,
    created_at: times.created_at.toISOString(),
    last_used_at: times.last_used_at?.toISOString() ?? null,
    revoked_at: times.revoked_at?.toISOString() ?? null,
  },
  links: { self: link(deps, `/operator/keys/${id}`) },
})

export const documentOf = <R extends { links: { self: string } }>(data: R) => ({ data, links: data.links })

/** The only response that contains the secret of a key. */
export const documentWithSecret = <K extends { attributes: object; links: { self: string } }>(
  key: K,
  secret_key: string,
) => documentOf({ ...key, attributes: { ...key.attributes, secret_key } })
