import { notices } from '@demarc/client'
import type { Message, Section } from '../platform/mail/message.ts'

/** The text of an email, and the portal pages it links to. Pure. */

export interface MailedNotice {
  title: string
  /** Paragraphs, separated by blank lines. */
  body: string
  path: string
  /** Null for a notice to the operator's staff. */
  account_name: string | null
}

export interface MailLinks {
  public_url: string
  /** The kind that the token unsubscribes from; null for all kinds. */
  kind: notices.NoticeKind | null
  token: string
}

/** Composes an email of one notice, or of a day's notices. */
export function composed(mailed: readonly [MailedNotice, ...MailedNotice[]], links: MailLinks): Message {
  return {
    subject: mailed.length === 1 ? mailed[0].title : `${mailed.length} notices of the last day`,
    sections: mailed.map((each) => sectionOf(each, links)),
    footer: footerOf(links),
  }
}

const sectionOf = ({ title, body, path, account_name }: MailedNotice, { public_url }: MailLinks): Section => ({
  title,
  paragraphs: [...body.split('\n\n'), ...(account_name === null ? [] : [`Account: ${account_name}`])],
  link: { label: 'Open it', url: public_url + path },
})

const footerOf = ({ public_url, kind, token }: MailLinks) => [
  {
    text:
      kind === null
        ? 'Get no email about any of this:'
        : `Stop email of this kind (“${notices.noticeKinds[kind].name}”):`,
    // in the fragment, so that the token reaches no server and no log
    url: `${public_url}/unsubscribe#${token}`,
  },
  { text: 'Choose your notices:', url: `${public_url}/settings/notices` },
]
