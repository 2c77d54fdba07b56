import type { Deps } from '../platform/context.ts'
import type { JobKind } from '../platform/jobs.ts'
import { createMailer, mailJobLimits, type MailSettings } from '../platform/mail/mailer.ts'
import { addressProvenJob } from './email/actions.ts'
import { sendAddressProven, sendInvitation } from './email/mailing.ts'
import { mailInvitationJob } from './invitations/links.ts'

export const peopleJobs =
  ({ config }: { config: MailSettings }) =>
  (deps: Deps): JobKind[] => {
    const { carrier_name } = config
    const by = { mailer: createMailer(config), carrier_name }
    return [
      { ...mailJobLimits, kind: mailInvitationJob, run: (run) => sendInvitation(deps, by, run) },
      { ...mailJobLimits, kind: addressProvenJob, run: (run) => sendAddressProven(deps, by, run) },
    ]
  }
