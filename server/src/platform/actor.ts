import { sql, type RawBuilder } from 'kysely'
import { scopeAllows, type Access, type Principal, type Feature } from '@demarc/client'
import { invalid } from './problem.ts'

/** Who acts, passed explicitly to everything that reads or writes. */
export type Actor =
  | { kind: 'account'; account_id: string; key_id: string; access_key: string; scopes: readonly string[] }
  /** The carrier's staff or systems; `account_id` when they act within one account. */
  | { kind: 'operator'; account_id: string | null; key_id: string; access_key: string }
  /** A job; `account_id` when it works for one account. */
  | { kind: 'system'; account_id: string | null; job: string }

/** The actor as events record it, without a secret. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'account') return `key:${actor.access_key}`
  return actor.kind === 'operator' ? `operator:${actor.access_key}` : `system:${actor.job}`
}

/** Whose doing an event was, by the actor that it records; without the key, because account holders must not see the operator's. */
export const partyOf = (actor_name: string): 'account' | 'operator' | 'system' =>
  actor_name.startsWith('key:') ? 'account' : actor_name.startsWith('operator:') ? 'operator' : 'system'

/** A job's actor. */
export const systemActor = (job: string, account_id: string | null): Actor => ({ kind: 'system', account_id, job })

/**
 * The tenant condition: rows of the actor's account, or all rows for an operator or job that is not within one.
 * Every query of an account-owned table has it. `column` is the account column, qualified if need be.
 */
export const visibleTo = (actor: Pick<Actor, 'account_id'>, column = 'account_id'): RawBuilder<boolean> =>
  actor.account_id === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${actor.account_id}`

/** The account that something new belongs to. An operator must say which. Throws 422. */
export function accountOf(actor: Actor): string {
  if (actor.account_id === null)
    throw invalid({ 'Demarc-Account': ['Is required: say in this header for which account you act.'] })
  return actor.account_id
}

/** Whether the actor may use an operation that is open to these principals. Pure; access keys also need the scope. */
export function isAuthorized(
  actor: Actor,
  principals: readonly Principal[],
  feature: Feature,
  access: Access,
): boolean {
  if (actor.kind === 'system') return false
  if (principals.includes('key')) return true
  if (actor.kind === 'operator') return principals.includes('operator')
  return principals.includes('account') && scopeAllows(actor.scopes, feature, access)
}

/** The same context, its actor within one account: for jobs and the operator's own tools. */
export const actIn = <C extends { actor: Actor }>(c: C, account_id: string): C => ({
  ...c,
  actor: c.actor.kind === 'account' ? c.actor : { ...c.actor, account_id },
})
