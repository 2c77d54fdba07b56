import { createTransport } from 'nodemailer'
import { html, plainText, subjectOf, type Message } from './message.ts'

/** Sends e-mail to the relay of the settings. */

export interface MailSettings {
  carrier_name: string
  mail: { smtp_url: string; from: string } | null
}

export interface Envelope {
  to: { name: string; address: string }
  /** The same whenever this mail is sent again, so that mail programs show it once (RFC 5322, 3.6.4). */
  message_id: string
  /** Where a mail program unsubscribes with one request (RFC 8058). */
  unsubscribe_url: string
}

export interface Mailer {
  /** Throws what the relay or the connection answered. */
  send(message: Message, envelope: Envelope): Promise<void>
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Null without a relay: notices are then shown in the portal alone. */
export function createMailer({ mail, carrier_name }: MailSettings): Mailer | null {
  if (mail === null) return null
  // a message has no attachment, and none of its texts may name a file or a URL to be read
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
          'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      })
    },
  }
}
