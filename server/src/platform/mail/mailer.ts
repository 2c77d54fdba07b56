import { createTransport } from 'nodemailer'
import { exponentialBackoff } from '../jobs.ts'
import { html, plainText, subjectOf, type Message } from './message.ts'

/** Sends email through the configured relay. */

export interface MailSettings {
  carrier_name: string
  mail: { smtp_url: string; from: string } | null
}

export interface Envelope {
  to: { name: string; address: string }
  /** The same for every attempt at this email, so that mail programs show it once (RFC 5322, 3.6.4). */
  message_id: string
  /** One-click unsubscribe URL for mail programs (RFC 8058). Null for messages that belong to signing in. */
  unsubscribe_url: string | null
}

export interface Mailer {
  /** Throws the relay's or the connection's error. */
  send(message: Message, envelope: Envelope): Promise<void>
}

/** Limits of jobs that send mail: a relay accepts several connections at a time and refuses many. */
export const mailJobLimits = {
  concurrency: 2,
  attempts_max: 8,
  backoff_ms: exponentialBackoff(60_000, 3_600_000),
  records_failure: true,
} as const

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Null without a relay. */
export function createMailer({ mail, carrier_name }: MailSettings): Mailer | null {
  if (mail === null) return null
  // messages have no attachments, and no text in them may make the library read a file or URL
  const transport = createTransport({
    url: mail.smtp_url,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(message, { to, message_id, unsubscribe_url }) {
      await transport.sendMail({
        from: { name: carrier_name, address: mail.from },
        to,
        messageId: message_id,
        subject: subjectOf(message),
        text: plainText(message),
        html: html(message),
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribe_url !== null && {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
    },
  }
}

/** Whether retrying is pointless: the mail server permanently refused this address or message (RFC 5321, 4.2.1). */
export const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'responseCode' in error &&
  typeof error.responseCode === 'number' &&
  error.responseCode >= 500 &&
  'command' in error &&
  ['RCPT TO', 'DATA'].includes(String(error.command))
