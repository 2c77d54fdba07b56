import { notices } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import type { JobRun } from '../platform/jobs.ts'
import { mailJob } from './actions.ts'
import type { Mailer } from './mail.ts'
import type { Message, Section } from './message.ts'
import { isRefused, limits } from './rules.ts'
import * as store from './store.ts'
import { unsubscribeToken } from './tokens.ts'

/**
 * Sending of notices by e-mail. A worker that is killed after the relay took a message and before that is recorded sends it
 * again, under the same Message-ID: mail programs show one.
 */

/** Sends one notice, unless it was sent. Safe to run twice. */
export async function sendNotice(deps: Deps, mailer: Mailer | null, run: JobRun): Promise<void> {
  const [person_id = '', notice_id = ''] = run.key.split(':')
  const mail = await store.findDueMail(deps.db, person_id, notice_id)
  if (!mail) return
  if (!mailer) return await store.recordMail(deps.db, person_id, { notice_id }, turnedOff)
  const message: Message = {
    subject: mail.title,
    sections: [sectionOf(deps, mail)],
    footer: footerOf(deps, mail, mail.kind),
  }
  await attempt(deps, run, { person_id, of: { notice_id } }, () =>
    mailer.send(message, envelopeOf(deps, mail, mail.kind, `notice-${notice_id}-${person_id}`)),
  )
}

/** Sends a person what happened since the last summary. Safe to run twice. */
export async function sendSummary(deps: Deps, mailer: Mailer | null, run: JobRun): Promise<{ again_at: Date } | void> {
  const person_id = run.key
  const mails = await inTransaction(deps.db, (tx) => store.chooseSummary(tx, person_id, limits.summarized))
  const [first] = mails
  const last = mails.at(-1)
  if (!first || !last) {
    // those of an account that the person has left
    await store.recordMail(deps.db, person_id, 'summary', failed('The person has left the account.'))
    return
  }
  if (!mailer) return await store.recordMail(deps.db, person_id, 'summary', turnedOff)
  const message: Message = {
    subject: mails.length === 1 ? first.title : `${mails.length} notices of the last day`,
    sections: mails.map((mail) => sectionOf(deps, mail)),
    footer: footerOf(deps, first, null),
  }
  const id = `summary-${first.id}-${last.id}-${person_id}`
  await attempt(deps, run, { person_id, of: 'summary' }, () => mailer.send(message, envelopeOf(deps, first, null, id)))
  // more than one summary takes
  if (await store.hasWaiting(deps.db, person_id)) return { again_at: deps.clock.now() }
}

/** Sends and records the outcome. Throws to be repeated, unless that cannot help or was the last attempt. */
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

/** The setting was there when the notice was made. */
const turnedOff = failed('This service no longer sends e-mail.')

const sectionOf = (deps: Pick<Deps, 'public_url'>, { title, body, path, account_name }: store.Mail): Section => ({
  title,
  paragraphs: [...body.split('\n\n'), `Account: ${account_name}`],
  link: { label: 'Open it', url: deps.public_url + path },
})

const footerOf = (
  deps: Pick<Deps, 'public_url' | 'vault'>,
  { person_id }: store.Mail,
  kind: notices.NoticeKind | null,
) => [
  {
    text:
      kind === null
        ? 'Get no e-mail about any of this:'
        : `Get no e-mail of this kind (“${notices.noticeKinds[kind].name}”):`,
    // behind a #, so that no server and no log has the token
    url: `${deps.public_url}/unsubscribe#${unsubscribeToken(deps.vault, { person_id, kind })}`,
  },
  { text: 'Choose what you are told of, and how:', url: `${deps.public_url}/settings/notices` },
]

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
