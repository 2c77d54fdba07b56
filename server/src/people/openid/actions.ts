import type { OpenIdRefusal } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { SealError } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { join } from '../invitations/actions.ts'
import { endInvitation, listInvitationsOf } from '../invitations/store.ts'
import { personActor } from '../sessions/actor.ts'
import { beginIn } from '../sign-in/actions.ts'
import { findPerson, findPersonByEmail, insertPerson, membershipsOf, type PersonRow } from '../store.ts'
import type { Asked, Claims } from './provider.ts'
import * as store from './store.ts'

const sealContext = 'openid:sign-in'
/** State of a sign-in at the provider. */
export const openIdLimit_s = 600

interface Sealed extends Asked {
  return_to: string
  /** Real time: the sealed state is in the browser in the meantime. */
  until: number
}

/** The person was not signed in. */
export interface Refused {
  refusal: OpenIdRefusal
}

/** Seals the state that the browser keeps while its user signs in at the provider. */
export function sealAsked(c: Context, asked: Asked, return_to: string): string {
  const sealed: Sealed = { ...asked, return_to, until: Date.now() + openIdLimit_s * 1000 }
  return c.vault.seal(JSON.stringify(sealed), sealContext)
}

/** Opens the returned state. Null if it is not authentic or too old. */
export function openAsked(c: Context, text: string | null): Sealed | null {
  if (text === null) return null
  try {
    // sealed by the function above
    const sealed = JSON.parse(c.vault.open(text, sealContext)) as Sealed
    return sealed.until > Date.now() ? sealed : null
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** A path within the portal. Two leading slashes or a backslash would lead to another host. */
export const inPortal = (path: string): string => (/^\/(?![/\\])[^\\\s]*$/.test(path) ? path : '/')

/**
 * Signs in the person the provider identified: by the linked identity, otherwise by the person or invitation with the same
 * address, which the provider must have verified. It grants no rights that were not granted here.
 */
export async function signInByClaims(
  c: Context,
  dependencies: PeopleDependencies,
  claims: Claims,
  browser: Browser,
): Promise<{ token: string } | Refused> {
  return await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    const person = await personOf(within, claims)
    if (!person) return { refusal: claims.is_verified ? ('unknown' as const) : ('unverified' as const) }
    if (claims.is_verified && claims.email?.toLowerCase() === person.email.toLowerCase()) await joinAll(within, person)
    if ((await membershipsOf(tx, person.id)).length === 0) return { refusal: 'unknown' as const }
    return await beginIn(within, dependencies, person, 'openid', browser)
  })
}

async function personOf(c: WriteContext, { issuer, subject, email, is_verified, name }: Claims) {
  const linked = await store.findLinked(c.tx, issuer, subject)
  if (linked !== undefined) return await findPerson(c.tx, linked)
  if (email === null || !is_verified) return undefined
  const person = (await findPersonByEmail(c.tx, email)) ?? (await createInvited(c, email, name))
  if (!person) return undefined
  const created_at = c.clock.now()
  await store.insertLink(c.tx, { issuer, subject, person_id: person.id, created_at })
  await recordEvent({ ...c, actor: personActor(person.id) }, null, {
    type: 'person.openid_linked',
    subject_type: 'person',
    subject_id: person.id,
    data: { issuer },
  })
  return person
}

/** Creates the person if the address was invited. */
async function createInvited(c: WriteContext, email: string, name: string | null): Promise<PersonRow | undefined> {
  const [invitation] = await listInvitationsOf(c.tx, email, c.clock.now())
  if (!invitation) return undefined
  return await insertPerson(c.tx, {
    email: invitation.email,
    name: name ?? invitation.email,
    password_hash: null,
    time_zone: null,
    created_at: c.clock.now(),
    demo_story: null,
  })
}

/** Accepts all of the person's invitations, since the provider verified the address they were sent to. */
async function joinAll(c: WriteContext, person: PersonRow): Promise<void> {
  const now = c.clock.now()
  for (const { account_id, id } of await listInvitationsOf(c.tx, person.email, now)) {
    const ended = await endInvitation(c.tx, account_id, id, now)
    if (ended) await join(c, ended, person)
  }
}
