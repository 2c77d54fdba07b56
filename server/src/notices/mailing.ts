import type { notices } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import type { JobRun } from '../platform/jobs.ts'
import { isRefused, type Mailer } from '../platform/mail/mailer.ts'
import { mailJob } from './actions.ts'
import { composed, type MailLinks } from './compose.ts'
import { limits } from './rules.ts'
import * as store from './store.ts'
import { unsubscribeToken } from './tokens.ts'

/**
 * Sends notices by email. A worker killed after the relay accepted a message, but before recording that, sends it again with
 * the same Message-ID, so that mail programs show it once.
 */

/** Sends one notice unless it was sent. Safe to run twice. */
export async function sendNotice(deps: Deps, mailer: Mailer | null, run: JobRun): Promise<void> {
  const [person_id = '', notice_id = ''] = run.key.split(':')
  const mail = await store.findDueMail(deps.db, person_id, notice_id)
  if (!mail) return
  if (!mailer) return await store.recordMail(deps.db, person_id, { notice_id }, turnedOff)
  const message = composed([mail], linksOf(deps, mail, mail.kind))
  await attempt(deps, run, { person_id, of: { notice_id } }, () =>
    mailer.send(message, envelopeOf(deps, mail, mail.kind, `notice-${notice_id}-${person_id}`)),
  )
}

/** Sends a person the notices since the last summary. Safe to run twice. */
export async function sendSummary(deps: Deps, mailer: Mailer | null, run: JobRun): Promise<{ again_at: Date } | void> {
  const person_id = run.key
  const mails = await inTransaction(deps.db, (tx) => store.chooseSummary(tx, person_id, limits.summarized))
  const [first, ...others] = mails
  const last = mails.at(-1)
  if (!first || !last) {
    // drop notices of an account that the person has left
    await store.recordMail(deps.db, person_id, 'summary', failed('The person has left the account.'))
    return
  }
  if (!mailer) return await store.recordMail(deps.db, person_id, 'summary', turnedOff)
  const message = composed([first, ...others], linksOf(deps, first, null))
  const id = `summary-${first.id}-${last.id}-${person_id}`
  await attempt(deps, run, { person_id, of: 'summary' }, () => mailer.send(message, envelopeOf(deps, first, null, id)))
  // more notices than one summary holds
  if (await store.hasWaiting(deps.db, person_id)) return { again_at: deps.clock.now() }
}

/** Sends an email and records the outcome. Throws to be retried, unless a retry is pointless or this was the last attempt. */
async function attempt(
  deps: Deps,
  run: JobRun,
  { person_id, of }: { person_id: string; of: Parameters<typeof store.recordMail>[2] },
  send: () => Promise<void>,
): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!isRefused(error) && !run.last_attempt) throw error
    deps.log.warn({ err: error, kind: mailJob, key: run.key }, 'a notice could not be mailed')
    await store.recordMail(deps.db, person_id, of, failed('The mail server did not take the message.'))
    return
  }
  await store.recordMail(deps.db, person_id, of, { mail: 'sent', mailed_at: deps.clock.now(), mail_failure: null })
}

const failed = (mail_failure: string) => ({ mail: 'failed' as const, mailed_at: null, mail_failure })

/** The relay was configured when the notice was created. */
const turnedOff = failed('This service no longer sends email.')

const linksOf = (
  { public_url, vault }: Pick<Deps, 'public_url' | 'vault'>,
  { person_id }: store.Mail,
  kind: notices.NoticeKind | null,
): MailLinks => ({ public_url, kind, token: unsubscribeToken(vault, { person_id, kind }) })

const envelopeOf = (
  deps: Pick<Deps, 'public_url' | 'vault'>,
  { person_id, name, email }: store.Mail,
  kind: notices.NoticeKind | null,
  id: string,
) => ({
  to: { name, address: email },
  message_id: `<${id}@${new URL(deps.public_url).hostname}>`,
  unsubscribe_url: `${deps.public_url}/v2/notices/unsubscribe?token=${unsubscribeToken(deps.vault, { person_id, kind })}`,
})
