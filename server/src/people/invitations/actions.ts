import { people, type Role } from '@demarc/client'
import { accountNames } from '../../accounts/index.ts'
import { actorName, type Actor } from '../../platform/actor.ts'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { invalid, problem, throwIfInvalid } from '../../platform/problem.ts'
import { newSecret } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { hasOpenId } from '../factors/store.ts'
import { insertMembership, listMembers } from '../members/store.ts'
import { limits, passwordErrors, roleErrors } from '../rules.ts'
import { personActor } from '../sessions/actor.ts'
import { continueSignIn, type SignInResult } from '../sign-in/actions.ts'
import { countFactors, findPerson, findPersonByEmail, insertPerson, updatePerson, type PersonRow } from '../store.ts'
import * as store from './store.ts'

const tokenHash = (c: Pick<Context, 'vault'>, token: string) => c.vault.hashSecret(`invitation:${token}`)

/** The portal page that accepts it. The token is in the fragment, which browsers never send to a server. */
const invitationUrl = ({ public_url }: Pick<Context, 'public_url'>, token: string) =>
  `${public_url}/invitation#${token}`

/** Invites a person to the actor's account or to the operator's staff. The link is only in this result. */
export async function invite(
  c: WriteContext,
  { email, role }: { email: string; role: Role },
): Promise<{ invitation: store.InvitationRow; url: string }> {
  const { account_id } = c.actor
  throwIfInvalid(roleErrors(account_id, role))
  const members = await listMembers(c.tx, account_id, { limit: 1000, offset: 0 })
  if (members.some((member) => member.email.toLowerCase() === email.toLowerCase()))
    throw problem('conflict', `${email} already belongs to your team. Change their role instead.`)
  const now = c.clock.now()
  const token = newSecret()
  await store.endInvitationOf(c.tx, account_id, email, now)
  const invitation = await store.insertInvitation(c.tx, {
    account_id,
    email,
    role,
    token_hash: tokenHash(c, token),
    invited_by: await nameOf(c, c.actor),
    created_at: now,
    expires_at: new Date(now.getTime() + limits.invitation_days * 86_400_000),
  })
  await recordEvent(c, account_id, {
    type: 'invitation.created',
    subject_type: 'invitation',
    subject_id: invitation.id,
    data: { role },
  })
  return { invitation, url: invitationUrl(c, token) }
}

/** Invites a person with full operator rights and returns the link. Throws 422 for an invalid address. */
export async function inviteOperator(c: WriteContext, given: string): Promise<string> {
  const parsed = people.invitePerson.body.safeParse({ email: given, role: 'operator' })
  if (!parsed.success) throw invalid({ email: [`${given} is not an e-mail address.`] })
  return (await invite(c, parsed.data)).url
}

async function nameOf(c: Context, actor: Actor): Promise<string> {
  // the service's command line has no person's name
  if (actor.kind === 'system') return 'The operator of this service'
  if (!actor.person) return actorName(actor)
  return (await findPerson(c.tx, actor.person.id))?.name ?? actorName(actor)
}

/** Withdraws an invitation. Throws 404. */
export async function withdraw(c: WriteContext, id: string): Promise<void> {
  const { account_id } = c.actor
  const ended = await store.endInvitation(c.tx, account_id, id, c.clock.now())
  if (!ended) throw problem('not-found', `There is no open invitation ${id}.`)
  await recordEvent(c, account_id, {
    type: 'invitation.withdrawn',
    subject_type: 'invitation',
    subject_id: id,
    data: { role: ended.role },
  })
}

/** The invitation of a link. Throws the same 404 whether it was used, withdrawn, expired, or never existed. */
async function requireInvitation(c: Context, token: string): Promise<store.InvitationRow> {
  const invitation = await store.findInvitation(c.tx, tokenHash(c, token), c.clock.now())
  if (!invitation) throw problem('not-found', 'This invitation is no longer valid. Ask for a new one.')
  return invitation
}

/** What an invitation is for, as shown to the invited person. */
export async function describe(c: Context, { config }: PeopleDependencies, token: string) {
  const { account_id, email, role, invited_by, expires_at } = await requireInvitation(c, token)
  const names = account_id === null ? null : await accountNames(c.tx, [account_id])
  const person = await findPersonByEmail(c.tx, email)
  return {
    email,
    account_name: names?.get(account_id ?? '') ?? config.carrier_name,
    role,
    invited_by,
    expires_at: expires_at.toISOString(),
    has_password: person !== undefined && person.password_hash !== null,
  }
}

/**
 * Accepts an invitation, which only proves access to the mailbox. A new person sets a name and password; a known person proves
 * the existing password, and the second factor if there is one.
 */
export async function accept(
  c: Context,
  dependencies: PeopleDependencies,
  given: { token: string; name?: string | undefined; password?: string | undefined },
  browser: Browser,
): Promise<SignInResult> {
  const invitation = await requireInvitation(c, given.token)
  const known = await findPersonByEmail(c.tx, invitation.email)
  const password_hash = await passwordFor(c, dependencies, { invitation, known, given }, browser)
  return await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    // if two requests use the same link, only one of them ends the invitation
    if (!(await store.endInvitation(tx, invitation.account_id, invitation.id, c.clock.now())))
      await requireInvitation(within, given.token)
    const joined = known ?? (await create(within, invitation, given.name ?? '', password_hash))
    if (known && known.password_hash === null) await updatePerson(tx, known.id, { password_hash })
    await join(within, invitation, joined)
    // in the same transaction, because a refused person must be able to open the link again
    return await continueSignIn(within, dependencies, joined, 'invitation', browser)
  })
}

/** The hash of the password that a new person chose, or that a known person proved. */
async function passwordFor(
  c: Context,
  { passwords, throttle }: PeopleDependencies,
  {
    invitation,
    known,
    given,
  }: {
    invitation: store.InvitationRow
    known: PersonRow | undefined
    given: { name?: string | undefined; password?: string | undefined }
  },
  browser: Browser,
): Promise<string | null> {
  const { password } = given
  if (known?.password_hash) {
    if (password === undefined) throw invalid({ password: ['Required: enter your current password.'] })
    const succeeded = await throttle.attempt(invitation.email, browser.remote_ip)
    if (!(await passwords.verify(password, known.password_hash)).matches)
      throw problem('unauthorized', 'The password is wrong. Give the one that you sign in with.')
    await succeeded()
    return known.password_hash
  }
  if (known && (await signsInOtherwise(c, known)))
    throw problem(
      'conflict',
      'You have no password here. Sign in with your identity provider, which accepts the invitation too.',
    )
  throwIfInvalid({
    ...(given.name || known ? {} : { name: ['Is required.'] }),
    ...(password === undefined
      ? { password: ['Is required.'] }
      : passwordErrors('password', password, { email: invitation.email, name: given.name ?? '' })),
  })
  return await passwords.hash(password ?? '')
}

const signsInOtherwise = async (c: Context, { id }: PersonRow) =>
  (await hasOpenId(c.tx, id)) || (await countFactors(c.tx, id)).passkeys > 0

async function create(
  c: WriteContext,
  { email }: store.InvitationRow,
  name: string,
  password_hash: string | null,
): Promise<PersonRow> {
  const created_at = c.clock.now()
  const person = await insertPerson(c.tx, { email, name, password_hash, time_zone: null, created_at, demo_story: null })
  // another invitation for the same address was accepted at the same moment
  if (!person) throw problem('conflict', 'Someone just signed up with this address. Open the link again.')
  return person
}

/** Grants the role of an invitation. */
export async function join(
  c: WriteContext,
  { account_id, role }: store.InvitationRow,
  person: Pick<PersonRow, 'id'>,
): Promise<void> {
  const created_at = c.clock.now()
  await insertMembership(c.tx, { person_id: person.id, account_id, role, created_at })
  await recordEvent({ ...c, actor: personActor(person.id) }, account_id, {
    type: 'membership.created',
    subject_type: 'person',
    subject_id: person.id,
    data: { role },
  })
}
