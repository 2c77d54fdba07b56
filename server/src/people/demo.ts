import type { Role } from '@demarc/client'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { insertMembership } from './members/store.ts'
import { findPersonByEmail, insertPerson } from './store.ts'

/** A person of the demo cast, who signs in without a password. */
export interface DemoPerson {
  email: string
  name: string
  time_zone: string
  /** What this person demonstrates, in one sentence. */
  story: string
  /** Null for the operator's staff. */
  memberships: readonly { account_id: string | null; role: Role }[]
}

/** Adds a person to the demo cast unless they exist. */
export async function addDemoPerson(c: WriteContext, { story, memberships, ...person }: DemoPerson): Promise<void> {
  if (await findPersonByEmail(c.tx, person.email)) return
  const created_at = c.clock.now()
  const added = await insertPerson(c.tx, {
    ...person,
    // the cast's addresses are invented, and its people sign in without them
    email_proven_at: created_at,
    password_hash: null,
    created_at,
    demo_story: story,
  })
  if (!added) return
  for (const { account_id, role } of memberships) {
    await insertMembership(c.tx, { person_id: added.id, account_id, role, created_at })
    await recordEvent(c, account_id, {
      type: 'membership.created',
      subject_type: 'person',
      subject_id: added.id,
      data: { role },
    })
  }
}
