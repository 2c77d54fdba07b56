import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, plainText, subjectOf, type Message } from './message.ts'

const message: Message = {
  subject: 'The port order “Front & back” was rejected',
  sections: [
    {
      title: 'The port order “Front & back” was rejected',
      paragraphs: ['Two lines\nof a paragraph.', 'What to do: ask for a PIN.'],
      link: { label: 'Open it', url: 'https://demarc.example/port-orders/7?a=1&b=2' },
    },
  ],
  footer: [{ text: 'Get no email of this kind:', url: 'https://demarc.example/unsubscribe#t' }],
}

test('both forms have the same words and links', () => {
  const plain = plainText(message)
  const rich = html(message).replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ({ amp: '&' })[name] ?? name)
  const words = message.sections.flatMap(({ title, paragraphs, link }) => [title, ...paragraphs, link?.url ?? ''])
  for (const text of [...words, message.footer[0]?.url ?? ''])
    for (const line of text.split('\n')) {
      assert.ok(plain.includes(line), line)
      assert.ok(rich.includes(line), line)
    }
})

test('text that people wrote is escaped', () => {
  const name = '<img src=x onerror="alert(1)"> \'&'
  const made = html({ ...message, sections: [{ title: name, paragraphs: [name], link: null }] })
  assert.doesNotMatch(made, /<img/)
  assert.ok(made.includes('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &#39;&amp;'))
})

test('a subject is one line of limited length and cannot inject a header', () => {
  assert.equal(subjectOf({ ...message, subject: 'A\r\nBcc: x@y.example\u0000' }), 'A Bcc: x@y.example')
  assert.equal(subjectOf({ ...message, subject: 'é'.repeat(500) }).length, 120)
})

test('plain text ends with a signature block', () => {
  assert.match(plainText(message), /\n-- \nGet no email of this kind: https:/)
})
