import { sql, type RawBuilder } from 'kysely'
import { operatorScopeAllows, roleAllows, scopeAllows, type Operation, type Role } from '@demarc/client'
import { invalid } from './problem.ts'

export interface SignedInPerson {
  id: string
  session_id: string
}

/** Who acts. Passed explicitly to everything that reads or writes. */
export type Actor =
  | {
      kind: 'account'
      account_id: string
      key_id: string
      access_key: string
      scopes: readonly string[]
      person?: undefined
    }
  | { kind: 'account'; account_id: string; person: SignedInPerson; role: Role }
  /** The carrier's staff or systems; `account_id` when acting within one account. */
  | {
      kind: 'operator'
      account_id: string | null
      key_id: string
      access_key: string
      scopes: readonly string[]
      person?: undefined
    }
  | { kind: 'operator'; account_id: string | null; person: SignedInPerson; role: Role }
  /** A signed-in person who acts for none of their accounts: sees only what is theirs. */
  | { kind: 'person'; account_id: typeof noAccount; person: SignedInPerson; role: null }
  /** A job; `account_id` when it works for one account. */
  | { kind: 'system'; account_id: string | null; job: string; person?: undefined }

/** An account id that owns nothing. */
export const noAccount = '-1'

/** The actor of operations that need no key. It sees nothing of any account. */
export const anonymous: Actor = { kind: 'system', account_id: noAccount, job: 'anyone' }

/** The actor as events record it: no secrets and no email addresses, because events are kept forever. */
export function actorName(actor: Actor): string {
  if (actor.person)
    return actor.kind === 'operator' ? `operator:person:${actor.person.id}` : `person:${actor.person.id}`
  if (actor.kind === 'account') return `key:${actor.access_key}`
  return actor.kind === 'operator' ? `operator:${actor.access_key}` : `system:${actor.job}`
}

/** Which party caused an event, by its recorded actor. Omits the key, because customers must not see the operator's. */
export const partyOf = (actor_name: string): 'account' | 'operator' | 'system' =>
  /^(key|person):/.test(actor_name) ? 'account' : actor_name.startsWith('operator:') ? 'operator' : 'system'

export const systemActor = (job: string, account_id: string | null): Actor => ({ kind: 'system', account_id, job })

/** The id of the person who caused an event; null for a key or a job. */
export const personOf = (actor_name: string): string | null =>
  /^(?:operator:)?person:(\d{1,18})$/.exec(actor_name)?.[1] ?? null

/**
 * The tenant condition: rows of the actor's account, or all rows for an operator or job that is not within one. Every query of
 * an account-owned table uses it. `column` is the account column, qualified if needed.
 */
export const visibleTo = (
  actor: { account_id: string | RawBuilder<string> | null },
  column = 'account_id',
): RawBuilder<boolean> =>
  actor.account_id === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${actor.account_id}`

/** The account that a new record belongs to. An operator must name it. Throws 422. */
export function accountOf(actor: Actor): string {
  if (actor.account_id === null)
    throw invalid({ 'Demarc-Account': ['Is required: the ID of the account you act for.'] })
  return actor.account_id
}

/** Whether the actor may use an operation. Pure. Its principals must include the actor; keys also need the scope, and people the role. */
export function isAuthorized(
  actor: Actor,
  {
    principals,
    feature,
    access,
    operator_scope,
  }: Pick<Operation, 'principals' | 'feature' | 'access' | 'operator_scope'>,
): boolean {
  if (actor.kind === 'system') return false
  if (actor.person) return roleAllows(actor.role, { principals, access })
  if (principals.includes('key')) return true
  if (actor.kind === 'operator')
    return principals.includes('operator') && operatorScopeAllows(actor.scopes, access, operator_scope)
  return principals.includes('account') && scopeAllows(actor.scopes, feature, access)
}

/** The same context with its actor within one account, for jobs and the operator's tools. */
export const actIn = <C extends { actor: Actor }>(c: C, account_id: string): C => ({
  ...c,
  actor: c.actor.kind === 'account' || c.actor.kind === 'person' ? c.actor : { ...c.actor, account_id },
})
