import type { Deps } from '../platform/context.ts'
import { noticeJob } from '../platform/events.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { mailJob, summaryJob, createNotices } from './actions.ts'
import { createMailer, type MailSettings } from './mail.ts'
import { sendNotice, sendSummary } from './mailing.ts'
import { limits } from './rules.ts'

/** A relay accepts several connections at a time and refuses many. */
const mails_at_once = 2

export const noticeJobs =
  ({ config }: { config: MailSettings }) =>
  (deps: Deps): JobKind[] => {
    const mailer = createMailer(config)
    const mailed = {
      concurrency: mails_at_once,
      attempts_max: limits.mail_attempts,
      backoff_ms: exponentialBackoff(limits.first_wait_ms, limits.longest_wait_ms),
      records_failure: true,
    } as const
    return [
      {
        kind: noticeJob,
        concurrency: 4,
        attempts_max: 100,
        backoff_ms: exponentialBackoff(500, 60_000),
        run: (run) => createNotices(deps, run.key, mailer !== null),
      },
      { ...mailed, kind: mailJob, run: (run) => sendNotice(deps, mailer, run) },
      { ...mailed, kind: summaryJob, run: (run) => sendSummary(deps, mailer, run) },
    ]
  }
