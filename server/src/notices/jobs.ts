import type { Deps } from '../platform/context.ts'
import { noticeJob } from '../platform/events.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { createMailer, mailJobLimits, type MailSettings } from '../platform/mail/mailer.ts'
import { mailJob, summaryJob, createNotices } from './actions.ts'
import { sendNotice, sendSummary } from './mailing.ts'

export const noticeJobs =
  ({ config }: { config: MailSettings }) =>
  (deps: Deps): JobKind[] => {
    const mailer = createMailer(config)
    return [
      {
        kind: noticeJob,
        concurrency: 4,
        attempts_max: 100,
        backoff_ms: exponentialBackoff(500, 60_000),
        run: (run) => createNotices(deps, run.key, mailer !== null),
      },
      { ...mailJobLimits, kind: mailJob, run: (run) => sendNotice(deps, mailer, run) },
      { ...mailJobLimits, kind: summaryJob, run: (run) => sendSummary(deps, mailer, run) },
    ]
  }
