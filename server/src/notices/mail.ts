import { createTransport } from 'nodemailer'
import { html, plainText, subjectOf, type Message } from './message.ts'

/** Sends e-mail through the configured relay. */

export interface MailSettings {
  carrier_name: string
  mail: { smtp_url: string; from: string } | null
}

export interface Envelope {
  to: { name: string; address: string }
  /** The same for every attempt at this e-mail, so that mail programs show it once (RFC 5322, 3.6.4). */
  message_id: string
  /** One-click unsubscribe URL for mail programs (RFC 8058). */
  unsubscribe_url: string
}

export interface Mailer {
  /** Throws the relay's or the connection's error. */
  send(message: Message, envelope: Envelope): Promise<void>
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Null without a relay: notices then appear only in the portal. */
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
          'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      })
    },
  }
}
