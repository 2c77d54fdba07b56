import { notices } from '@demarc/client'
import type { Message, Section } from './message.ts'

/** What an e-mail says, and which pages of the portal its links open. Pure. */

/** One notice of it. */
export interface MailedNotice {
  title: string
  /** Paragraphs, an empty line between them. */
  body: string
  path: string
  account_name: string
}

export interface MailLinks {
  public_url: string
  /** What the token unsubscribes from; null: everything. */
  kind: notices.NoticeKind | null
  token: string
}

/** A mail of one notice, or of all of a day. */
export function composed(mailed: readonly [MailedNotice, ...MailedNotice[]], links: MailLinks): Message {
  return {
    subject: mailed.length === 1 ? mailed[0].title : `${mailed.length} notices of the last day`,
    sections: mailed.map((each) => sectionOf(each, links)),
    footer: footerOf(links),
  }
}

const sectionOf = ({ title, body, path, account_name }: MailedNotice, { public_url }: MailLinks): Section => ({
  title,
  paragraphs: [...body.split('\n\n'), `Account: ${account_name}`],
  link: { label: 'Open it', url: public_url + path },
})

const footerOf = ({ public_url, kind, token }: MailLinks) => [
  {
    text:
      kind === null
        ? 'Get no e-mail about any of this:'
        : `Get no e-mail of this kind (“${notices.noticeKinds[kind].name}”):`,
    // behind a #, so that no server and no log has the token
    url: `${public_url}/unsubscribe#${token}`,
  },
  { text: 'Choose what you are told of, and how:', url: `${public_url}/settings/notices` },
]
