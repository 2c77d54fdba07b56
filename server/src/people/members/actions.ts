import type { Role } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { problem, throwIfInvalid } from '../../platform/problem.ts'
import { isLeading, roleErrors } from '../rules.ts'
import { endSessions } from '../sessions/store.ts'
import { membershipsOf } from '../store.ts'
import * as store from './store.ts'

const noSuchPerson = (id: string) => problem('not-found', `There is no person ${id}.`)

/** A person of the actor's account or of the operator. Throws 404. */
export async function requireMember(c: Context, person_id: string): Promise<store.Member> {
  const member = await store.findMember(c.tx, c.actor.account_id, person_id)
  if (!member) throw noSuchPerson(person_id)
  return member
}

/** Changes a person's role from their next request on. Throws 404, and 409 for the last owner or operator. */
export async function changeRole(c: WriteContext, person_id: string, role: Role): Promise<store.Member> {
  const { account_id } = c.actor
  throwIfInvalid(roleErrors(account_id, role))
  const before = await roleToLeave(c, person_id, role)
  await store.updateRole(c.tx, account_id, person_id, role)
  const member = await requireMember(c, person_id)
  if (before !== role) await recordRights(c, 'membership.changed', person_id, { from: before, to: role })
  return member
}

/**
 * Removes a person. If they belong to nothing else, all their sessions end. Throws 404, and 409 for the last owner or operator.
 */
export async function removePerson(c: WriteContext, person_id: string): Promise<void> {
  const { account_id } = c.actor
  const role = await roleToLeave(c, person_id, null)
  await store.deleteMembership(c.tx, account_id, person_id)
  if ((await membershipsOf(c.tx, person_id)).length === 0) await endSessions(c.tx, person_id, 'all')
  await recordRights(c, 'membership.removed', person_id, { role })
}

/** Records a change of a person's rights in the chain of the account or the operator. */
export const recordRights = (c: WriteContext, type: string, person_id: string, data: Record<string, unknown>) =>
  recordEvent(c, c.actor.account_id, { type, subject_type: 'person', subject_id: person_id, data })

/** The person's current role. All roles are locked: two owners who remove each other at the same time must not leave none. */
async function roleToLeave(c: WriteContext, person_id: string, next: Role | null): Promise<Role> {
  const roles = await store.lockRolesForUpdate(c.tx, c.actor.account_id)
  const role = roles.get(person_id)
  if (role === undefined) throw noSuchPerson(person_id)
  const leading = [...roles.values()].filter(isLeading)
  const leaves_none = isLeading(role) && leading.length === 1 && (next === null || !isLeading(next))
  if (leaves_none)
    throw problem(
      'conflict',
      `This is the last ${role}. Without one, no one could grant rights. Make someone else ${role} first.`,
    )
  return role
}
