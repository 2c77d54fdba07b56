/** Renders an email as plain text and as HTML from one source. Pure. */

export interface Section {
  title: string
  /** Paragraphs of plain text. */
  paragraphs: readonly string[]
  link: { label: string; url: string } | null
}

export interface Message {
  subject: string
  sections: readonly Section[]
  footer: readonly { text: string; url: string | null }[]
}

/** Subjects are one line and no longer than mail programs show. */
const subject_max = 120

/** The subject as a header value: without line breaks and other control characters. */
export function subjectOf({ subject }: Message): string {
  const line = oneLine(subject)
  return line.length <= subject_max ? line : `${line.slice(0, subject_max - 1)}…`
}

export function plainText({ sections, footer }: Message): string {
  const parts = sections.map(({ title, paragraphs, link }) =>
    [oneLine(title), ...paragraphs.map(visible), ...(link ? [`${link.label}: ${link.url}`] : [])].join('\n\n'),
  )
  const foot = footer.map(({ text, url }) => (url === null ? text : `${text} ${url}`)).join('\n')
  // the signature separator (RFC 3676, 4.3)
  return `${parts.join('\n\n----\n\n')}\n\n-- \n${foot}\n`
}

export function html(message: Message): string {
  const sections = message.sections.map(({ title, paragraphs, link }) =>
    [
      `<h2 style="font-size:17px;margin:24px 0 8px">${escaped(oneLine(title))}</h2>`,
      ...paragraphs.map((text) => `<p style="margin:0 0 10px">${escaped(visible(text)).replaceAll('\n', '<br>')}</p>`),
      ...(link ? [`<p style="margin:0 0 10px"><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
    ].join('\n'),
  )
  const footer = message.footer.map(({ text, url }) =>
    url === null ? escaped(text) : `<a href="${escaped(url)}" style="color:#555">${escaped(text)}</a>`,
  )
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subjectOf(message))}</title></head>`,
    '<body style="font:15px/1.5 sans-serif;color:#1a1a1a;max-width:600px;margin:0 auto;padding:16px">',
    ...sections,
    `<p style="font-size:13px;color:#555;border-top:1px solid #ddd;margin-top:28px;padding-top:12px">${footer.join('<br>')}</p>`,
    '</body></html>',
    '',
  ].join('\n')
}

const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim()
/** Keeps line breaks and removes other control characters. */
const visible = (text: string) => text.replaceAll(/(?!\n)\p{Cc}/gu, '')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
