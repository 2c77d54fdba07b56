import type { WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { enqueue } from '../../platform/jobs.ts'
import { personActor } from '../sessions/actor.ts'
import type { PersonRow } from '../store.ts'
import * as store from './store.ts'

/** Mails the owner of an address which sign-ins its proof ended. The key is the person's id. */
export const addressProvenJob = 'mail-address-proven'

/**
 * Gives a person who has just proven their address the memberships that others got under it without proof. The passwords, second
 * factors, and sessions of those people end, because an inviter may have chosen them, and the owner of the address is told by mail.
 * `may_operate`: this proof is good enough for operator roles; otherwise the operator's staff is left alone.
 */
export async function takeOverAddress(
  c: WriteContext,
  person: Pick<PersonRow, 'id' | 'email'>,
  { may_operate, by_mail }: { may_operate: boolean; by_mail: boolean },
): Promise<void> {
  const claimants = await store.lockClaimantsForUpdate(c.tx, person.email)
  const ended = claimants.filter(({ account_id }) => account_id !== null || may_operate)
  if (ended.length === 0) return
  if (by_mail) await enqueue(c.tx, addressProvenJob, person.id, c.clock.now())
  const as = { ...c, actor: personActor(person.id) }
  for (const { id, account_id, role } of ended) {
    const moved = await store.moveMembership(c.tx, { id, account_id }, person.id)
    await store.deleteCredentials(c.tx, id)
    const about = (subject_id: string) => ({ subject_type: 'person', subject_id, data: { role } })
    await recordEvent(as, account_id, { type: 'membership.removed', ...about(id) })
    if (moved) await recordEvent(as, account_id, { type: 'membership.created', ...about(person.id) })
    await recordEvent(as, null, {
      type: 'person.superseded',
      subject_type: 'person',
      subject_id: id,
      data: { by: person.id },
    })
  }
}
