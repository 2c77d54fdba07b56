import type { OpenIdRefusal } from '@demarc/client'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { SealError } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { takeOverAddress } from '../email/actions.ts'
import { lockClaimantsForUpdate } from '../email/store.ts'
import { join } from '../invitations/actions.ts'
import { endInvitation, listInvitationsOf, type InvitationRow } from '../invitations/store.ts'
import { isOperatorAddress } from '../rules.ts'
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
 * Signs in the person the provider identified: by the linked identity, otherwise by an address that the provider has verified,
 * if that person or address was invited. A verified address is proven: what others set up under it ends. It grants no rights
 * that were not granted here.
 */
export async function signInByClaims(
  c: Context,
  dependencies: PeopleDependencies,
  claims: Claims,
  browser: Browser,
): Promise<{ token: string; device: string } | Refused> {
  return await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    const address = claims.is_verified ? claims.email : null
    const granted = address === null ? noGrants : await grantsOf(within, dependencies.config, address)
    const linked = await store.findLinked(tx, claims.issuer, claims.subject)
    const person =
      linked !== undefined
        ? await findPerson(tx, linked)
        : address === null
          ? undefined
          : await identified(within, claims, address, granted)
    if (person && address?.toLowerCase() === person.email.toLowerCase())
      await takeGrants(within, dependencies.config, person, granted)
    if (!person || (await membershipsOf(tx, person.id)).length === 0) return { refusal: refusalOf(claims, granted) }
    return await beginIn(within, dependencies, person, 'openid', browser)
  })
}

/** What an address was given before its owner signed in with the provider. */
interface Grants {
  invitations: readonly InvitationRow[]
  /** Invitations that only the link in the mail accepts. */
  mailed_only: boolean
  /** Someone joined under this address without proof. */
  is_claimed: boolean
}

const noGrants: Grants = { invitations: [], mailed_only: false, is_claimed: false }

async function grantsOf(c: WriteContext, config: PeopleDependencies['config'], email: string): Promise<Grants> {
  const open = await listInvitationsOf(c.tx, email, c.clock.now())
  // the provider may also serve others than the operator's staff
  const may_operate = isOperatorAddress(config, email)
  const invitations = open.filter(
    ({ account_id, opened_at }) => account_id !== null || may_operate || opened_at !== null,
  )
  const claimants = await lockClaimantsForUpdate(c.tx, email)
  return {
    invitations,
    mailed_only: invitations.length < open.length,
    is_claimed: claimants.some(({ account_id }) => account_id !== null || may_operate),
  }
}

const refusalOf = ({ is_verified }: Claims, { mailed_only }: Grants): OpenIdRefusal =>
  !is_verified ? 'unverified' : mailed_only ? 'mailed' : 'unknown'

/** Links the identity to the person with the verified address; a new one if the address was invited. */
async function identified(
  c: WriteContext,
  { issuer, subject, name }: Claims,
  email: string,
  { invitations, is_claimed }: Grants,
): Promise<PersonRow | undefined> {
  const known = await findPersonByEmail(c.tx, email)
  if (!known && invitations.length === 0 && !is_claimed) return undefined
  const created_at = c.clock.now()
  const unnamed = { email, email_proven_at: created_at, password_hash: null, time_zone: null, created_at }
  const person = known ?? (await insertPerson(c.tx, { ...unnamed, name: name ?? email, demo_story: null }))
  if (!person) return undefined
  await store.insertLink(c.tx, { issuer, subject, person_id: person.id, created_at })
  await recordEvent({ ...c, actor: personActor(person.id) }, null, {
    type: 'person.openid_linked',
    subject_type: 'person',
    subject_id: person.id,
    data: { issuer },
  })
  return person
}

/** Gives the person what the address was given, since the provider verified it. */
async function takeGrants(
  c: WriteContext,
  config: PeopleDependencies['config'],
  person: PersonRow,
  { invitations }: Grants,
): Promise<void> {
  const may_operate = isOperatorAddress(config, person.email)
  await takeOverAddress(c, person, { may_operate, by_mail: config.mail !== null })
  for (const { account_id, id } of invitations) {
    const ended = await endInvitation(c.tx, account_id, id, c.clock.now())
    if (ended) await join(c, ended, person)
  }
}
