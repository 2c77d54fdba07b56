import { accountNames } from '../../accounts/index.ts'
import type { Deps } from '../../platform/context.ts'
import type { JobRun } from '../../platform/jobs.ts'
import { isRefused, type Mailer } from '../../platform/mail/mailer.ts'
import type { Message } from '../../platform/mail/message.ts'
import { invitationUrl } from '../invitations/links.ts'
import { findDueInvitation, recordInvitationMail } from '../invitations/store.ts'
import { mailTokenContext } from '../secret-store.ts'
import { findPerson, membershipsOf } from '../store.ts'
import { addressProvenMessage, invitationMessage } from './messages.ts'

/**
 * Sends invitations and warnings. A worker killed after the relay accepted a message sends it again with the same Message-ID,
 * so that mail programs show it once.
 */

/** Mails an invitation unless it was sent or has ended. Safe to run twice. */
export async function sendInvitation(
  deps: Deps,
  { mailer, carrier_name }: { mailer: Mailer | null; carrier_name: string },
  run: JobRun,
): Promise<void> {
  const due = await findDueInvitation(deps.db, run.key, deps.clock.now())
  if (!due) return
  const { id, account_id, email, role, invited_by, mail_token } = due
  const names = account_id === null ? null : await accountNames(deps.db, [account_id])
  const url = invitationUrl(deps, deps.vault.open(mail_token, mailTokenContext))
  const account_name = names?.get(account_id ?? '') ?? carrier_name
  const message = invitationMessage({ account_name, role, invited_by, url })
  const sent = await send(deps, mailer, run, { id: `invitation-${id}`, to: { name: email, address: email }, message })
  await recordInvitationMail(deps.db, id, sent ? 'sent' : 'failed')
}

/** Tells the owner of an address which sign-ins its proof ended. */
export async function sendAddressProven(
  deps: Deps,
  { mailer, carrier_name }: { mailer: Mailer | null; carrier_name: string },
  run: JobRun,
): Promise<void> {
  const person = await findPerson(deps.db, run.key)
  if (!person) return
  const memberships = await membershipsOf(deps.db, person.id)
  const account_names = memberships.map(({ account_name }) => account_name ?? carrier_name)
  const message = addressProvenMessage({ account_names, url: `${deps.public_url}/settings/sign-in` })
  const to = { name: person.name, address: person.email }
  await send(deps, mailer, run, { id: `address-proven-${person.id}`, to, message })
}

/** Whether the relay accepted the message. Throws to be retried, unless a retry is pointless or this was the last attempt. */
async function send(
  deps: Deps,
  mailer: Mailer | null,
  run: JobRun,
  { id, to, message }: { id: string; to: { name: string; address: string }; message: Message },
): Promise<boolean> {
  // the relay was configured when the job was enqueued
  if (!mailer) return false
  const message_id = `<${id}@${new URL(deps.public_url).hostname}>`
  try {
    await mailer.send(message, { to, message_id, unsubscribe_url: null })
  } catch (error) {
    if (!isRefused(error) && !run.last_attempt) throw error
    deps.log.warn({ err: error, message_id }, 'an email could not be sent')
    return false
  }
  return true
}
