import { people, type Role } from '@demarc/client'
import { accountNames } from '../../accounts/index.ts'
import { actorName, type Actor } from '../../platform/actor.ts'
import type { Context, WriteContext } from '../../platform/context.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { enqueue } from '../../platform/jobs.ts'
import { invalid, problem, throwIfInvalid } from '../../platform/problem.ts'
import { newSecret } from '../../platform/secrets.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { knownDevice } from '../devices/actions.ts'
import { takeOverAddress } from '../email/actions.ts'
import { hasOpenId } from '../factors/store.ts'
import { insertMembership, listMembers } from '../members/store.ts'
import { isOperatorAddress, limits, operatorErrors, passwordErrors, roleErrors } from '../rules.ts'
import { personActor } from '../sessions/actor.ts'
import { isCommonPassword } from '../sign-in/common-passwords.ts'
import { continueSignIn, type SignInResult } from '../sign-in/actions.ts'
import { countFactors, findPerson, findPersonByEmail, insertPerson, updatePerson, type PersonRow } from '../store.ts'
import { invitationUrl, mailInvitationJob, tokenHash, tokenHashes } from './links.ts'
import { mailTokenContext } from '../secret-store.ts'
import * as store from './store.ts'

type InvitationSettings = Pick<PeopleDependencies['config'], 'mail' | 'operator_domains'>

/**
 * Invites a person to the actor's account or to the operator's staff. With mail, only the address gets the link, so the person
 * who opens it has proved the address. Without, the link is in this result, for the inviter to pass on.
 */
export async function invite(
  c: WriteContext,
  config: InvitationSettings,
  { email, role }: { email: string; role: Role },
): Promise<{ invitation: store.InvitationRow; url: string | null }> {
  const { account_id } = c.actor
  const is_mailed = config.mail !== null
  // someone who runs commands on the machine could also change the setting
  const is_free = is_mailed || c.actor.kind === 'system'
  throwIfInvalid({ ...roleErrors(account_id, role), ...(is_free ? {} : operatorErrors(config, role, email)) })
  // an address has one open invitation, and the mailed ones are counted
  await store.lockInvitations(c.tx, account_id)
  const members = await listMembers(c.tx, account_id, { limit: 1000, offset: 0 })
  const same = members.find((member) => member.email.toLowerCase() === email.toLowerCase())
  // an invitation by mail lets a member prove the address that they joined under
  if (same && !(is_mailed && same.email_proven_at === null))
    throw problem('conflict', `${email} already belongs to your team. Change their role instead.`)
  if (is_mailed) await checkMailed(c, email)
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
    mail: is_mailed ? 'due' : 'none',
    mail_token: is_mailed ? c.vault.seal(token, mailTokenContext) : null,
  })
  if (is_mailed) await enqueue(c.tx, mailInvitationJob, invitation.id, now)
  await recordEvent(c, account_id, {
    type: 'invitation.created',
    subject_type: 'invitation',
    subject_id: invitation.id,
    data: { role },
  })
  return { invitation, url: is_mailed ? null : invitationUrl(c, token) }
}

/** Throws 429 when an account has had enough invitations mailed today: they go to anyone it names. */
async function checkMailed(c: WriteContext, email: string): Promise<void> {
  const since = new Date(c.clock.now().getTime() - 86_400_000)
  const { total, to_address } = await store.countMailed(c.tx, c.actor.account_id, email, since)
  const { mailed_per_day, mailed_per_day_to_address } = limits
  if (total < mailed_per_day && to_address < mailed_per_day_to_address) return
  throw problem(
    'rate-limited',
    `At most ${mailed_per_day} invitations are mailed in a day, and ${mailed_per_day_to_address} to one address. Try again tomorrow.`,
    { headers: { 'retry-after': '3600' } },
  )
}

/** Invites a person with full operator rights. Returns the link, or null if it is mailed. Throws 422 for an invalid address. */
export async function inviteOperator(
  c: WriteContext,
  config: InvitationSettings,
  email: string,
): Promise<string | null> {
  const parsed = people.invitePerson.body.safeParse({ email, role: 'operator' })
  if (!parsed.success) throw invalid({ email: [`${email} is not an email address.`] })
  return (await invite(c, config, parsed.data)).url
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
  const invitation = await store.findInvitation(c.tx, tokenHashes(c, token), c.clock.now())
  if (!invitation) throw problem('not-found', 'This invitation is no longer valid. Ask for a new one.')
  return invitation
}

/** What an invitation is for, as shown to the invited person. */
export async function describe(c: Context, { config }: PeopleDependencies, token: string) {
  const invitation = await requireInvitation(c, token)
  const { account_id, email, role, invited_by, expires_at } = invitation
  const names = account_id === null ? null : await accountNames(c.tx, [account_id])
  // someone who was handed the link must not learn whether its address has an account
  const person = invitation.mail === 'none' ? undefined : await findPersonByEmail(c.tx, email)
  return {
    email,
    account_name: names?.get(account_id ?? '') ?? config.carrier_name,
    role,
    invited_by,
    expires_at: expires_at.toISOString(),
    has_password: person !== undefined && person.password_hash !== null,
    proves_email: invitation.mail !== 'none',
  }
}

interface Acceptance {
  token: string
  name?: string | undefined
  password?: string | undefined
}

/**
 * Accepts an invitation. A mailed one proves access to the mailbox and nothing more: someone with a password also proves that,
 * and the second factor if there is one. One that was passed on proves nothing, so accepting it makes a new person, who belongs to this account only.
 */
export async function accept(
  c: Context,
  dependencies: PeopleDependencies,
  input: Acceptance,
  browser: Browser,
): Promise<SignInResult> {
  const invitation = await requireInvitation(c, input.token)
  const is_mailed = invitation.mail !== 'none'
  const known = is_mailed ? await findPersonByEmail(c.tx, invitation.email) : undefined
  const password_hash = await passwordFor(c, dependencies, { invitation, known, input }, browser)
  return await inTransaction(c.db, async (tx) => {
    const within = { ...c, tx }
    // if two requests use the same link, only one of them ends the invitation
    if (!(await store.endInvitation(tx, invitation.account_id, invitation.id, c.clock.now())))
      await requireInvitation(within, input.token)
    const joined = known ?? (await create(within, invitation, input.name ?? '', password_hash))
    if (known && known.password_hash === null) await updatePerson(tx, known.id, { password_hash })
    if (is_mailed) {
      const may_operate = invitation.account_id === null || isOperatorAddress(dependencies.config, joined.email)
      await takeOverAddress(within, joined, { may_operate, by_mail: dependencies.config.mail !== null })
    }
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
    input,
  }: {
    invitation: store.InvitationRow
    known: PersonRow | undefined
    input: Acceptance
  },
  browser: Browser,
): Promise<string | null> {
  const { password } = input
  if (known?.password_hash) {
    if (password === undefined) throw invalid({ password: ['Required: enter your current password.'] })
    const succeeded = await throttle.attempt({
      who: invitation.email,
      remote_ip: browser.remote_ip,
      device: await knownDevice(c, known.id, browser),
    })
    if ((await passwords.verify({ email: known.email, password }, [known.password_hash])) === null)
      throw problem('unauthorized', 'The password is wrong. Give the one that you sign in with.')
    await succeeded()
    return known.password_hash
  }
  if (known && (await signsInOtherwise(c, known))) {
    await store.recordOpened(c.tx, invitation.id, c.clock.now())
    throw problem(
      'conflict',
      'You have no password here. Sign in with your identity provider, which accepts the invitation too.',
    )
  }
  throwIfInvalid({
    ...(input.name || known ? {} : { name: ['Is required.'] }),
    ...(password === undefined
      ? { password: ['Is required.'] }
      : passwordErrors('password', password, {
          email: invitation.email,
          name: input.name ?? '',
          is_common: isCommonPassword(password),
        })),
  })
  return await passwords.hash({ email: invitation.email, password: password ?? '' })
}

const signsInOtherwise = async (c: Context, { id }: PersonRow) =>
  (await hasOpenId(c.tx, id)) || (await countFactors(c.tx, id)).passkeys > 0

async function create(
  c: WriteContext,
  { email, mail }: store.InvitationRow,
  name: string,
  password_hash: string | null,
): Promise<PersonRow> {
  const created_at = c.clock.now()
  const email_proven_at = mail === 'none' ? null : created_at
  const person = await insertPerson(c.tx, {
    email,
    email_proven_at,
    name,
    password_hash,
    time_zone: null,
    created_at,
    demo_story: null,
  })
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
  // someone who proved their address brought the role that they had before
  if ((await insertMembership(c.tx, { person_id: person.id, account_id, role, created_at })) === undefined) return
  await recordEvent({ ...c, actor: personActor(person.id) }, account_id, {
    type: 'membership.created',
    subject_type: 'person',
    subject_id: person.id,
    data: { role },
  })
}
